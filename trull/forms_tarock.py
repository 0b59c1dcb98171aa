"""The form of a result of Illustrated Tarock: it offers just what `trull.results_tarock` takes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from trull.announcements import AFTER, BEFORE, SILENT
from trull.errors import InconsistentResult
from trull.events import CONTRA_LEVELS, ReportedBonus, ResultReported
from trull.forms import MADE, BonusForm, ContractForm, Way, choice, named, number, numbers, player
from trull.model import Contract, Variant
from trull.results_tarock import check_bonus, check_game_contra
from trull.state import Hand

_SEATS = (0, 1)
"""The declarer's, and a defender's."""
_DECLARER = 0
_POINTS = 70
_TRICKS = 16


def form(variant: Variant) -> list[ContractForm]:
    """What a result may hold under the variant, contract by contract, the lowest first."""
    forms = [_of_contract(variant, row) for row in variant.contracts.values()]
    if variant.rulings["pass_out"] == "trischaken":
        fields = [numbers("card_points_by_player", _POINTS), numbers("tricks_by_player", _TRICKS)]
        forms.append(ContractForm("trischaken", fields, []))
    return forms


def _of_contract(variant: Variant, row: Contract) -> ContractForm:
    hand = Hand(variant)
    fields = [player("declarer"), number("card_points", _POINTS, 1, of=_POINTS)]
    if len(row.stakes) > 1:
        fields.insert(1, named("stake", list(row.stakes)))
    fields.append(choice("contra", _game_contras(hand, row)))
    bonuses = [BonusForm(bonus, _ways(hand, row, bonus)) for bonus in variant.bonuses]
    return ContractForm(row.id, fields, [bonus for bonus in bonuses if bonus.ways])


def _game_contras(hand: Hand, row: Contract) -> list[tuple[object, list[str]]]:
    """The contras to the game that there are, none of them first (IT-7.32, IT-7.33)."""
    found: list[tuple[object, list[str]]] = [({"level": "none"}, ["none"])]
    # A Solo has no pick-up, before or after which a contra could come.
    stages = (BEFORE, AFTER) if row.exchange else (None,)
    for level, stage in product(CONTRA_LEVELS[1:], stages):
        result = ResultReported(_DECLARER, row.id, contra_level=level, contra_stage=stage)
        if _passes(check_game_contra, hand, result, row):
            place = {} if stage is None else {"stage": stage}
            found.append(({"level": level, **place}, [level, *place.values()]))
    return found


def _ways(hand: Hand, row: Contract, bonus: str) -> list[Way]:
    """The stages at which a bonus of that contract exists, each with what is to be told of it."""
    stages = (BEFORE, AFTER) if row.exchange else (str(hand.variant.rulings["solo_stage"]),)
    ways = [_way(hand, row, bonus, stage) for stage in (*stages, SILENT)]
    return [way for way in ways if way is not None]


def _way(hand: Hand, row: Contract, bonus: str, stage: str) -> Way | None:
    """What is told of a bonus at a stage; None where it does not exist there."""

    def passes(seat: int, made: bool, contra: str = "none") -> bool:
        claim = ReportedBonus(bonus, seat, stage, made, contra)
        return _passes(check_bonus, hand, ResultReported(_DECLARER, row.id), row, claim, ())

    # A Pagat that was captured in the last trick is a silent one that was not made (IT-7.20).
    may_fail = stage != SILENT or bonus == "pagat"
    seats = [seat for seat in _SEATS if passes(seat, True) or (may_fail and passes(seat, False))]
    if not seats:
        return None
    fields = [player("player", "anyone" if len(seats) > 1 else "declarer")]
    if may_fail:
        fields.append(MADE)
    levels = [level for level in CONTRA_LEVELS if passes(seats[0], True, level)]
    if len(levels) > 1:
        fields.append(named("contra", levels))
    return Way(stage, {"stage": stage} if may_fail else {"stage": stage, "made": True}, fields)


def _passes(check: Callable[..., None], *facts: object) -> bool:
    try:
        check(*facts)
    except InconsistentResult:
        return False
    return True
