"""Results of a score sheet: facts that cannot be true together are refused (IT-12.4, FT-9.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from trull.announcements import HAND_BONUSES, SILENT, may_be_claimed, value_stage
from trull.errors import InconsistentResult
from trull.events import ReportedBonus, ResultReported
from trull.model import Bonus, Contract
from trull.price_tarot import NEEDED
from trull.state import Hand

Path = tuple[str | int, ...]


def _refuse(clause: str, detail: str, *path: str | int) -> InconsistentResult:
    return InconsistentResult(detail, clause, path)


# --- Illustrated Tarock ------------------------------------------------------------------------

_TAROCK = "IT-12.4"


def check_tarock(hand: Hand, result: ResultReported) -> None:
    """Refuse a result of Illustrated Tarock that no hand can have."""
    if result.oudlers is not None or result.partner is not None:
        field = "oudlers" if result.oudlers is not None else "partner"
        raise _refuse(_TAROCK, f"Illustrated Tarock has no {field}", field)
    if result.contract == "trischaken":
        _check_trischaken(hand, result)
        return
    row = _contract(hand, result, _TAROCK)
    if result.stake not in row.stakes:
        raise _refuse(_TAROCK, f"{row.id} cannot be {result.stake} under {hand.variant.id}", "stake")
    assert result.half_points is not None
    points, half = divmod(result.half_points, 2)
    if half or not 0 <= points <= 70:
        raise _refuse(_TAROCK, "card points are whole numbers from 0 to 70", "card_points")
    _check_game_contra(hand, result, row)
    for place, bonus in enumerate(result.bonuses):
        _check_bonus(hand, result, row, bonus, ("bonuses", place))
    _check_together(result, points)
    _check_valat(result, row, points)


def _check_trischaken(hand: Hand, result: ResultReported) -> None:
    """Trischaken: whole points of 48 cards and sixteen tricks (IT-8.6)."""
    if hand.variant.rulings["pass_out"] != "trischaken":
        raise _refuse(_TAROCK, f"{hand.variant.id} has no Trischaken", "contract")
    points, tricks = result.points_by_seat, result.tricks_by_seat
    assert points is not None
    assert tricks is not None
    if sum(tricks) != 16:
        raise _refuse(_TAROCK, "the tricks of a Trischaken add up to 16", "tricks_by_player")
    for seat, (pile, count) in enumerate(zip(points, tricks, strict=True)):
        # A trick of three cards is worth 1 to 13 points.
        if not count <= pile <= 13 * count:
            name = "card_points_by_player"
            raise _refuse(_TAROCK, f"{count} tricks cannot be worth {pile} points (seat {seat} from 0)", name)
    # The six cards of the talon, out of play, are worth 26 points at most.
    if not 44 <= sum(points) <= 70:
        raise _refuse(_TAROCK, "48 cards are worth 44 to 70 points", "card_points_by_player")


def _contract(hand: Hand, result: ResultReported, clause: str) -> Contract:
    row = hand.variant.contracts.get(result.contract)
    if row is None:
        raise _refuse(clause, f"{hand.variant.id} has no contract {result.contract}", "contract")
    if result.declarer is None or result.half_points is None:
        missing = "declarer" if result.declarer is None else "card_points"
        raise _refuse(clause, f"a result of {row.id} names its {missing}", missing)
    if result.points_by_seat is not None or result.tricks_by_seat is not None:
        raise _refuse(clause, "points and tricks by player belong to Trischaken", "contract")
    return row


def _check_game_contra(hand: Hand, result: ResultReported, row: Contract) -> None:
    """The contra to the game: its level and stage exist (IT-7.32, IT-7.33)."""
    if result.contra_level == "none":
        return
    allowed = hand.variant.rulings["game_contra"]
    early = result.contra_stage == "before_pickup" and bool(row.exchange)
    if allowed == "never" or (early and allowed == "after_pickup"):
        raise _refuse(
            _TAROCK, f"{hand.variant.id} has no contra to the game at that stage", "contra", "stage"
        )
    if result.contra_level == "recontra" and not hand.variant.rulings["recontra"]:
        raise _refuse(_TAROCK, f"{hand.variant.id} has no recontra", "contra", "level")


def _check_bonus(hand: Hand, result: ResultReported, row: Contract, bonus: ReportedBonus, at: Path) -> None:
    """One bonus: it exists, at that stage, for that player, answered in a way that exists."""
    known = hand.variant.bonuses.get(bonus.bonus)
    if known is None:
        raise _refuse(_TAROCK, f"{hand.variant.id} has no bonus {bonus.bonus}", *at, "bonus")
    if bonus.size is not None or bonus.announced is not None:
        field = "size" if bonus.size is not None else "announced"
        raise _refuse(_TAROCK, f"{known.id} has no {field}", *at, field)
    if bonus.stage is None or bonus.made is None:
        missing = "stage" if bonus.stage is None else "made"
        raise _refuse(_TAROCK, f"a bonus says its {missing}", *at, missing)
    by_declarer = bonus.seat is None or bonus.seat == result.declarer
    if bonus.stage == SILENT:
        _check_silent(known, bonus, by_declarer, at)
        return
    claimed = may_be_claimed(hand.variant, known.id)
    if not claimed and value_stage(known, bonus.stage, solo=not row.exchange) is None:
        raise _refuse(_TAROCK, f"{known.id} is not announced at that stage", *at, "stage")
    if not claimed and known.announced_by == "declarer" and not by_declarer:
        raise _refuse(_TAROCK, f"only the declarer announces {known.id}", *at, "player")
    if bonus.contra == "recontra" and not hand.variant.rulings["recontra"]:
        raise _refuse(_TAROCK, f"{hand.variant.id} has no recontra", *at, "contra")


def _check_silent(known: Bonus, bonus: ReportedBonus, by_declarer: bool, at: Path) -> None:
    """A silent bonus has a silent value for that player, and is never contra'd (IT-7.30)."""
    captured = known.id == "pagat" and not bonus.made
    if "silent" not in known.values:
        raise _refuse(_TAROCK, f"{known.id} is never silent", *at, "stage")
    if known.silent_by == "declarer" and not by_declarer and not captured:
        raise _refuse(_TAROCK, f"only the declarer earns {known.id} silently", *at, "player")
    if bonus.contra != "none":
        raise _refuse(_TAROCK, "a silent bonus cannot be contra'd", *at, "contra")


