"""Deliveries: read from the feed, signed, tried again, given up, and never lost."""

from __future__ import annotations

import threading
import time

import pytest
import redis
from standardwebhooks import WebhookVerificationError

from records.deliveries import KEPT_DAYS, TEST, Deliveries, Notice
from records.feed import Feed
from records.log import Stream
from records.meters import Meters
from records.notices import Notices
from records.redis_keys import stream_key
from records.rescore_keys import KIND as RESCORE
from records.rescore_keys import batch_key
from records.rescores import Rescores
from records.selections import Selection
from records.session_log import About
from records.sessions import Sessions
from records.stored_hands import KIND as HAND
from records.visibility import EVERYTHING
from records.webhook_scripts import all_keys
from records.webhooks import Secret, Target, Webhook, milliseconds
from tests.support.offices import FAST, Office, at_work
from tests.support.processes import wait_until
from tests.support.receivers import Receiver
from workers.courier import AT_ONCE, OF_A_TENANT, OF_A_WEBHOOK, PACE, Pace, signed
from workers.jobs import rescore_with
from workers.posting import EXCERPT

OWN, BECK = "illustrated-mayr-sedlaczek-2016", "illustrated-beck"
TRY = Notice(TEST, "2026-11-29T20:14:07.113Z", {})


@pytest.fixture
def office(redis_client: redis.Redis) -> Office:
    return Office(redis_client)


def test_a_sheet_is_told_and_signed(office: Office) -> None:
    with Receiver(lambda _: 200, b"thanks") as receiver, at_work(office):
        hook = office.hook(receiver.url + "?club=7")
        (hand_id,) = office.score()
        (message,) = receiver.wait_for(1)
        wait_until(lambda: office.states(hook) == ["delivered"], "it is noted")
    message.verify(hook.secrets[0].secret)
    with pytest.raises(WebhookVerificationError):
        message._replace(body=message.body + b" ").verify(hook.secrets[0].secret)
    data = message.payload["data"]
    assert (message.payload["type"], message.path) == ("hand.scored", "/hook?club=7")
    assert (data["hand_id"], data["version"], data["status"]) == (hand_id, 1, "scored")
    sheet = office.hands.sheet("default", hand_id)
    assert sheet is not None
    assert sheet.sheet is not None
    assert data["sheet"]["scores"] == sheet.sheet["scores"]
    assert data["sheet"]["variant_revision"] == sheet.sheet["variant_revision"]
    (shown,) = office.shown(hook)
    (attempt,) = shown["attempts"]
    assert (shown["delivery_id"], shown["payload"]) == (message.id, message.payload)
    assert (attempt["status"], attempt["error"], attempt["excerpt"]) == (200, None, "thanks")
    assert office.now(hook).delivered is not None


def test_what_each_is_told(office: Office) -> None:
    """Each its own kinds of events, of its own tenant, from when it was made on."""
    office.score()
    with Receiver() as first, Receiver() as second, Receiver() as third, at_work(office):
        office.hook(first.url)
        office.hook(second.url, "session.settled", "rescore.done")
        office.hook(third.url, tenant="graz")
        office.score(2)
        sessions = Sessions(office.client)
        sessions.open("default", "t", "s-1", About(("Anna", "Béla", "Юлия"), OWN))
        session = sessions.get("default", "s-1")
        assert session is not None
        view = sessions.view("default", session)
        sessions.close("default", "t", session, view, sessions.position("default"), None)
        batch = Rescores(office.client).start("default", Selection(), [BECK])
        rescore_with(office.client)
        # Deliveries of one moment are made at once, so that their order is chance.
        told = {message.payload["type"]: message.payload["data"] for message in second.wait_for(2)}
        first.wait_for(4)
    assert sorted(told) == ["rescore.done", "session.settled"]
    assert told["session.settled"] == {
        "session_id": "s-1",
        "version": 2,
        "points": {"Anna": 0, "Béla": 0, "Юлия": 0},
        "money": None,
        "transfers": [],
    }
    counts = {"total": 3, "done": 3, "failed": 0}
    assert told["rescore.done"] == {"rescore_id": batch, "status": "done", "variants": [BECK], **counts}
    assert len(first.messages) == 4
    assert third.messages == []


def test_a_correction_is_told(office: Office) -> None:
    with Receiver() as receiver, at_work(office):
        office.hook(receiver.url)
        (hand_id,) = office.score()
        receiver.wait_for(1)
        office.correct(hand_id)
        first, second = (message.payload for message in receiver.wait_for(2))
    assert (second["type"], second["data"]["version"]) == ("hand.corrected", 2)
    scores = [one["data"]["sheet"]["scores"]["Anna"] for one in (first, second)]
    assert scores[1] == scores[0] - 5


