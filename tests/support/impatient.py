"""gunicorn's settings as the service has them, but that it waits for nobody longer than two seconds."""

from service.gunicorn_conf import *  # noqa: F403  # all of them are settings
from service.serving import Worker

Worker.stall_seconds = 2