_HONOURS_OF = {"tarock_trull": 3, "two_honours": 2}


def _check_together(result: ResultReported, points: int) -> None:
    """What one hand cannot show at once: made and failed against the points, four honours, two Pagats."""
    seen: set[tuple[str, int | None]] = set()
    made = Counter(bonus.bonus for bonus in result.bonuses if bonus.made)
    honours = 0
    for place, bonus in enumerate(result.bonuses):
        at: Path = ("bonuses", place)
        seat = result.declarer if bonus.seat is None else bonus.seat
        if (bonus.bonus, seat) in seen:
            raise _refuse(_TAROCK, f"{bonus.bonus} is there twice for one player", *at)
        seen.add((bonus.bonus, seat))
        wrong = _against_points(bonus, points)
        if wrong:
            raise _refuse(_TAROCK, wrong, *at, "made")
        if bonus.bonus in HAND_BONUSES and bonus.made:
            honours += _HONOURS_OF.get(bonus.bonus, 0)
            held = {
                "tarock_trull": "without_trull",
                "two_honours": "without_trull",
                "royal_trull": "without_kings",
            }
            if seat == result.declarer and made[held[bonus.bonus]]:
                raise _refuse(_TAROCK, f"{bonus.bonus} and {held[bonus.bonus]} exclude each other", *at)
        if honours > 3:
            raise _refuse(_TAROCK, "there are three honours in the pack", *at)
    for bird in ("pagat", "uhu", "royal_trull"):
        if made[bird] > 1:
            raise _refuse(_TAROCK, f"{bird} is made by one player only", "bonuses")
    birds = sum(
        bonus.bonus == "pagat" and (bool(bonus.made) or bonus.stage == SILENT) for bonus in result.bonuses
    )
    if birds > 1:
        raise _refuse(_TAROCK, "the Pagat falls into the last trick once", "bonuses")


def _against_points(bonus: ReportedBonus, points: int) -> str | None:
    """What the card points say against a bonus (IT-7.12 to IT-7.15)."""
    least = {"forty": 40, "fifty": 50}.get(bonus.bonus)
    if least is not None and bonus.made != (points >= least):
        return f"{bonus.bonus} is made with {least} card points or more: there are {points}"
    if bonus.bonus in ("without_trull", "without_kings", "valat") and bonus.made and points < 36:
        return f"{bonus.bonus} is made in a won game only: {points} card points lose"
    return None


_UNTAKEN_AT_MOST = {3: 13, 4: 17, 5: 22, 6: 26}
"""The most card points, rounded, that the talon cards left to the defenders can be worth."""


def _check_valat(result: ResultReported, row: Contract, points: int) -> None:
    """Every trick for the declarer leaves the defenders the untaken talon and no bird (IT-7.19)."""
    if not any(bonus.bonus == "valat" and bonus.made for bonus in result.bonuses):
        return
    if 70 - points > _UNTAKEN_AT_MOST[6 - row.exchange]:
        raise _refuse(
            _TAROCK, f"with every trick the declarer has more than {points} card points", "card_points"
        )
    for place, bonus in enumerate(result.bonuses):
        theirs = bonus.seat not in (None, result.declarer)
        if bonus.bonus in ("pagat", "uhu") and theirs and bonus.made:
            raise _refuse(
                _TAROCK, f"{bonus.bonus} of a defender and a valat exclude each other", "bonuses", place
            )


