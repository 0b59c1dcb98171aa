"""A hand is sent, its sheet read, and the feed followed: python first_hand.py ADDRESS [KEY]."""

import sys
import time

from trull_client import AuthenticatedClient, Client
from trull_client.api.feed import follow_events
from trull_client.api.hands import get_hand_score, submit_hand
from trull_client.models import (
    FeedEvent,
    FeedPage,
    FeedSheet,
    HandRecord,
    Problem,
    ReportedTarockBonus,
    ResultReported,
    ScoreSheet,
    StoredHand,
)

Trull = Client | AuthenticatedClient


def hand(card_points: int) -> HandRecord:
    """Anna's Zweiblatt, of whose 40 card points she had spoken before she saw the talon."""
    forty = ReportedTarockBonus(bonus="forty", player="Anna", stage="before_pickup", made=True)
    result = ResultReported(
        type_="result_reported",
        declarer="Anna",
        contract="zweiblatt",
        card_points=card_points,
        bonuses=[forty],
    )
    return HandRecord(
        variant="illustrated-mayr-sedlaczek-2016", players=["Anna", "Béla", "Cyril"], events=[result]
    )


class Refused(Exception):
    """The service did not do what it was asked for; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def submit(trull: Trull, record: HandRecord) -> str:
    """Have the hand stored; its id."""
    answer = submit_hand.sync(client=trull, body=record)
    if isinstance(answer, StoredHand | ScoreSheet):
        return str(answer.hand_id)
    raise refused(answer)


def sheet_of(trull: Trull, hand_id: str) -> ScoreSheet:
    """The hand's sheet, as soon as a worker has made it."""
    while True:
        answer = get_hand_score.sync(hand_id, client=trull)
        if isinstance(answer, ScoreSheet):
            return answer
        if not isinstance(answer, StoredHand):
            raise refused(answer)
        time.sleep(0.1)


def page(trull: Trull, cursor: str, wait: int = 0) -> FeedPage:
    """What came after the cursor. Where nothing did, the answer waits for it so many seconds."""
    answer = follow_events.sync(client=trull, cursor=cursor, prefer=f"wait={wait}")
    if isinstance(answer, FeedPage):
        return answer
    raise refused(answer)


def refused(answer: Problem | None) -> Exception:
    return Refused(answer) if answer else RuntimeError("no answer that the document knows")


def main(address: str, key: str | None = None) -> None:
    trull = AuthenticatedClient(address, token=key) if key else Client(address)
    cursor = page(trull, "latest").next_

    hand_id = submit(trull, hand(card_points=41))
    sheet = sheet_of(trull, hand_id)
    print(f"sheet: {sheet.status}, Anna {sheet.scores['Anna']}")

    is_scored = False
    while not is_scored:
        news = page(trull, cursor, wait=5)
        cursor = news.next_
        for item in news.events:
            if isinstance(item, FeedEvent) and isinstance(item.event, ResultReported):
                print(f"feed: {item.type_}, {item.event.declarer} played {item.event.contract}")
            elif isinstance(item, FeedSheet) and item.hand_id == hand_id:
                print(f"feed: {item.type_}, {item.status}")
                is_scored = True

    try:
        submit(trull, hand(card_points=38))
    except Refused as error:
        for fault in error.problem.errors or ():
            print(f"refused: {fault.code} at {fault.pointer}")


if __name__ == "__main__":
    main(*sys.argv[1:])
