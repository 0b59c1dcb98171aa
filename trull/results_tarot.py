"""Results of French Tarot: facts that cannot be true together are refused (FT-9.4)."""

from __future__ import annotations

from collections.abc import Callable

from trull.errors import counted
from trull.events import ReportedBonus, ResultReported
from trull.model import Contract
from trull.price_tarot import NEEDED
from trull.results import Path, contract_of, refuse
from trull.state import Hand

_CLAUSE = "FT-9.4"
_ALL = 182
_OUDLER = 9
_SLAMS = ((_ALL, 3), (_ALL - _OUDLER + 1, 2))
"""Half points and oudlers of a side with every trick and the chien; the Excuse costs half a point to keep."""


def check(hand: Hand, result: ResultReported) -> None:
    """Refuse a result of French Tarot that no hand can have."""
    row = contract_of(hand, result, _CLAUSE)
    if result.stake != "called":
        raise refuse(_CLAUSE, "French Tarot knows no other stake than called.", "stake")
    if result.contra_level != "none":
        raise refuse(_CLAUSE, "French Tarot knows no contra.", "contra", "level")
    calls = hand.variant.game.deals[hand.seats].calls_king
    if calls != (result.partner is not None):
        wanted = (
            "With five players the called partner is named." if calls else "Only five players have a partner."
        )
        raise refuse(_CLAUSE, wanted, "partner")
    if result.oudlers is None:
        raise refuse(_CLAUSE, "The number of oudlers is named.", "oudlers")
    _check_halves(hand, result)
    _check_bonuses(hand, result, row)


def _check_halves(hand: Hand, result: ResultReported) -> None:
    """Card points in range, whole with four players, and enough for the oudlers (FT-1.2, FT-1.3, FT-5.7)."""
    halves, oudlers = result.half_points, result.oudlers
    assert halves is not None
    assert oudlers is not None
    if not 0 <= halves <= _ALL:
        raise refuse(_CLAUSE, "Card points go from 0 to 91.", "card_points")
    if hand.seats == 4 and halves & 1:
        raise refuse(_CLAUSE, "Four players always have whole card points.", "card_points")
    # The Excuse is kept against half a point: by the other side, or as all that this side has.
    if halves < oudlers * _OUDLER - (oudlers == 1) or halves > _ALL - (3 - oudlers) * _OUDLER + (oudlers < 3):
        raise refuse(
            _CLAUSE, f"{halves / 2:g} card points do not go with {counted(oudlers, 'oudler')}.", "oudlers"
        )


def _check_bonuses(hand: Hand, result: ResultReported, row: Contract) -> None:
    """Each bonus by its kind, and none of one kind twice."""
    checks: dict[str, Callable[[Hand, ResultReported, ReportedBonus, Path], None]] = {
        "petit_au_bout": _check_petit,
        "handful": _check_handful,
        "slam": _check_slam,
    }
    seen: set[tuple[str, int | None]] = set()
    shown = 0
    for place, bonus in enumerate(result.bonuses):
        at: Path = ("bonuses", place)
        if bonus.bonus not in checks or bonus.bonus not in hand.variant.bonuses:
            raise refuse(_CLAUSE, f"{hand.variant.id} has no bonus {bonus.bonus}.", *at, "bonus")
        if bonus.stage == "before_pickup":
            raise refuse(_CLAUSE, "French Tarot announces after the discard only.", *at, "stage")
        if bonus.contra != "none":
            raise refuse(_CLAUSE, "French Tarot knows no contra.", *at, "contra")
        key = (bonus.bonus, bonus.seat if bonus.bonus == "handful" else None)
        if key in seen:
            raise refuse(_CLAUSE, f"{bonus.bonus} is there twice.", *at)
        seen.add(key)
        checks[bonus.bonus](hand, result, bonus, at)
        if bonus.bonus == "handful":
            assert bonus.size is not None
            shown += hand.variant.bonuses["handful"].shown[bonus.size]
        if shown > 22:
            raise refuse(_CLAUSE, "More trumps are shown than there are.", *at, "size")


def _takers(result: ResultReported, seat: int | None) -> bool:
    return seat in (result.declarer, result.partner)


def _check_petit(hand: Hand, result: ResultReported, bonus: ReportedBonus, at: Path) -> None:
    """A Petit au bout names who won it (FT-6.2)."""
    if bonus.seat is None:
        raise refuse(_CLAUSE, "Who won the last trick is named.", *at, "player")
    if bonus.made is False:
        raise refuse(_CLAUSE, "A Petit au bout is won by the player named.", *at, "made")


def _check_handful(hand: Hand, result: ResultReported, bonus: ReportedBonus, at: Path) -> None:
    """A handful has its player and its size (FT-6.3)."""
    if bonus.seat is None or bonus.size is None:
        missing = "player" if bonus.seat is None else "size"
        raise refuse(_CLAUSE, f"A handful names its {missing}.", *at, missing)
    if bonus.made is False:
        raise refuse(_CLAUSE, "A handful is shown or not there.", *at, "made")


def _check_slam(hand: Hand, result: ResultReported, bonus: ReportedBonus, at: Path) -> None:
    """A slam goes with the points: 91, or 87 where the Excuse stays away (FT-5.7, FT-6.4, FT-6.5)."""
    if bonus.made is None:
        raise refuse(_CLAUSE, "A slam is made or not.", *at, "made")
    if not bonus.made:
        return
    halves, oudlers = result.half_points, result.oudlers
    assert halves is not None
    assert oudlers is not None
    lost = halves < 2 * NEEDED[oudlers]
    by_takers = bonus.seat is None or _takers(result, bonus.seat)
    if by_takers == lost:
        raise refuse(_CLAUSE, "A slam wins the deal for its side.", *at, "made")
    row = hand.variant.contracts[result.contract]
    chien_is_ours = bool(row.exchange) or row.untaken_to == "declarer"
    if by_takers and chien_is_ours and (halves, oudlers) not in _SLAMS:
        raise refuse(
            _CLAUSE, "With every trick there are 91 card points, or 87 without the Excuse.", "card_points"
        )
