"""What Schemathesis has to know of the service, for the short form and the long one.

The long form runs as a program of its own, which reads `CONFIG` from a file and imports this module
(`SCHEMATHESIS_HOOKS`).
"""

from __future__ import annotations

import json
from typing import Any, Final

import httpx
import schemathesis

from tests.service.document import Answer, load_document

KEY: Final = "key-of-the-operator"
"""Requests carry it: with open access, the first key that they make would lock them out."""

CONFIG: Final = f"""
headers = {{ Authorization = "Bearer {KEY}" }}

[checks]
# A record of the right shape may still break a rule of the game or of a name (422), and a cursor or
# a hand that is made up is not there (404), has not changed (304) or has (412).
positive_data_acceptance.expected-statuses = [
    "200", "201", "202", "204", "302", "304", "404", "409", "412", "422",
]
# A change without If-Match is refused with a status of its own (RFC 6585).
missing_required_header.expected-statuses = ["400", "404", "422", "428"]
# A change that was made for another version is told so before its body is read (RFC 9110, section 13.2.1).
negative_data_rejection.expected-statuses = [
    "400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "428", "429", "503",
]

# Of an import each line is accepted or not by itself, and the whole of it always.
[[operations]]
include-path = "/v1/hands:import"
checks.negative_data_rejection.enabled = false

[[operations]]
include-path = "/v1/imports"
checks.negative_data_rejection.enabled = false

# A key that was revoked is still told of, with when it was.
[[operations]]
include-path = "/v1/keys/{{key_id}}"
checks.use_after_free.enabled = false

# Schemathesis takes the quotes off an If-Match that is sent without need, and it is refused (400).
[[operations]]
include-path = "/v1/tournaments/{{tournament_id}}/events"
checks.positive_data_acceptance.enabled = false
"""


@schemathesis.serializer("application/x-ndjson")
def as_lines(context: schemathesis.SerializationContext, value: Any) -> bytes:
    """The document has lines as a string; what is made to be wrong may be anything."""
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "replace")


@schemathesis.check
def is_in_the_document(
    context: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    """Schemathesis lets unknown fields and undocumented headers pass; our own check does not."""
    headers = httpx.Headers({name: values[0] for name, values in response.headers.items()})
    answer = Answer(case.method, case.formatted_path, response.status_code, headers, response.content)
    load_document().check(answer)
