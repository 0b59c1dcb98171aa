"""Bonuses announced and answered: who may, at which stage, how often (IT-7.21 to IT-7.35, FT-4)."""

from __future__ import annotations

from trull.cards import BIT, CODES, FOOL
from trull.errors import CardNotHeld, EventOutOfPlace, IllegalAnnouncement, IllegalContra, any_of, named
from trull.events import Announced, ContraCalled
from trull.model import Bonus, Variant
from trull.state import PLAY, TALON, Hand

BEFORE = "before_pickup"
AFTER = "after_pickup"
SILENT = "silent"
VALUE_AT = {BEFORE: "before", AFTER: "after", SILENT: "silent"}
"""The column of a bonus row by the wire's name of a stage."""

HAND_BONUSES = ("tarock_trull", "royal_trull", "two_honours")

CONTRA = 1
RECONTRA = 2


# --- Illustrated Tarock ------------------------------------------------------------------------


def stage_of(hand: Hand) -> str:
    """The stage that the hand is at; in a Solo, which has no pick-up, the one ruled (IT-7.22)."""
    if hand.phase == TALON:
        return BEFORE
    assert hand.contract is not None
    return AFTER if hand.contract.exchange else str(hand.variant.rulings["solo_stage"])


def open_for_announcements(hand: Hand) -> bool:
    """Whether the hand is at a place where bonuses are announced and answered (IT-7.35)."""
    return hand.phase == TALON or (hand.phase == PLAY and hand.nothing_played)


def value_stage(row: Bonus, stage: str, solo: bool) -> str | None:
    """The column at which an announcement counts, if it has one (IT-7.22)."""
    column = VALUE_AT[stage]
    if column in row.values:
        return column
    if solo:
        other = "before" if column == "after" else "after"
        return other if other in row.values else None
    return None


def may_be_claimed(variant: Variant, bonus: str) -> bool:
    """Hand bonuses are announced only where they must be claimed (ruling ``hand_bonuses``, IT-7.24)."""
    return bonus in HAND_BONUSES and variant.rulings["hand_bonuses"] == "claimed"


def announce(hand: Hand, event: Announced) -> None:
    """A bonus is announced (IT-7.21)."""
    if not open_for_announcements(hand):
        raise EventOutOfPlace(
            "Bonuses are announced before the talon is taken, or after the discard.", "IT-7.35"
        )
    stage = stage_of(hand) if not hand.trischaken else AFTER
    row = _announceable(hand, event, stage)
    if event.stage is not None and event.stage != stage:
        detail = f"This announcement comes {_words(stage)}, so its stage is {stage}."
        raise IllegalAnnouncement(detail, "IT-7.21", ("stage",))
    if (event.seat, row.id) in hand.announced:
        raise IllegalAnnouncement(f"{row.id} is announced already.", "IT-7.21", ("bonus",))
    hand.announced[event.seat, row.id] = (stage, ())


def _announceable(hand: Hand, event: Announced, stage: str) -> Bonus:
    """The row of a bonus that this player may announce at this stage, or a refusal."""
    if hand.trischaken:
        raise IllegalAnnouncement("There are no bonuses in Trischaken.", "IT-8.4", ("bonus",))
    row = hand.variant.bonuses.get(event.bonus)
    if row is None:
        raise IllegalAnnouncement(f"{hand.variant.id} has no bonus {event.bonus}.", "IT-7.21", ("bonus",))
    if event.cards:
        raise IllegalAnnouncement("No cards are shown for a bonus of this game.", "IT-7.21", ("cards",))
    if may_be_claimed(hand.variant, row.id):
        return row
    if not row.announceable:
        raise IllegalAnnouncement(f"{row.id} is never announced.", "IT-7.21", ("bonus",))
    if row.announced_by == "declarer" and event.seat != hand.declarer:
        raise IllegalAnnouncement(f"Only the declarer announces {row.id}.", "IT-7.21", ("player",))
    assert hand.contract is not None
    if value_stage(row, stage, solo=not hand.contract.exchange) is None:
        raise IllegalAnnouncement(f"{row.id} is not announced {_words(stage)}.", "IT-7.21", ("bonus",))
    return row


