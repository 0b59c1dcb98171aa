# One image for the API (the default command), the worker, the courier and the sweeper; compose.yaml shows how.
FROM python:3.11-slim AS build

WORKDIR /app
COPY pyproject.toml requirements.lock ./
# Only what serving needs, at the versions and hashes of the lock.
RUN python -m venv /opt/uv \
    && /opt/uv/bin/pip install --no-cache-dir "$(sed -n 's/^\(uv==[^ ]*\).*/\1/p' requirements.lock)" \
    && python -m venv --without-pip .venv \
    && /opt/uv/bin/uv pip install --no-cache --compile-bytecode --python .venv/bin/python \
        --require-hashes --constraint requirements.lock --requirement pyproject.toml


FROM python:3.11-slim

RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin trull
WORKDIR /app
COPY --from=build /app/.venv .venv
COPY openapi.yaml LICENSE ./
COPY docs/rules docs/rules
COPY trull trull
COPY records records
COPY service service
COPY workers workers
COPY cli cli
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONPATH=/app \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    TRULL_BIND=0.0.0.0:8000
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['TRULL_BIND'].rpartition(':')[2]), timeout=2); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["gunicorn", "-c", "python:service.gunicorn_conf", "service.app:create_app()"]
