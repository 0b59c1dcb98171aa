"""Results of Illustrated Tarock: facts that cannot be true together are refused (IT-12.4)."""

from __future__ import annotations

from collections import Counter

from trull.announcements import HAND_BONUSES, SILENT, may_be_claimed, value_stage
from trull.errors import counted, named
from trull.events import ReportedBonus, ResultReported
from trull.model import Bonus, Contract
from trull.results import Path, contract_of, refuse
from trull.state import Hand

_CLAUSE = "IT-12.4"


def check(hand: Hand, result: ResultReported) -> None:
    """Refuse a result of Illustrated Tarock that no hand can have."""
    if result.oudlers is not None or result.partner is not None:
        field = "oudlers" if result.oudlers is not None else "partner"
        raise refuse(_CLAUSE, f"Illustrated Tarock has no {field}.", field)
    if result.contract == "trischaken":
        _check_trischaken(hand, result)
        return
    row = contract_of(hand, result, _CLAUSE)
    if result.stake not in row.stakes:
        raise refuse(_CLAUSE, f"{row.id} cannot be {result.stake} under {hand.variant.id}.", "stake")
    assert result.half_points is not None
    points, half = divmod(result.half_points, 2)
    if half or not 0 <= points <= 70:
        raise refuse(_CLAUSE, "Card points are whole numbers from 0 to 70.", "card_points")
    check_game_contra(hand, result, row)
    for place, bonus in enumerate(result.bonuses):
        check_bonus(hand, result, row, bonus, ("bonuses", place))
    _check_together(hand, result, row, points)
    _check_valat(result, row, points)


def _check_trischaken(hand: Hand, result: ResultReported) -> None:
    """Trischaken: whole points of 48 cards and sixteen tricks (IT-8.6)."""
    if hand.variant.rulings["pass_out"] != "trischaken":
        raise refuse(_CLAUSE, f"{hand.variant.id} has no Trischaken.", "contract")
    if result.bonuses or result.contra_level != "none" or result.stake != "called":
        field = "bonuses" if result.bonuses else "stake" if result.stake != "called" else "contra"
        raise refuse(_CLAUSE, f"Trischaken has no {field}.", field)
    points, tricks = result.points_by_seat, result.tricks_by_seat
    assert points is not None
    assert tricks is not None
    if sum(tricks) != 16:
        raise refuse(
            _CLAUSE, f"The tricks of a Trischaken add up to 16, not to {sum(tricks)}.", "tricks_by_player"
        )
    for seat, (pile, count) in enumerate(zip(points, tricks, strict=True)):
        # A trick of three cards is worth 1 to 13 points.
        if not count <= pile <= 13 * count:
            name = "card_points_by_player"
            raise refuse(
                _CLAUSE,
                f"{counted(count, 'trick')} of {named(seat)} cannot be worth {counted(pile, 'point')}.",
                name,
            )
    # The six cards of the talon, out of play, are worth 26 points at most.
    if not 44 <= sum(points) <= 70:
        raise refuse(
            _CLAUSE, f"48 cards are worth 44 to 70 points, not {sum(points)}.", "card_points_by_player"
        )


def check_game_contra(hand: Hand, result: ResultReported, row: Contract) -> None:
    """The contra to the game: its level and stage exist (IT-7.32, IT-7.33)."""
    if result.contra_level == "none":
        return
    allowed = hand.variant.rulings["game_contra"]
    if allowed != "never" and row.exchange and result.contra_stage is None:
        stages = "before_pickup or after_pickup"
        raise refuse(_CLAUSE, f"A contra to the game says its stage: {stages}.", "contra", "stage")
    early = result.contra_stage == "before_pickup" and bool(row.exchange)
    if allowed == "never" or (early and allowed == "after_pickup"):
        raise refuse(
            _CLAUSE, f"{hand.variant.id} has no contra to the game at that stage.", "contra", "stage"
        )
    if result.contra_level == "recontra" and not hand.variant.rulings["recontra"]:
        raise refuse(_CLAUSE, f"{hand.variant.id} has no recontra.", "contra", "level")


def check_bonus(hand: Hand, result: ResultReported, row: Contract, bonus: ReportedBonus, at: Path) -> None:
    """One bonus: it exists, at that stage, for that player, answered in a way that exists."""
    known = hand.variant.bonuses.get(bonus.bonus)
    if known is None:
        raise refuse(_CLAUSE, f"{hand.variant.id} has no bonus {bonus.bonus}.", *at, "bonus")
    if bonus.size is not None or bonus.announced is not None:
        field = "size" if bonus.size is not None else "announced"
        raise refuse(_CLAUSE, f"{known.id} has no {field}.", *at, field)
    if bonus.stage is None or bonus.made is None:
        missing = "stage" if bonus.stage is None else "made"
        raise refuse(_CLAUSE, f"A bonus says its {missing}.", *at, missing)
    by_declarer = bonus.seat is None or bonus.seat == result.declarer
    if bonus.stage == SILENT:
        _check_silent(known, bonus, by_declarer, at)
        return
    claimed = may_be_claimed(hand.variant, known.id)
    if not claimed and value_stage(known, bonus.stage, solo=not row.exchange) is None:
        raise refuse(_CLAUSE, f"{known.id} is not announced at that stage.", *at, "stage")
    if not claimed and known.announced_by == "declarer" and not by_declarer:
        raise refuse(_CLAUSE, f"Only the declarer announces {known.id}.", *at, "player")
    if claimed and bonus.contra != "none":
        raise refuse(_CLAUSE, "A hand bonus cannot be contra'd.", *at, "contra")
    if bonus.contra == "recontra" and not hand.variant.rulings["recontra"]:
        raise refuse(_CLAUSE, f"{hand.variant.id} has no recontra.", *at, "contra")


