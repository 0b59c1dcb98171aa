"""Bodies that are no records: null is absent, and what is unknown is refused though it be null."""

from __future__ import annotations

import pytest
from marshmallow import ValidationError
from marshmallow.fields import Nested

import service.app  # noqa: F401  # it brings all bodies
from records.limits import MAX_FAULTS
from service.small_bodies import SmallBody, read_as
from service.webhooks import WebhookChange
from tests.service.clients import CheckedClient, code_of, faults_of

BODIES = SmallBody.__subclasses__()
"""All of them, since the application is there."""


def faults(schema: SmallBody, body: object) -> object:
    return schema.validate(body)  # type: ignore[arg-type]  # that is what is asked


def test_these_are_all() -> None:
    assert len(BODIES) >= 10


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.__name__)
class TestEach:
    def test_a_field_that_is_null_is_as_one_that_is_absent(self, body: type[SmallBody]) -> None:
        schema = body()
        known = {name for name, field in schema.fields.items() if not isinstance(field, Nested)}
        assert faults(schema, dict.fromkeys(known - schema.clearable)) == faults(schema, {})

    def test_an_unknown_field_is_refused_though_it_be_null(self, body: type[SmallBody]) -> None:
        for value in (None, 1):
            with pytest.raises(ValidationError) as refusal:
                body().load({"no-such-field": value})
            assert "no-such-field" in refusal.value.messages_dict

    @pytest.mark.parametrize("value", [None, 1, [], "x"])
    def test_what_is_no_object_is_refused(self, body: type[SmallBody], value: object) -> None:
        assert faults(body(), value)

    def test_of_a_crowd_of_unknown_fields_few_are_noted(self, body: type[SmallBody]) -> None:
        """To note all that a body has room for takes Marshmallow seconds."""
        crowd = {f"field-{number}": number for number in range(10 * MAX_FAULTS)}
        with pytest.raises(ValidationError) as refusal:
            body().load(crowd)
        assert MAX_FAULTS < len(refusal.value.messages_dict) <= 2 * MAX_FAULTS


def test_null_takes_away_what_can_be_taken_away() -> None:
    assert read_as(WebhookChange(), {"description": None, "url": None}) == {"description": None}


def test_a_reason_that_is_none(stored: CheckedClient) -> None:
    made = stored.post("/v1/sessions", json={"players": ["a", "b", "c"], "variant": "french-tarot-3"})
    path = f"/v1/sessions/{made.get_json()['session_id']}"
    assert stored.post(f"{path}:reopen", json={"reason": None}).status_code == 200
    refused = stored.post(f"{path}:reopen", json={"": None})
    assert code_of(refused, 422) == "invalid-record"
    assert [fault[0] for fault in faults_of(refused)] == ["/"]