def test_a_message_has_the_newest_sheet(office: Office) -> None:
    """Of a hand that was corrected before anybody was told of it; none of one that is gone."""
    hook = office.hook("http://127.0.0.1:1/")
    (hand_id,) = office.score()
    office.correct(hand_id)
    (gone,) = office.score()
    office.client.delete(stream_key(Stream(HAND, "default", gone)))
    assert Notices(office.client).pass_on(hook) == 3
    payloads = [one["payload"] for one in office.shown(hook)]
    data = {(one["type"], one["data"]["hand_id"]): one["data"] for one in payloads}
    first = data["hand.scored", hand_id]
    assert (first["version"], first["sheet"]["version"]) == (1, 2)
    assert data["hand.scored", gone]["sheet"] is None


@pytest.mark.parametrize("how", ["done", "failed", "cancelled"])
def test_the_feed_tells_how_a_batch_ended(office: Office, how: str) -> None:
    """Once: a batch that is over can be thrown away, and does not end again."""
    office.score()
    cursor = Feed(office.client).end("default")[0]
    rescores = Rescores(office.client)
    batch = rescores.start("default", Selection(), [BECK])
    if how == "failed":
        key = batch_key(Stream(RESCORE, "default", batch))
        office.client.hset(key, "tries:0", "99")
        office.client.zadd(f"{key}:left", {"0": 1})
    if how != "cancelled":
        rescore_with(office.client)
    rescores.cancel("default", batch)
    time.sleep(0.003)
    told = Feed(office.client).page("default", cursor, 10, EVERYTHING).items
    assert [(one["type"], one["rescore_id"], one["status"]) for one in told] == [("rescore.done", batch, how)]


def test_a_batch_of_nothing_ends_at_once(office: Office) -> None:
    cursor = Feed(office.client).end("default")[0]
    Rescores(office.client).start("default", Selection(), [BECK])
    time.sleep(0.003)
    assert len(Feed(office.client).page("default", cursor, 10, EVERYTHING).items) == 1


def test_a_failure_is_tried_again_under_the_same_id(office: Office) -> None:
    def third_time(number: int) -> int:
        return 200 if number == 2 else 500

    with Receiver(third_time, b"x" * 600) as receiver, at_work(office):
        hook = office.hook(receiver.url)
        office.score()
        messages = receiver.wait_for(3)
        wait_until(lambda: office.states(hook) == ["delivered"], "it is noted")
    assert len({(message.id, message.body) for message in messages}) == 1
    for message in messages:
        message.verify(hook.secrets[0].secret)
    (shown,) = office.shown(hook)
    assert [one["status"] for one in shown["attempts"]] == [500, 500, 200]
    assert shown["attempts"][0]["excerpt"] == "x" * EXCERPT
    assert office.now(hook).enabled


def test_a_receiver_that_hangs_is_tried_again(office: Office) -> None:
    def slow_at_first(number: int) -> int:
        time.sleep(0 if number else 1.0)
        return 200

    with Receiver(slow_at_first) as receiver, at_work(office):
        hook = office.hook(receiver.url)
        office.score()
        receiver.wait_for(2)
        wait_until(lambda: office.states(hook) == ["delivered"], "it is noted")
    first, second = office.shown(hook)[0]["attempts"]
    assert (first["status"], first["error"]) == (None, "No answer within 0.4 seconds.")
    assert 350 <= first["milliseconds"] < 950
    assert second["status"] == 200


def test_a_redirect_is_not_followed(office: Office) -> None:
    with Receiver(lambda number: 204 if number else 302) as receiver, at_work(office):
        hook = office.hook(receiver.url)
        office.score()
        messages = receiver.wait_for(2)
        wait_until(lambda: office.states(hook) == ["delivered"], "it is noted")
    assert {message.path for message in messages} == {"/hook"}


def test_410_disables_and_drops_what_waits(office: Office) -> None:
    with Receiver(lambda _: 410) as receiver:
        hook = office.hook(receiver.url)
        office.score(3)
        with at_work(office):
            wait_until(lambda: not office.now(hook).enabled, "it is disabled")
            office.score()
            time.sleep(0.1)
        assert len(receiver.messages) <= 3
    assert (office.now(hook).reason, office.states(hook)) == ("gone", ["failed"] * 3)


def test_a_day_of_nothing_but_failures_disables(office: Office) -> None:
    with Receiver(lambda _: 503) as receiver, at_work(office):
        hook = office.hook(receiver.url)
        office.score()
        wait_until(lambda: not office.now(hook).enabled, "it is disabled")
        assert len(receiver.messages) == 1 + len(FAST.delays)
    assert (office.now(hook).reason, office.states(hook)) == ("failing", ["failed"])


