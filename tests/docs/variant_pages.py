"""The rules pages of the variants: docs/rules/<variant-id>.md, made from the rule sets themselves.

Numbers are those of the variant's rows, clauses and their sources those of its family's page, and the
examples are the published ones of tests/cases. `make docs` writes them all; a test finds a page that is not
as it would be.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from records.judging import judge_record, sheet_of
from records.schemas import load_record
from tests.docs.clauses import RULES, Clause, clauses_of, tags_of
from tests.service.golden import load_cases
from trull import Variant
from trull.bonuses import CLAUSES
from trull.model import Bonus, Contract, Ruling
from trull.variants import VARIANTS

WIDTH: Final = 118

ABOUT: Final = {
    "illustrated-loew-1954": "The early and simple rules. A contract can be won back and forth in a duel"
    " that raises its value, defenders may announce the Pagat and the Uhu, and a won Solo counts no"
    " overshoot.",
    "illustrated-beck": "The rich rules. Announcements before the pick-up are dear, a contra on them counts"
    " fourfold, and three passes may lead to a Trischaken, which everyone plays for himself.",
    "illustrated-mayr-sedlaczek-2016": "The streamlined modern rules. Nobody takes a contract from another,"
    " so the higher ones are worth more; there is no Uhu, and the declarer may answer a contra with a"
    " recontra.",
    "french-tarot-3": "The game for three: longer hands, more trumps for a handful, and half points that"
    " are rounded.",
    "french-tarot-4": "The game as it is mostly played: one taker against three defenders.",
    "french-tarot-5": "The game for five: the taker calls a King, whose holder is his partner without"
    " saying so.",
}
EXAMPLES: Final = {
    "loew-1-result": "IT-7.40",
    "loew-2-result": "IT-7.41",
    "loew-3-result": "IT-7.42",
    "beck-1-result": "IT-7.43",
    "beck-2-result": "IT-7.44",
    "ms-1-result": "IT-7.45",
    "ms-2-result": "IT-7.46",
    "french-worked-example-result": "FT-6.20",
    "fft-1": "FT-6.21",
    "fft-2": "FT-6.22",
    "fft-3": "FT-6.23",
    "fft-4": "FT-6.24",
    "fft-5": "FT-6.25",
}
"""The published examples, by their clauses."""
FRENCH: Final = {"petit_au_bout": "FT-6.2", "handful": "FT-6.3", "slam": "FT-6.4"}
PLAYERS: Final = {3: "three", 4: "four", 5: "five"}
STAKES: Final = ("called", "taken_over", "held", "retaken")
STAGES: Final = ("before", "after", "silent")
CLAUSE: Final = re.compile(r"\b((?:IT|FT)-\d+(?:\.\d+)?)\b")


def page_of(variant: Variant) -> str:
    """The page of a variant, as Markdown."""
    deal = variant.game.deals[variant.players]
    talon = "talon" if variant.family == "illustrated-tarock" else "chien"
    parts = [
        f"# {variant.name}",
        ABOUT[variant.id],
        f"Its id is `{variant.id}`. {PLAYERS[variant.players].capitalize()} play with"
        f" {variant.game.pack.cards.bit_count()} cards: {deal.cards_each} for each, and {deal.talon} in the"
        f" {talon}. Source: {variant.source}. What the words mean, and how a hand is bid and played, is in"
        f" the rules of [{variant.game.name}]({variant.family}.md), whose clauses are cited here.",
        "## Contracts",
        *_contracts(variant),
        "## Bonuses",
        *_bonuses(variant),
        "## Rulings",
        "Where the sources are silent or at odds, a ruling decides. House rules (`POST /v1/variants`, or a"
        " file for `trull rescore --house`) can have another.",
        *(_ruling(ruling, variant) for ruling in variant.game.rulings),
        "## Worked examples",
        *_examples(variant),
        "## Sources",
        *_sources(variant),
    ]
    wrapped = (part if part.startswith(("|", "```", "#")) else _wrapped(part) for part in parts)
    return "\n\n".join(_linked(part, variant.family) for part in wrapped) + "\n"


def _wrapped(text: str) -> str:
    indent = "  " if text.startswith("- ") else ""
    return "\n".join(
        textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        for line in text.split("\n")
    )


def _linked(text: str, family: str) -> str:
    """Each clause as a link to where it stands."""
    return text if text.startswith("```") else CLAUSE.sub(rf"[\1]({family}.md#\1)", text)


def _contracts(variant: Variant) -> Iterator[str]:
    if variant.family == "french-tarot":
        rows = [(f"`{row.id}`", row.multiplier, _chien(row)) for row in variant.contracts.values()]
        yield _table(("contract", "multiplier", "the chien"), rows)
        yield (
            "The contract is worth (25 + the difference to the points needed) times the multiplier"
            " (FT-6.1), and each defender pays or gets that (FT-6.6). Bids: FT-2.2; the chien: FT-3.1,"
            " FT-3.5."
        )
        return
    stakes = [stake for stake in STAKES if any(stake in row.stakes for row in variant.contracts.values())]
    heads = ("contract", "multiplier *M*", "takes", *(f"*G* {stake.replace('_', ' ')}" for stake in stakes))
    yield _table(
        heads,
        [
            (
                f"`{row.id}`",
                row.multiplier,
                f"{row.exchange or 'no'} cards" if row.exchange != 1 else "1 card",
                *(variant.game_value(row, stake) if stake in row.stakes else "–" for stake in stakes),
            )
            for row in variant.contracts.values()
        ],
    )
    solo = "" if variant.rulings["solo_overshoot"] == "both" else " In a Solo *E* is not counted (IT-7.5)."
    yield (
        "With 36 card points or more the declarer wins and scores (*G* + *E*) · *M*, *E* being his points"
        " above 35 (IT-7.2); with fewer each defender scores (*G* + *U*) · *M*, *U* being what is missing"
        " to 35 (IT-7.3). How the contract was won sets *G* (IT-4.12). A contra multiplies what it answers"
        f" (IT-7.31).{solo}"
    )
    taken = [f"`{row.id}`" for row in variant.contracts.values() if row.takeable]
    yield f"Of these, {' and '.join(taken) or 'none'} can be taken over (IT-4.5)."


def _chien(row: Contract) -> str:
    return "taken up" if row.takes else f"counts for the {row.untaken_to.replace('declarer', 'taker')}"


def _bonuses(variant: Variant) -> Iterator[str]:
    clauses = clauses_of(variant.family)
    if variant.family == "french-tarot":
        rows = [
            (
                f"`{row.id}`",
                ", ".join(
                    f"{name.replace('value', '')} {value}".strip() for name, value in row.values.items()
                ),
                _by(row),
                "yes" if row.multiplied else "no",
                FRENCH[row.id],
            )
            for row in variant.bonuses.values()
        ]
        yield _table(("bonus", "points", "by", "multiplied", "clause"), rows)
        shown = ", ".join(f"{size} {count}" for size, count in variant.bonuses["handful"].shown.items())
        yield f"Trumps to show for a handful (FT-4.3): {shown}."
        return
    yield _table(
        ("bonus", "what it is", *STAGES, "by", "clause"),
        [
            (
                f"`{row.id}`",
                clauses[CLAUSES[row.id]].title,
                *(row.values.get(stage, "–") for stage in STAGES),
                _by(row),
                CLAUSES[row.id],
            )
            for row in variant.bonuses.values()
        ],
    )
    failed = "" if variant.rulings["failed_bonus_multiplied"] else "; a failed announcement is not (IT-7.8)"
    lacking = [f"`{bonus}`" for bonus in CLAUSES if bonus not in variant.bonuses]
    yield (
        "*Before* and *after* are announced before and after the pick-up, *silent* is without a word; –"
        f" means that it does not exist there. All values are multiplied by *M* (IT-7.6){failed}. A failed"
        " announcement pays the other"
        " side (IT-7.7)." + (f" There is no {' and no '.join(lacking)}." if lacking else "")
    )


def _by(row: Bonus) -> str:
    if row.announced_by == row.silent_by or row.silent_by == "nobody":
        return row.announced_by
    if row.announced_by == "nobody":
        return row.silent_by
    return f"announced: {row.announced_by}; silent: {row.silent_by}"


def _source(tag: str) -> str:
    """A source within brackets: `Löw 1954 (worked example)` has brackets of its own."""
    return tag.replace(" (", ", ").replace(")", "")


def _ruling(ruling: Ruling, variant: Variant) -> str:
    value = variant.rulings[ruling.name]
    others = [] if ruling.values is None else [word for word in ruling.values if word != value]
    if value is None:
        begins = f"- **`{ruling.name}`**: does not arise here."
    else:
        choice = "another whole number" if ruling.values is None else " or ".join(map(_word, others))
        begins = f"- **`{ruling.name}`** is {_word(value)}, and could be {choice}."
    clauses = clauses_of(variant.family)
    about, _, why = clauses[ruling.clause].text.partition(" Why: ")
    decides = [
        f"{clause.id} ({'; '.join(map(_source, sources))})" if sources else clause.id
        for clause in clauses.values()
        if clause.id != ruling.clause and _names(clause, ruling.name)
        for sources in [[tag for tag in clause.sources if "Trull ruling" not in tag]]
    ]
    return (
        f"{begins} {about.partition('. ')[0].rstrip('.')} ({ruling.clause}). Why there is a ruling: {why}"
        f" It decides {', '.join(decides)}."
    )


def _names(clause: Clause, ruling: str) -> bool:
    return any(f"`{ruling}`" in tag for tag in clause.sources)


def _word(value: object) -> str:
    return f"`{json.dumps(value)}`" if not isinstance(value, str) else f"`{value}`"


def _examples(variant: Variant) -> Iterator[str]:
    found = [
        (case.line, clauses_of(variant.family)[EXAMPLES[case.line["id"]]])
        for case in load_cases("published")
        if case.line["id"] in EXAMPLES and case.record["variant"] == variant.id
    ]
    if not found:
        yield (
            "The sources have worked examples of the game for four, which are on [its"
            f" page](french-tarot-4.md). They hold here too, shared out for {PLAYERS[variant.players]}"
            " (FT-6.6)."
        )
    for number, (line, clause) in enumerate(sorted(found, key=lambda one: one[1].id)):
        record = {name: line["record"][name] for name in ("variant", "players", "events")}
        yield f"**{clause.title}.** {clause.text} [{'; '.join(clause.sources)}, {clause.id}]"
        if number == 0:
            yield "As a record, for `POST /v1/score`:"
            yield f"```json\n{_record(record)}\n```"
        yield _lines(record)


def _record(record: Mapping[str, Any]) -> str:
    head = json.dumps({name: record[name] for name in ("variant", "players")}, ensure_ascii=False)
    [event] = record["events"]
    words = textwrap.wrap(
        json.dumps(event, ensure_ascii=False), WIDTH - 13, break_long_words=False, break_on_hyphens=False
    )
    return f'{head[:-1]},\n "events": [{(chr(10) + " " * 12).join(words)}]}}'


def _lines(record: Mapping[str, Any]) -> str:
    players = record["players"]
    sheet: dict[str, Any] = sheet_of(judge_record(load_record(record))).as_dict(players, None, 1)
    rows: list[tuple[object, ...]] = [
        (item["item"], item["base"], item["multiplier"], *item["points"].values(), item["clause"])
        for item in sheet["items"]
    ]
    totals = ("**score**", "", "", *(f"**{points}**" for points in sheet["scores"].values()), "")
    return _table(("line", "base", "times", *players, "clause"), [*rows, totals])


def _sources(variant: Variant) -> Iterator[str]:
    yield f"What the clauses of [{variant.game.name}]({variant.family}.md) name in brackets:"
    for tag, source in tags_of(variant.family).items():
        if tag != "tag" and not tag.startswith("--"):
            yield f"- {tag}: {source}"
    yield "This page is made from the rule set itself, by `make docs`."


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def path_of(variant: Variant) -> Path:
    """Where the page of the variant is."""
    return RULES / f"{variant.id}.md"


if __name__ == "__main__":
    for made in VARIANTS.values():
        path_of(made).write_text(page_of(made))
