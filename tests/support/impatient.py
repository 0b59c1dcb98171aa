"""gunicorn's settings as the service has them, but that it waits for nobody longer than two seconds."""

import service.patience
from service.gunicorn_conf import *  # noqa: F403  # all of them are settings

for name in ("HEAD_SECONDS", "BODY_SECONDS", "ANSWER_SECONDS"):
    setattr(service.patience, name, 2.0)