def test_one_message_that_fails_disables_nothing(office: Office) -> None:
    """Another was taken meanwhile."""
    bad: list[str] = []

    def answer(number: int) -> int:
        bad[:] = bad or [receiver.messages[number].id]
        return 500 if receiver.messages[number].id in bad else 204

    with Receiver(answer) as receiver, at_work(office, Pace(delays=(0.1, 0.1))):
        hook = office.hook(receiver.url)
        office.score(2)
        wait_until(lambda: sorted(office.states(hook)) == ["delivered", "failed"], "both are over")
    assert office.now(hook).enabled


def test_both_secrets_sign_for_a_while(office: Office) -> None:
    with Receiver() as receiver, at_work(office):
        hook = office.hook(receiver.url)
        rotated = office.webhooks.rotate("default", hook.webhook_id, 1)
        assert rotated is not None
        office.score()
        (first,) = [*receiver.wait_for(1)]
        time.sleep(1)
        office.score()
        second = receiver.wait_for(2)[1]
    old, new = hook.secrets[0].secret, rotated[1]
    assert len(first.headers["webhook-signature"].split(" ")) == 2
    first.verify(old)
    first.verify(new)
    second.verify(new)
    with pytest.raises(WebhookVerificationError):
        second.verify(old)


def test_secrets_that_are_over_do_not_sign() -> None:
    keys = tuple(Secret(f"whsec_{'A' * 43}=", 0, until) for until in (None, 2_000, 1_000))
    hook = Webhook("w", "t", Target("", ()), True, None, None, keys, 0, "t", "", None)
    assert len(signed(hook, "x", b"{}", 1_500)["webhook-signature"].split(" ")) == 2


def test_sent_again_it_is_the_same_message(office: Office) -> None:
    with Receiver() as receiver, at_work(office):
        hook = office.hook(receiver.url)
        office.score()
        first = receiver.wait_for(1)[0]
        wait_until(lambda: office.states(hook) == ["delivered"], "it is noted")
        assert office.deliveries.resend("default", hook.webhook_id, first.id) is not None
        second = receiver.wait_for(2)[1]
        wait_until(lambda: office.states(hook) == ["delivered"], "it is noted")
    assert (second.id, second.body) == (first.id, first.body)
    assert len(office.shown(hook)[0]["attempts"]) == 2


def test_a_test_is_sent_once_and_to_a_disabled_webhook_too(office: Office) -> None:
    with Receiver(lambda _: 500) as receiver:
        hook = office.hook(receiver.url)
        assert office.webhooks.change("default", hook.webhook_id, {"enabled": False}) is not None
        office.deliveries.send_one(hook, TRY)
        with at_work(office):
            wait_until(lambda: office.states(hook) == ["failed"], "it has failed")
            time.sleep(0.1)
        assert len(receiver.messages) == 1
    assert office.now(hook).reason == "asked"


def test_enabled_anew_it_tells_of_what_comes_then(office: Office) -> None:
    with Receiver() as receiver, at_work(office):
        hook = office.hook(receiver.url)
        assert office.webhooks.change("default", hook.webhook_id, {"enabled": False}) is not None
        office.score()
        assert office.webhooks.change("default", hook.webhook_id, {"enabled": True}) is not None
        (hand_id,) = office.score()
        receiver.wait_for(1)
        time.sleep(0.1)
    assert [message.payload["data"]["hand_id"] for message in receiver.messages] == [hand_id]


