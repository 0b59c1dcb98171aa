"""Bodies that are no records: what Marshmallow reads whole, with all its faults as a problem."""

from __future__ import annotations

from typing import Any, ClassVar

from marshmallow import RAISE, Schema, ValidationError, pre_load

from records.checks import few_unknown
from records.faults import pointer
from service.problems import Problem, invalid


class SmallBody(Schema):
    """A body, or an object in one: unknown fields are faults, and one that is null is as good as absent."""

    clearable: ClassVar[frozenset[str]] = frozenset()
    """Fields of which null says something: that there is to be nothing."""

    class Meta:
        unknown = RAISE

    @pre_load
    def _without_nulls(self, data: Any, **_: Any) -> Any:
        if not isinstance(data, dict):
            return data
        absent = self.fields.keys() - self.clearable
        said = few_unknown(data, self.fields)
        return {name: item for name, item in said.items() if item is not None or name not in absent}


def read_as(schema: SmallBody, body: Any) -> dict[str, Any]:
    """What a body says, by its schema. Raises Problem with every fault."""
    try:
        made: dict[str, Any] = schema.load(body)
    except ValidationError as error:
        raise refused(error) from None
    return made


def refused(error: ValidationError) -> Problem:
    """The problem of a body that a schema refuses."""
    return invalid(shape_faults(error.messages_dict))


def shape_faults(messages: dict[str, Any], above: tuple[str | int, ...] = ()) -> list[dict[str, object]]:
    """Marshmallow's tree of messages as faults with pointers."""
    faults: list[dict[str, object]] = []
    for step, below in messages.items():
        path = above if step == "_schema" else (*above, step)
        if isinstance(below, dict):
            faults += shape_faults(below, path)
        else:
            faults += [shape_fault(pointer(path), detail) for detail in below]
    return faults


def shape_fault(where: str, detail: str) -> dict[str, object]:
    """A fault of shape at a place of the body."""
    return {"pointer": where, "code": "invalid-record", "detail": detail}