def _check_silent(known: Bonus, bonus: ReportedBonus, by_declarer: bool, at: Path) -> None:
    """A silent bonus has a silent value for that player, and is never contra'd (IT-7.30)."""
    captured = known.id == "pagat" and not bonus.made
    if "silent" not in known.values:
        raise refuse(_CLAUSE, f"{known.id} is never silent.", *at, "stage")
    if known.silent_by == "declarer" and not by_declarer and not captured:
        raise refuse(_CLAUSE, f"Only the declarer earns {known.id} silently.", *at, "player")
    if bonus.contra != "none":
        raise refuse(_CLAUSE, "A silent bonus cannot be contra'd.", *at, "contra")


_HONOURS_OF = {"tarock_trull": 3, "two_honours": 2}


def _check_together(hand: Hand, result: ResultReported, row: Contract, points: int) -> None:
    """What one hand cannot show at once: made and failed against the points, four honours, two Pagats."""
    seen: set[tuple[str, int | None]] = set()
    made = Counter(bonus.bonus for bonus in result.bonuses if bonus.made)
    honours = 0
    for place, bonus in enumerate(result.bonuses):
        at: Path = ("bonuses", place)
        seat = result.declarer if bonus.seat is None else bonus.seat
        if (bonus.bonus, seat) in seen:
            raise refuse(_CLAUSE, f"{bonus.bonus} is there twice for one player.", *at)
        seen.add((bonus.bonus, seat))
        wrong = _against_points(bonus, points)
        if wrong:
            raise refuse(_CLAUSE, wrong, *at, "made")
        if bonus.bonus in HAND_BONUSES and bonus.made:
            honours += _HONOURS_OF.get(bonus.bonus, 0)
            without = _excluded(hand, row, bonus.bonus)
            if seat == result.declarer and made[without]:
                raise refuse(_CLAUSE, f"{bonus.bonus} and {without} exclude each other.", *at)
        if honours > 3:
            raise refuse(_CLAUSE, "There are three honours in the pack.", *at)
    for bird in ("pagat", "uhu", "royal_trull"):
        if made[bird] > 1:
            raise refuse(_CLAUSE, f"{bird} is made by one player only.", "bonuses")
    birds = sum(
        bonus.bonus == "pagat" and (bool(bonus.made) or bonus.stage == SILENT) for bonus in result.bonuses
    )
    if birds > 1:
        raise refuse(_CLAUSE, "The Pagat falls into the last trick once.", "bonuses")


def _excluded(hand: Hand, row: Contract, bonus: str) -> str:
    """The ``without_…`` that a hand bonus of the declarer excludes, or nothing.

    Where the opening hand is read as dealt and the hand bonus before play, the cards may have come
    with the talon, as far as the contract takes as many (IT-10.5, IT-10.6).
    """
    rulings = hand.variant.rulings
    if bonus == "royal_trull" and rulings["royal_trull"] == "four_kings":
        return "without_kings"
    from_talon = rulings["without_basis"] == "dealt" and rulings["hand_bonus_basis"] == "before_play"
    return "" if from_talon and row.exchange >= _HONOURS_OF.get(bonus, 3) else "without_trull"


def _against_points(bonus: ReportedBonus, points: int) -> str | None:
    """What the card points say against a bonus (IT-7.12 to IT-7.15)."""
    least = {"forty": 40, "fifty": 50}.get(bonus.bonus)
    if least is not None and bonus.made != (points >= least):
        return f"{bonus.bonus} is made with {least} card points or more: there are {points}."
    if bonus.bonus in ("without_trull", "without_kings", "valat") and bonus.made and points < 36:
        return f"{bonus.bonus} is made in a won game only: {points} card points lose."
    return None


_UNTAKEN_AT_MOST = {3: 13, 4: 17, 5: 22, 6: 26}
"""The most card points, rounded, that the talon cards left to the defenders can be worth."""


def _check_valat(result: ResultReported, row: Contract, points: int) -> None:
    """Every trick for the declarer leaves the defenders the untaken talon and no bird (IT-7.19)."""
    if not any(bonus.bonus == "valat" and bonus.made for bonus in result.bonuses):
        return
    if 70 - points > _UNTAKEN_AT_MOST[6 - row.exchange]:
        raise refuse(
            _CLAUSE,
            f"With every trick the declarer has more than {counted(points, 'card point')}.",
            "card_points",
        )
    for place, bonus in enumerate(result.bonuses):
        theirs = bonus.seat not in (None, result.declarer)
        if bonus.bonus in ("pagat", "uhu") and theirs and bonus.made:
            raise refuse(
                _CLAUSE, f"{bonus.bonus} of a defender and a valat exclude each other.", "bonuses", place
            )