def test_what_is_beyond_the_window_waits_in_the_feed(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("records.notices.MOST_WAITING", 4)
    monkeypatch.setattr("records.notices.AT_ONCE", 2)
    is_up = threading.Event()
    with Receiver(lambda _: 204 if is_up.is_set() else 500) as receiver:
        hook = office.hook(receiver.url)
        ids = office.score(9)
        with at_work(office, Pace(delays=(0.3,) * 20)):
            receiver.wait_for(4)
            time.sleep(0.1)
            assert office.deliveries.waiting("default", hook.webhook_id) == 4
            is_up.set()
            wait_until(lambda: office.states(hook) == ["delivered"] * 9, "all are told")
    assert {message.payload["data"]["hand_id"] for message in receiver.messages} == set(ids)


def test_two_couriers_tell_each_thing_once(office: Office) -> None:
    with Receiver() as receiver, at_work(office), at_work(office):
        hook = office.hook(receiver.url)
        office.score(30)
        wait_until(lambda: office.states(hook) == ["delivered"] * 30, "all are told")
    assert len(receiver.messages) == len(
        {message.payload["data"]["hand_id"] for message in receiver.messages}
    )


def test_who_dies_with_a_delivery_in_hand_loses_nothing(office: Office) -> None:
    with Receiver() as receiver:
        hook = office.hook(receiver.url)
        office.score()
        assert Notices(office.client).pass_on(hook) == 1
        (dead,) = office.deliveries.claim(hook, 5, 0.3)
        assert office.deliveries.claim(hook, 5, 0.3) == []
        with at_work(office):
            message = receiver.wait_for(1)[0]
    assert message.id == dead.delivery_id


def test_an_attempt_that_a_wrong_clock_has_put_off_is_due(office: Office) -> None:
    hook = office.hook("http://127.0.0.1:1/")
    shown = office.deliveries.send_one(hook, TRY)
    assert shown is not None
    waiting, hour = all_keys("default", hook.webhook_id)[1], 3_600_000
    office.client.zadd(waiting, {shown.delivery.delivery_id: milliseconds() + 3 * hour})
    assert not Notices(office.client).has_work()
    office.client.zadd(waiting, {shown.delivery.delivery_id: milliseconds() + 20 * hour})
    assert Notices(office.client).has_work()
    assert len(office.deliveries.claim(hook, 5, 1)) == 1


def test_a_webhook_that_is_deleted_meanwhile_does_not_come_back(office: Office) -> None:
    hook = office.hook("http://127.0.0.1:1/")
    office.score()
    Notices(office.client).pass_on(hook)
    (delivery,) = office.deliveries.claim(hook, 5, 1)
    office.webhooks.delete("default", hook.webhook_id)
    assert office.deliveries.finish(hook, delivery, "delivered") is None
    assert not office.deliveries.record(hook, [], "x")
    assert office.deliveries.send_one(hook, TRY) is None
    assert office.webhooks.change("default", hook.webhook_id, {"enabled": True}) is None
    assert office.webhooks.rotate("default", hook.webhook_id, 0) is None
    assert [key for key in office.client.scan_iter() if b":webhooks" in key] == []


def test_the_log_is_bounded(office: Office) -> None:
    few = Deliveries(office.client, most_kept=3)
    hook = office.hook("http://127.0.0.1:1/")
    for _ in range(6):
        few.send_one(hook, TRY)
    for delivery in few.claim(hook, 5, 1):
        few.finish(hook, delivery, "failed")
    assert sorted(office.states(hook)) == ["failed"] * 3 + ["waiting"]
    first, *others = all_keys("default", hook.webhook_id)
    assert all(0 < int(office.client.ttl(key)) <= KEPT_DAYS * 86_400 for key in others)
    assert office.client.ttl(first) == -1


def test_receivers_that_hang_hold_up_their_own_tenant_alone(office: Office) -> None:
    released = threading.Event()

    def hang(_: int) -> int:
        released.wait(20)
        return 204

    with Receiver(hang) as hanging, Receiver() as receiver, at_work(office, PACE) as courier:
        for _ in range(4):
            office.hook(hanging.url)
        office.hook(receiver.url, tenant="graz")
        office.score(10)
        hanging.wait_for(OF_A_TENANT)
        office.score(20, tenant="graz")
        receiver.wait_for(20, 5)
        wait_until(lambda: courier.in_hand == OF_A_TENANT, "the others are over")
        assert len(hanging.messages) == OF_A_TENANT
        released.set()
    assert OF_A_WEBHOOK < OF_A_TENANT <= AT_ONCE / 4


def test_what_cannot_be_read_stops_no_others(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    """A session that a later version has written."""
    with Receiver() as receiver, Receiver() as other, at_work(office):
        stuck = office.hook(receiver.url, "session.settled")
        Sessions(office.client).open("default", "t", "s-1", About(("Anna", "Béla", "Cyril"), OWN))
        office.client.lset(stream_key(Stream("session", "default", "s-1")), 2, "\0" * 6 + "\x7f")
        office.hook(other.url)
        office.score(2)
        other.wait_for(2)
        time.sleep(0.1)
    assert office.now(stuck).cursor == stuck.cursor
    assert len([line for line in caplog.records if "cannot go on" in line.getMessage()]) == 1


def test_what_is_measured(office: Office) -> None:
    with Receiver() as receiver, at_work(office):
        hook = office.hook(receiver.url)
        office.score()
        wait_until(lambda: office.states(hook) == ["delivered"], "it is told")
    office.score(2)
    Notices(office.client).pass_on(office.now(hook))
    time.sleep(0.01)
    reading = Meters(office.client).read(["default"])
    assert reading.attempts == {"delivered": 1, "retry": 0, "failed": 0, "gone": 0, "exhausted": 0}
    assert reading.waiting_deliveries == 2
    assert 0 < reading.oldest_delivery < 5


def test_the_schedule_is_a_day() -> None:
    for _ in range(50):
        waits = [delay for tries in range(1, 11) if (delay := PACE.delay(tries)) is not None]
        assert all(0.9 * most <= delay <= most for delay, most in zip(waits, PACE.delays, strict=True))
        assert 20 * 3600 < sum(waits) < 24 * 3600
    assert PACE.delay(11) is None
    assert len({PACE.delay(5) for _ in range(20)}) > 1, "by chance"