# --- French Tarot ------------------------------------------------------------------------------

_TAROT = "FT-9.4"
_ALL = 182
_OUDLER = 9


def check_tarot(hand: Hand, result: ResultReported) -> None:
    """Refuse a result of French Tarot that no hand can have."""
    row = _contract(hand, result, _TAROT)
    if result.stake != "called":
        raise _refuse(_TAROT, "French Tarot knows no other stake than called", "stake")
    if result.contra_level != "none":
        raise _refuse(_TAROT, "French Tarot knows no contra", "contra", "level")
    calls = hand.variant.game.deals[hand.seats].calls_king
    if calls != (result.partner is not None):
        wanted = (
            "with five players the called partner is named" if calls else "only five players have a partner"
        )
        raise _refuse(_TAROT, wanted, "partner")
    if result.oudlers is None:
        raise _refuse(_TAROT, "the number of oudlers is named", "oudlers")
    _check_halves(hand, result)
    _check_bonuses(hand, result, row)


def _check_halves(hand: Hand, result: ResultReported) -> None:
    """Card points in range, whole with four players, and enough for the oudlers (FT-1.2, FT-1.3, FT-5.7)."""
    halves, oudlers = result.half_points, result.oudlers
    assert halves is not None
    assert oudlers is not None
    if not 0 <= halves <= _ALL:
        raise _refuse(_TAROT, "card points go from 0 to 91", "card_points")
    if hand.seats == 4 and halves & 1:
        raise _refuse(_TAROT, "four players always have whole card points", "card_points")
    # An oudler of the other side is at least the Excuse, kept against half a point.
    if halves < oudlers * _OUDLER or halves > _ALL - (3 - oudlers) * _OUDLER + (oudlers < 3):
        raise _refuse(_TAROT, f"{oudlers} oudlers do not go with {halves / 2:g} card points", "oudlers")


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
            raise _refuse(_TAROT, f"{hand.variant.id} has no bonus {bonus.bonus}", *at, "bonus")
        if bonus.stage == "before_pickup":
            raise _refuse(_TAROT, "French Tarot announces after the discard only", *at, "stage")
        if bonus.contra != "none":
            raise _refuse(_TAROT, "French Tarot knows no contra", *at, "contra")
        key = (bonus.bonus, bonus.seat if bonus.bonus == "handful" else None)
        if key in seen:
            raise _refuse(_TAROT, f"{bonus.bonus} is there twice", *at)
        seen.add(key)
        checks[bonus.bonus](hand, result, bonus, at)
        if bonus.bonus == "handful":
            assert bonus.size is not None
            shown += hand.variant.bonuses["handful"].shown[bonus.size]
        if shown > 22:
            raise _refuse(_TAROT, "more trumps are shown than there are", *at, "size")


def _takers(result: ResultReported, seat: int | None) -> bool:
    return seat in (result.declarer, result.partner)


def _check_petit(hand: Hand, result: ResultReported, bonus: ReportedBonus, at: Path) -> None:
    """A Petit au bout names who won it (FT-6.2)."""
    if bonus.seat is None:
        raise _refuse(_TAROT, "who won the last trick is named", *at, "player")
    if bonus.made is False:
        raise _refuse(_TAROT, "a Petit au bout is won by the player named", *at, "made")


def _check_handful(hand: Hand, result: ResultReported, bonus: ReportedBonus, at: Path) -> None:
    """A handful has its player and its size (FT-6.3)."""
    if bonus.seat is None or bonus.size is None:
        missing = "player" if bonus.seat is None else "size"
        raise _refuse(_TAROT, f"a handful names its {missing}", *at, missing)
    if bonus.made is False:
        raise _refuse(_TAROT, "a handful is shown or not there", *at, "made")


def _check_slam(hand: Hand, result: ResultReported, bonus: ReportedBonus, at: Path) -> None:
    """A slam goes with the points: 91, or 87 where the Excuse stays away (FT-5.7, FT-6.4, FT-6.5)."""
    if bonus.made is None:
        raise _refuse(_TAROT, "a slam is made or not", *at, "made")
    if not bonus.made:
        return
    halves, oudlers = result.half_points, result.oudlers
    assert halves is not None
    assert oudlers is not None
    lost = halves < 2 * NEEDED[oudlers]
    by_takers = bonus.seat is None or _takers(result, bonus.seat)
    if by_takers == lost:
        raise _refuse(_TAROT, "a slam wins the deal for its side", *at, "made")
