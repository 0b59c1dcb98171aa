"""The ten lines of Flask that POST /v1/score is measured against: JSON in, the same JSON out."""

from types import SimpleNamespace

import orjson
from flask import Flask, Response, request

app = Flask(__name__)
app.extensions["trull"] = SimpleNamespace(lifetime=SimpleNamespace())  # gunicorn's settings look for that


@app.post("/v1/score")
def echo() -> Response:
    return Response(orjson.dumps(orjson.loads(request.get_data())), content_type="application/json")
