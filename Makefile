# make demo and make test are the two commands; each makes .venv first.
# The first of these that is Python 3.11 or newer; another one: make setup PYTHON=…
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
# More than two cores: many tests wait for a server, a browser or a limit.
WORKERS ?= 4
# Where the quick tests of test-all run on PostgreSQL too; those of the store always do.
ON_POSTGRESQL := tests/arenas tests/engine tests/faults tests/judging tests/web
# Tests start many processes: each would compile all modules again where this is set.
export PYTHONDONTWRITEBYTECODE :=
.DEFAULT_GOAL := help

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1	\2/p' Makefile | while IFS='	' read -r name what; do \
		printf 'make %-12s %s\n' "$$name" "$$what"; done

setup: $(VENV)/.ready ## create .venv with the packages in requirements.lock

# One recipe for both tools: an interrupted one leaves no .ready behind and starts over.
$(VENV)/.ready: requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer was not found. Name one: make setup PYTHON=/path/to/python3" >&2; exit 3; }
	@rm -f $@
ifdef UV
	@echo "Setting up $(VENV) with uv"
	@$(UV) venv --quiet --seed --allow-existing --python "$(PYTHON)" $(VENV)
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
else
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { echo "This Python lacks venv. Install it with: make system" >&2; exit 3; }
	@echo "Setting up $(VENV) with pip; this takes a minute"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
endif
	@touch $@

system: ## install system packages with apt, as root
	@sh scripts/system.sh

demo: setup ## run the bundled demo, without key or network
	@$(BIN)/benchmaker demo

check: lint types wheel ## run the static checks

lint: style words

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/deptry src

words: setup ## check the words of documentation, help, messages, pages and docstrings
	@$(BIN)/python -m scripts.check_words $(AREAS)

types: setup
	$(BIN)/mypy

wheel: setup
	$(BIN)/python scripts/check_wheel.py

test: style ## run the checks and the quick tests in random order (under 8 minutes on two cores)
	@sh scripts/beside.sh $(MAKE) --no-print-directory types words wheel -- \
		$(BIN)/python -m pytest --workers $(WORKERS) -m "not long"

test-changed: setup ## run the tests closest to your changes, for two minutes
	@$(BIN)/python -m tests.running.changed $(ARGS)

test-all: style ## run the checks and all tests, then quick tests of the store on PostgreSQL
	@sh scripts/beside.sh $(MAKE) --no-print-directory types words wheel -- \
		$(BIN)/python -m pytest --workers $(WORKERS) --reach build/without-a-store.txt
	$(BIN)/python -m pytest --workers $(WORKERS) --reach build/without-a-store.txt \
		--database postgresql -m "not long" $(ON_POSTGRESQL)

bench: setup ## measure speed and memory (needs a quiet machine and some minutes)
	@for it in scorers start recorded memory engine leaderboard secret_scan "agent_logs --megabytes 500 --small 50" sandbox; do \
		set -- $$it; name=$$1; shift; $(BIN)/python benchmarks/$$name.py "$$@" || exit; echo; done

docs: setup ## regenerate the generated pages of the documentation
	@$(BIN)/python -m scripts.make_docs

site: ## build the documentation as a site with search into build/site
	@test -x build/site-tools/bin/sphinx-build || $(PYTHON) -m venv build/site-tools
	@build/site-tools/bin/python -m pip install --quiet --disable-pip-version-check -r docs/site/requirements.txt
	@build/site-tools/bin/sphinx-build -W --keep-going -q -c docs/site . build/site && echo build/site/index.html

screenshots: setup ## retake the pictures of every page for the documentation
	@$(BIN)/python -m scripts.make_screenshots

lock: ## update requirements.lock from pyproject.toml (needs uv)
	@test -n "$(UV)" || { echo "uv was not found. Install it, then: make lock" >&2; exit 3; }
	$(UV) pip compile --quiet --universal --python-version 3.11 --extra test --extra postgres \
		--generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
		pyproject.toml -o requirements.lock
	$(BIN)/python -m scripts.locked

sbom: setup ## write the bill of materials build/sbom.cdx.json (CycloneDX 1.6)
	@$(BIN)/python -m scripts.make_sbom build/sbom.cdx.json && echo build/sbom.cdx.json

audit: ## check the locked packages for known vulnerabilities (needs pip-audit and a network)
	@audit=$$(PATH="$(BIN):$$PATH" command -v pip-audit) || { echo "pip-audit was not found. Install it, then: pip-audit --require-hashes --disable-pip --requirement requirements.lock" >&2; exit 3; }; \
		"$$audit" --require-hashes --disable-pip --requirement requirements.lock

.PHONY: help setup system demo check lint style words types wheel test test-changed test-all bench docs site screenshots lock sbom audit