def _words(stage: str) -> str:
    return "before pick-up" if stage == BEFORE else "after pick-up"


def call_contra(hand: Hand, event: ContraCalled) -> None:
    """A contra or recontra to the game or to an announcement (IT-7.30 to IT-7.35)."""
    if not open_for_announcements(hand):
        raise EventOutOfPlace("Contra is called before the talon is taken, or after the discard.", "IT-7.35")
    if hand.trischaken:
        raise IllegalContra("There is no contra in Trischaken.", "IT-8.4")
    if event.level == "recontra" and not hand.variant.rulings["recontra"]:
        raise IllegalContra(f"{hand.variant.id} has no recontra.", "IT-7.32", ("level",))
    if event.target == "game":
        _contra_game(hand, event)
    else:
        _contra_bonus(hand, event)


def _contra_game(hand: Hand, event: ContraCalled) -> None:
    """The game is contra'd once, at a stage that the ruling ``game_contra`` allows (IT-7.33)."""
    stage = stage_of(hand)
    by_declarer = event.seat == hand.declarer
    if event.level == "recontra":
        if not by_declarer or hand.game_contra != (stage, CONTRA):
            raise IllegalContra(
                "The declarer answers a contra of the same stage, once.", "IT-7.32", ("level",)
            )
        hand.game_contra = (stage, RECONTRA)
        return
    assert hand.contract is not None
    allowed = hand.variant.rulings["game_contra"]
    too_early = allowed == "after_pickup" and stage == BEFORE and hand.contract.exchange
    if allowed == "never" or too_early:
        raise IllegalContra(f"The game is not contra'd {_words(stage)}.", "IT-7.33", ("target",))
    if by_declarer:
        raise IllegalContra("A contra is for the other side's game.", "IT-7.30", ("player",))
    if hand.game_contra is not None:
        raise IllegalContra("The game is contra'd already.", "IT-7.34", ("target",))
    hand.game_contra = (stage, CONTRA)


def _contra_bonus(hand: Hand, event: ContraCalled) -> None:
    """Every announcement of the bonus by the other side at this stage is answered (IT-7.30)."""
    if event.target in HAND_BONUSES:
        raise IllegalContra("A hand bonus cannot be contra'd.", "IT-7.30", ("target",))
    stage = stage_of(hand)
    by_declarer = event.seat == hand.declarer
    theirs = by_declarer if event.level == "recontra" else not by_declarer
    answers = any(
        bonus == event.target and at == stage and (seat == hand.declarer) == theirs
        for (seat, bonus), (at, _) in hand.announced.items()
    )
    if not answers:
        raise IllegalContra(
            f"There is no {event.target} of the other side to answer at this stage.", "IT-7.30", ("target",)
        )
    level = hand.contras.get((event.target, stage, theirs), 0)
    if event.level == "recontra":
        if level != CONTRA:
            raise IllegalContra(
                f"{event.target} is not contra'd, or answered already.", "IT-7.32", ("level",)
            )
    elif level:
        raise IllegalContra(f"{event.target} is contra'd already.", "IT-7.34", ("target",))
    hand.contras[event.target, stage, theirs] = RECONTRA if event.level == "recontra" else CONTRA


# --- French Tarot ------------------------------------------------------------------------------


