"""openapi.yaml and the code are equal: routes, parameters, error codes, fields, limits and examples."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from marshmallow import fields, missing, validate
from openapi_spec_validator import validate as validate_spec

from records import limits, rescores, session_log
from records.import_jobs import KEPT_SECONDS
from records.import_logs import LOG
from records.lines import MAX_LINE
from records.problems import KINDS
from records.rescore_room import MOST_KEPT
from records.session_schemas import CHANGE_FIELDS, RATE_FIELDS, SESSION_FIELDS
from records.session_view import WHY
from service.app import create_app
from service.bulk import MAX_LINES
from service.config import Settings
from service.event_stream import HEARTBEAT_SECONDS
from service.queries import MAX_PAGE, USUAL_PAGE, Moment, Query
from service.score import MAX_COMPARED
from tests.service.conftest import NOWHERE
from tests.service.document import OPENAPI_PATH, Operation, item_schema, load_document
from tests.support.processes import ROOT
from trull import events, house_forms
from trull.cards import CODES
from trull.errors import REFUSALS
from trull.state import PHASES
from trull.variants import VARIANTS

DOCUMENT = load_document()
SCHEMAS: dict[str, Any] = DOCUMENT.raw["components"]["schemas"]
OPERATIONS = list(DOCUMENT.operations())
APP = create_app(Settings(redis_url=NOWHERE))


def routes() -> dict[tuple[str, str], str]:
    """Each method and path that the application serves, with its endpoint."""
    return {
        (method.lower(), re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)): rule.endpoint
        for rule in APP.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def query_of(operation: Operation) -> Query:
    """The schema that reads an operation's query; outside of /v1 there is none, and any query is ignored."""
    view: Any = APP.view_functions[routes()[operation.method, operation.path]]
    found: Query = view.query if operation.path.startswith("/v1/") else Query()
    return found


def test_it_is_valid_openapi() -> None:
    validate_spec(DOCUMENT.raw)


def test_no_key_is_there_twice() -> None:
    """Of two parts with one name the first would be gone without a word."""

    def twice(node: yaml.Node) -> Iterator[str]:
        parts: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            names = [name.value for name, _ in node.value]
            yield from (name for name in set(names) if names.count(name) > 1)
            parts = [part for _, part in node.value]
        elif isinstance(node, yaml.SequenceNode):
            parts = node.value
        for part in parts:
            yield from twice(part)

    document = yaml.compose(OPENAPI_PATH.read_text())
    assert document is not None
    assert list(twice(document)) == []


