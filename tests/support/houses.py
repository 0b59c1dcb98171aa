"""House rules made up by chance."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from hypothesis import strategies as st

from trull import Variant
from trull.house import ImpossibleVariant, Overrides, build
from trull.house_forms import BONUSES, STAKES

POINTS: Final = st.integers(0, 10_000) | st.sampled_from([0, 1, 5, 10_000])
FACTORS: Final = st.integers(1, 100)


def _built(base: Variant, written: Overrides) -> Variant | None:
    try:
        return build(base, "house-club", "Our club", written)
    except ImpossibleVariant:
        return None


def houses(base: Variant) -> st.SearchStrategy[Variant]:
    """House-rule variants of that base."""
    made = overrides(base).map(partial(_built, base))
    return made.filter(lambda variant: variant is not None)  # type: ignore[return-value]  # not None then


def some(**choices: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Any of these fields."""
    return st.fixed_dictionaries({}, optional=choices)


def _sizes(names: tuple[str, ...], counts: list[int]) -> dict[str, int]:
    return dict(zip(names, counts, strict=True))


@st.composite
def overrides(draw: st.DrawFn, base: Variant) -> Overrides:
    """Overrides of known names with possible values, which need not go together."""
    rulings = some(
        **{
            ruling.name: FACTORS if ruling.values is None else st.sampled_from(ruling.values)
            for ruling in base.game.rulings
        }
    )
    stakes = dict.fromkeys(STAKES[base.family], POINTS)
    row = {"multiplier": FACTORS} | ({"stakes": some(**stakes)} if stakes else {})
    bonuses: dict[str, st.SearchStrategy[Any]] = {}
    for name, form in BONUSES[base.family].items():
        values = {value: st.integers(max(span[0], -999), span[1]) for value, span in form.values.items()}
        columns: dict[str, st.SearchStrategy[Any]] = {"values": some(**values)}
        columns |= {column: st.sampled_from(choices) for column, choices in form.who.items()}
        if form.multiplied:
            columns["multiplied"] = st.booleans()
        if form.sizes:
            counts = st.sets(st.integers(1, 15), min_size=3, max_size=3).map(sorted)
            columns["shown"] = counts.map(partial(_sizes, form.sizes))
        # Written out where the base lacks it: what is added must be whole to be accepted.
        bonuses[name] = some(**columns) if name in base.bonuses else st.fixed_dictionaries(columns)
        if name in base.bonuses:
            bonuses[name] |= st.none()
    few = st.lists(st.sampled_from(sorted(bonuses)), max_size=3, unique=True)
    return Overrides(
        draw(rulings),
        draw(some(**dict.fromkeys(base.contracts, some(**row)))),
        {name: draw(bonuses[name]) for name in draw(few)},
    )