def announce_tarot(hand: Hand, event: Announced) -> None:
    """A slam or a handful, from the discard to the player's first card (FT-4.1, FT-4.3)."""
    if hand.phase != PLAY:
        raise EventOutOfPlace("Announcements come between the discard and the first cards.", "FT-4.1")
    for place, card in enumerate(event.cards):
        if hand.held is not None and not BIT[card] & hand.held[event.seat]:
            raise CardNotHeld(
                f"{named(event.seat, first=True)} does not hold {CODES[card]}.", "FT-4.4", ("cards", place)
            )
    if event.bonus == "slam":
        _announce_slam(hand, event)
    elif event.bonus == "handful":
        _announce_handful(hand, event)
    else:
        raise IllegalAnnouncement(f"{event.bonus} is not announced in French Tarot.", "FT-4.1", ("bonus",))
    if event.stage not in (None, AFTER):
        detail = "Announcements come after the discard, so their stage is after_pickup."
        raise IllegalAnnouncement(detail, "FT-4.1", ("stage",))
    hand.announced[event.seat, event.bonus] = (AFTER, event.cards)


def _announce_slam(hand: Hand, event: Announced) -> None:
    """The taker announces the slam before the lead, and leads (FT-4.1, FT-4.2)."""
    if "slam" not in hand.variant.bonuses:
        raise IllegalAnnouncement("This variant has no slam.", "FT-4.1", ("bonus",))
    if event.seat != hand.declarer:
        raise IllegalAnnouncement("Only the taker announces a slam.", "FT-4.1", ("player",))
    if not hand.nothing_played:
        raise IllegalAnnouncement("A slam is announced before the first card.", "FT-4.1")
    if event.cards:
        raise IllegalAnnouncement("No cards are shown for a slam.", "FT-4.1", ("cards",))
    if (event.seat, "slam") in hand.announced:
        raise IllegalAnnouncement("The slam is announced already.", "FT-4.1", ("bonus",))
    hand.turn = hand.declarer
    hand.leader = hand.declarer


def has_played(hand: Hand, seat: int) -> bool:
    """Whether the player's own first card is out."""
    return bool(hand.tricks) or (seat - hand.leader) % hand.seats < len(hand.trick)


def _announce_handful(hand: Hand, event: Announced) -> None:
    """A handful: a single, double or triple number of trumps, shown once (FT-4.3 to FT-4.5)."""
    row = hand.variant.bonuses.get("handful")
    if row is None:
        raise IllegalAnnouncement("This variant has no handful.", "FT-4.3", ("bonus",))
    if has_played(hand, event.seat):
        raise IllegalAnnouncement("A handful is shown before the player's first card.", "FT-4.4")
    if (event.seat, "handful") in hand.announced:
        raise IllegalAnnouncement("This player has shown a handful already.", "FT-4.4", ("bonus",))
    shown = 0
    pack = hand.variant.game.pack
    for place, card in enumerate(event.cards):
        if not BIT[card] & (pack.tarocks | BIT[FOOL]):
            raise IllegalAnnouncement(f"{CODES[card]} is no trump.", "FT-4.4", ("cards", place))
        if BIT[card] & shown:
            raise IllegalAnnouncement(f"{CODES[card]} is shown twice.", "FT-4.4", ("cards", place))
        shown |= BIT[card]
    if len(event.cards) not in row.shown.values():
        sizes = any_of(str(size) for size in row.shown.values())
        raise IllegalAnnouncement(
            f"A handful shows exactly {sizes} trumps, not {len(event.cards)}.", "FT-4.3", ("cards",)
        )
    unshown = 0 if hand.held is None else hand.held[event.seat] & pack.tarocks & ~shown
    if shown & BIT[FOOL] and unshown:
        raise IllegalAnnouncement(
            "The Excuse is shown only when no other trump is left.",
            "FT-4.5",
            ("cards", event.cards.index(FOOL)),
        )


def refuse_contra(hand: Hand, event: ContraCalled) -> None:
    """French Tarot knows no contra (FT-4.6)."""
    if hand.phase not in (TALON, PLAY):
        raise EventOutOfPlace(
            "Nothing is answered at this point, and French Tarot knows no contra.", "FT-4.6"
        )
    raise IllegalContra("French Tarot knows no contra.", "FT-4.6", ("level",))