def test_no_key_is_a_slip_of_the_pen() -> None:
    """A comma in an unquoted text makes the rest of it a key, which no validator minds."""

    def odd_keys(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            for name, item in value.items():
                if not re.fullmatch(r"[\w$./:{}+-]+", name):
                    yield name
                yield from odd_keys(item)
        elif isinstance(value, list):
            for item in value:
                yield from odd_keys(item)

    assert list(odd_keys({**DOCUMENT.raw, "info": {}})) == []


def test_routes_and_operations_are_the_same() -> None:
    assert set(routes()) == {(operation.method, operation.path) for operation in OPERATIONS}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
class TestOperation:
    def test_it_is_described(self, operation: Operation) -> None:
        details = operation.details
        for part in ("operationId", "summary", "description", "tags", "responses"):
            assert details[part], part
        assert "default" in details["responses"]
        assert {tag["name"] for tag in DOCUMENT.raw["tags"]} >= set(details["tags"])

    def test_path_parameters_are_those_of_the_route(self, operation: Operation) -> None:
        documented = DOCUMENT.parameters(operation, "path")
        assert set(documented) == set(re.findall(r"\{(\w+)\}", operation.path))
        assert all(parameter["required"] for parameter in documented.values())

    def test_query_parameters_are_those_that_the_view_reads(self, operation: Operation) -> None:
        documented = DOCUMENT.parameters(operation, "query")
        read = {field.data_key or name: field for name, field in query_of(operation).fields.items()}
        assert set(documented) == set(read)
        for name, parameter in documented.items():
            schema = DOCUMENT.resolve(parameter["schema"])
            default = read[name].load_default
            assert schema.get("default") == (None if default is missing else default), name
            assert bounds(schema) == bounds_of(read[name]), name

    def test_parameters_and_bodies_have_examples(self, operation: Operation) -> None:
        for place in ("query", "path", "header"):
            for name, parameter in DOCUMENT.parameters(operation, place).items():
                assert parameter["description"], name
                if name != "cursor":
                    assert not DOCUMENT.faults(parameter["schema"], parameter["example"]), name
        for content in contents(operation):
            assert content["examples"]

    def test_every_answer_says_its_request_id(self, operation: Operation) -> None:
        for status, response in operation.details["responses"].items():
            assert "Request-Id" in DOCUMENT.resolve(response)["headers"], status

    def test_examples_have_the_documented_shape(self, operation: Operation) -> None:
        for content in contents(operation):
            for name, example in content["examples"].items():
                value = DOCUMENT.resolve(example)["value"]
                assert "schema" not in content or not DOCUMENT.faults(content["schema"], value), name
                lines = item_schema(content)
                for line in value.splitlines() if lines else ():
                    assert not DOCUMENT.faults(lines, json.loads(line)), name


def contents(operation: Operation) -> Iterator[dict[str, Any]]:
    """The media types of an operation's bodies, in and out."""
    body = DOCUMENT.resolve(operation.details.get("requestBody", {"content": {}}))
    responses = [DOCUMENT.resolve(response) for response in operation.details["responses"].values()]
    for part in (body, *responses):
        yield from part.get("content", {}).values()


def bounds(schema: dict[str, Any]) -> dict[str, Any]:
    """The numbers and names that limit a documented parameter."""
    names = ("minimum", "maximum", "minLength", "maxLength", "enum", "pattern", "format")
    return {name: schema[name] for name in names if name in schema}


def bounds_of(field: fields.Field[Any]) -> dict[str, Any]:
    """The same of a field that reads a parameter."""
    if isinstance(field, Moment):
        return {"format": "date-time", "maxLength": limits.MAX_TIME}
    found: dict[str, Any] = {}
    for check in field.validators:
        if isinstance(check, validate.Range):
            found |= {"minimum": check.min, "maximum": check.max}
        elif isinstance(check, validate.Length):
            found |= {"minLength": check.min, "maxLength": check.max}
        elif isinstance(check, validate.OneOf):
            found |= {"enum": list(check.choices)}
        elif isinstance(check, validate.Regexp):
            found |= {"pattern": check.regex.pattern}
    return {name: value for name, value in found.items() if value is not None}


def test_operation_ids_are_unique() -> None:
    names = [operation.details["operationId"] for operation in OPERATIONS]
    assert len(set(names)) == len(names)


class TestErrors:
    def examples(self) -> dict[str, dict[str, Any]]:
        found: dict[str, Any] = DOCUMENT.raw["components"]["examples"]
        return {name: example["value"] for name, example in found.items() if name.startswith("problem-")}

    def test_every_code_is_documented_and_has_an_example(self) -> None:
        shown = {problem["type"].removeprefix("urn:trull:problem:") for problem in self.examples().values()}
        assert set(SCHEMAS["ErrorCode"]["enum"]) == set(KINDS) == shown

    def test_examples_have_the_title_and_status_of_their_code(self) -> None:
        for name, problem in self.examples().items():
            kind = KINDS[problem["type"].removeprefix("urn:trull:problem:")]
            assert (problem["status"], problem["title"]) == (kind.status, kind.title), name

    def test_every_example_is_an_answer_of_that_status(self) -> None:
        used: dict[str, set[str]] = {}
        for operation in OPERATIONS:
            for status, response in operation.details["responses"].items():
                content = DOCUMENT.resolve(response).get("content", {}).get("application/problem+json")
                for name, example in (content or {"examples": {}})["examples"].items():
                    used.setdefault(name, set()).add(status)
                    problem = DOCUMENT.resolve(example)["value"]
                    assert status in (str(problem["status"]), "default"), (operation.name, name)
        assert {f"problem-{name}" for name in used} == set(self.examples())

    def test_every_broken_rule_has_its_code(self) -> None:
        assert {refusal.code for refusal in REFUSALS} <= set(KINDS)

    def test_clauses_in_examples_are_in_the_rules(self) -> None:
        pages = "".join(page.read_text() for page in (ROOT / "docs" / "rules").glob("*.md"))
        examples = json.dumps(DOCUMENT.raw["components"]["examples"])
        clauses = set(re.findall(r'"clause": "([^"]+)"', examples))
        assert len(clauses) > 20
        assert {clause for clause in clauses if f"**{clause}**" not in pages} == set()


class TestRecord:
    """The documented record is the one that records/limits.py describes."""

    def fields_of(self, schema: dict[str, Any], without: tuple[str, ...] = ()) -> tuple[set[str], set[str]]:
        required = set(schema["required"])
        assert schema["additionalProperties"] is False
        return required - set(without), set(schema["properties"]) - required

    def test_record(self) -> None:
        required, optional = self.fields_of(SCHEMAS["HandRecord"])
        assert (required, optional) == tuple(map(set, limits.RECORD_FIELDS))

    def test_records_of_an_import(self) -> None:
        """Those that are submitted, with the hand's id, restatements and the log."""
        required, optional = self.fields_of(SCHEMAS["ImportedRecord"])
        assert required == {*limits.RECORD_FIELDS.required, "hand_id"}
        assert optional == {*limits.RECORD_FIELDS.optional, LOG} - {"hand_id"}
        required, optional = self.fields_of(SCHEMAS["LogRun"])
        assert required == {"events", "recorded_at", "actor"}
        for name in required | {"hand_id"}:
            assert name not in optional

    def test_a_score_request_is_a_record_and_rulings(self) -> None:
        own, record = SCHEMAS["ScoreRequest"], SCHEMAS["HandRecord"]
        assert own["properties"] == {
            **record["properties"],
            "rulings": {"$ref": "#/components/schemas/Rulings"},
        }
        assert (own["required"], own["additionalProperties"]) == (record["required"], False)

    def test_events(self) -> None:
        mapping = SCHEMAS["Event"]["discriminator"]["mapping"]
        assert list(mapping) == list(limits.EVENT_FIELDS)
        assert [one["$ref"] for one in SCHEMAS["Event"]["oneOf"]] == list(mapping.values())
        for name, reference in mapping.items():
            schema = DOCUMENT.resolve({"$ref": reference})
            required, optional = self.fields_of(schema, ("type",))
            own = limits.EVENT_FIELDS[name]
            assert required == set(own.required), name
            assert optional == {*own.optional, *limits.COMMON_FIELDS}, name
            assert schema["properties"]["type"] == {"const": name}

    def test_sessions(self) -> None:
        assert self.fields_of(SCHEMAS["NewSession"]) == tuple(map(set, SESSION_FIELDS))
        assert self.fields_of(SCHEMAS["SessionChange"]) == tuple(map(set, CHANGE_FIELDS))
        assert self.fields_of(SCHEMAS["MoneyRate"]) == tuple(map(set, RATE_FIELDS))
        assert list(SCHEMAS["SessionEvent"]["discriminator"]["mapping"]) == list(session_log.EVENTS)
        assert SCHEMAS["WhyNotCounted"]["enum"] == [*WHY, None]

    def test_reported_bonuses(self) -> None:
        forms = [DOCUMENT.resolve(form) for form in SCHEMAS["ReportedBonus"]["oneOf"]]
        found = {}
        for form in forms:
            which = form["properties"]["bonus"]
            for name in which.get("enum", [which.get("const")]):
                found[name] = self.fields_of(form)
        assert found == {
            name: (set(own.required), set(own.optional)) for name, own in limits.REPORTED_BONUS_FIELDS.items()
        }

    def test_reported_contra(self) -> None:
        required, optional = self.fields_of(SCHEMAS["ReportedContra"])
        assert (required, optional) == tuple(map(set, limits.REPORTED_CONTRA_FIELDS))

    def test_optional_fields_may_be_null(self) -> None:
        """Absent and null are the same."""
        for name, schema in SCHEMAS.items():
            if schema.get("additionalProperties") is not False or name == "SessionChange":
                continue  # in a change null takes something away
            for field in set(schema["properties"]) - set(schema.get("required", ())):
                assert not DOCUMENT.faults(schema["properties"][field], None), (name, field)

    def test_ids(self) -> None:
        assert SCHEMAS["Contract"]["enum"] == list(events.CONTRACTS)
        assert SCHEMAS["Bonus"]["enum"] == list(events.BONUSES)
        assert SCHEMAS["ContraCalled"]["properties"]["target"]["enum"] == ["game", *events.BONUSES]
        assert SCHEMAS["ContraCalled"]["properties"]["level"]["enum"] == list(events.CONTRA_LEVELS[1:])
        assert SCHEMAS["ContraLevel"]["enum"] == list(events.CONTRA_LEVELS)
        assert SCHEMAS["Stake"]["enum"] == list(events.STAKES)
        assert SCHEMAS["Stage"]["enum"] == list(events.STAGES)
        assert SCHEMAS["HandAnnulled"]["properties"]["reason"]["enum"] == list(events.ANNULMENTS)
        assert SCHEMAS["ReportedHandful"]["properties"]["size"]["enum"] == list(events.HANDFULS)
        assert SCHEMAS["HandState"]["properties"]["phase"]["enum"] == list(PHASES)
        assert set(SCHEMAS["Family"]["enum"]) == {variant.family for variant in VARIANTS.values()}

    def test_cards(self) -> None:
        pattern = re.compile(SCHEMAS["Card"]["pattern"])
        candidates = {a + b for a in "TSHDCFX" for b in ("", *map(str, range(30)), *"KQCJF", "01", "k")}
        assert {code for code in candidates if pattern.fullmatch(code)} == set(CODES)

    @pytest.mark.parametrize(
        ("schema", "word", "number"),
        [
            (SCHEMAS["HandRecord"]["properties"]["events"], "maxItems", limits.MAX_EVENTS),
            (SCHEMAS["HandRecord"]["properties"]["players"], "minItems", limits.MIN_PLAYERS),
            (SCHEMAS["HandRecord"]["properties"]["players"], "maxItems", limits.MAX_PLAYERS),
            (SCHEMAS["HandRecord"]["properties"]["labels"], "maxItems", limits.MAX_LABELS),
            (SCHEMAS["Label"], "maxLength", limits.MAX_LABEL),
            (SCHEMAS["PlayerKey"], "maxLength", limits.MAX_PLAYER),
            (SCHEMAS["EventId"], "maxLength", limits.MAX_ID),
            (SCHEMAS["Table"]["oneOf"][0], "maxLength", limits.MAX_ID),
            (SCHEMAS["Table"]["oneOf"][1], "maximum", limits.MAX_PLACE),
            (SCHEMAS["PlaceNumber"], "maximum", limits.MAX_PLACE),
            (SCHEMAS["EventNote"], "maxLength", limits.MAX_NOTE),
            (SCHEMAS["Reason"], "maxLength", limits.MAX_REASON),
            (SCHEMAS["Moment"], "maxLength", limits.MAX_TIME),
            (SCHEMAS["Cards"], "maxItems", limits.MAX_CARDS),
            (SCHEMAS["Pile"], "maxItems", limits.MAX_CARDS),
            (SCHEMAS["CardPoints"], "minimum", -limits.MAX_REPORTED),
            (SCHEMAS["CardPoints"], "maximum", limits.MAX_REPORTED),
            (SCHEMAS["EventRetracted"]["properties"]["seq"], "maximum", limits.MAX_EVENTS),
            (SCHEMAS["PenaltyAssessed"]["properties"]["points"], "minimum", -limits.MAX_PENALTY),
            (SCHEMAS["PenaltyAssessed"]["properties"]["points"], "maximum", limits.MAX_PENALTY),
            (SCHEMAS["ResultReported"]["properties"]["bonuses"], "maxItems", limits.MAX_REPORTED_BONUSES),
            (SCHEMAS["ResultReported"]["properties"]["oudlers"], "maximum", limits.MAX_OUDLERS),
            (SCHEMAS["Comparison"]["properties"]["variants"], "maxItems", MAX_COMPARED),
            (SCHEMAS["RescoreRequest"]["properties"]["variants"], "maxItems", MAX_COMPARED),
            (SCHEMAS["Select"]["properties"]["hand_ids"], "maxItems", limits.MAX_SELECTED),
            (SCHEMAS["ImportedRecord"]["properties"]["events"], "maxItems", limits.MAX_EVENTS),
            (SCHEMAS["LogRun"]["properties"]["events"], "maximum", limits.MAX_EVENTS),
            (SCHEMAS["LogRun"]["properties"]["actor"], "maxLength", limits.MAX_ID),
            (SCHEMAS["SessionName"], "maxLength", limits.MAX_ID),
            (SCHEMAS["SessionPlayers"], "minItems", limits.MIN_PLAYERS),
            (SCHEMAS["SessionPlayers"], "maxItems", limits.MAX_SESSION_PLAYERS),
            (SCHEMAS["MoneyRate"]["properties"]["minor_units_per_point"], "maximum", limits.MAX_RATE),
            (SCHEMAS["Decision"]["properties"]["reason"], "maxLength", limits.MAX_REASON),
        ],
    )
    def test_limits(self, schema: dict[str, Any], word: str, number: int) -> None:
        assert schema[word] == number

    def test_limits_of_single_operations_in_prose(self) -> None:
        def said(path: str, method: str) -> str:
            return " ".join(DOCUMENT.raw["paths"][path][method]["description"].split())

        settings = Settings()
        assert f"at most {MAX_LINES:,} records" in said("/v1/hands:import", "post")
        assert f"Line {MAX_LINES + 1:,}" in said("/v1/hands:import", "post")
        lines = DOCUMENT.raw["components"]["requestBodies"]["RecordLines"]["description"]
        assert f"at most {MAX_LINE:,} bytes" in lines
        for path in ("/v1/hands:import", "/v1/imports"):
            assert f"takes {settings.max_uploads} uploads at once" in said(path, "post")
        assert KEPT_SECONDS == 7 * 24 * 3600
        assert "kept for seven days" in said("/v1/imports/{import_id}", "get")
        batches = said("/v1/rescores", "post")
        assert f"up to {limits.MAX_SELECTED:,} `hand_ids`" in batches
        assert f"room in {MOST_KEPT // 2**20} MB" in batches
        assert "kept for seven days" in batches
        assert rescores.KEPT_SECONDS == 7 * 24 * 3600
        feed = said("/v1/events", "get")
        assert f"room for {settings.max_listeners} listeners" in feed
        assert f"After {HEARTBEAT_SECONDS:.0f} seconds" in feed

    def test_limits_in_prose(self) -> None:
        prose = " ".join(DOCUMENT.raw["info"]["description"].split())
        settings = Settings()
        assert f"at most {limits.MAX_BODY:,} bytes" in prose
        assert f"at most {limits.MAX_EVENTS} events" in prose
        assert f"at most {MAX_PAGE:,} items ({USUAL_PAGE} unless" in prose
        assert f"waits {settings.max_wait_seconds} seconds at most" in prose
        assert (
            f"{limits.MAX_BODY:,} bytes"
            in DOCUMENT.raw["components"]["requestBodies"]["Record"]["description"]
        )
        made = " ".join(DOCUMENT.raw["paths"]["/v1/variants"]["post"]["description"].split())
        assert f"at most {limits.MAX_HOUSE_DEPTH} may build" in made

    def test_house_rules(self) -> None:
        """The columns and spans that `trull.house` checks."""
        forms = [form for family in house_forms.BONUSES.values() for form in family.values()]
        columns = {column for form in forms for column in form.columns}
        assert set(SCHEMAS["HouseBonus"]["properties"]) == columns
        points = SCHEMAS["HouseBonus"]["properties"]["values"]["additionalProperties"]
        stakes = SCHEMAS["HouseContract"]["properties"]["stakes"]["additionalProperties"]
        factor = SCHEMAS["HouseContract"]["properties"]["multiplier"]
        for schema, span in (
            (points, house_forms.POINTS),
            (stakes, house_forms.POINTS),
            (factor, house_forms.FACTORS),
        ):
            assert (schema["minimum"], schema["maximum"]) == span
