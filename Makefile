# make demo and make test are the two commands; each makes .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
.DEFAULT_GOAL := help

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /	/'

setup: $(VENV)/.ready ## make .venv with everything locked in requirements.lock

$(VENV)/.ready: requirements.lock pyproject.toml
ifdef UV
	$(UV) venv --quiet --allow-existing --python $(PYTHON) $(VENV)
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --require-hashes -r requirements.lock
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --no-deps --no-build-isolation -e .
else
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
endif
	@touch $@

system: ## install system parts with apt, as root
	@true

demo: setup ## the main job, without key or network
	@$(BIN)/benchmaker demo

check: setup ## the checks that read the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/python scripts/check_wheel.py

test: check ## every check, then the tests in random order
	$(BIN)/python -m pytest -n 2 -m "not long"

test-all: check ## the same with what is long
	$(BIN)/python -m pytest -n 2

lock: ## rewrite requirements.lock (needs uv)
	$(UV) pip compile --quiet --universal --python-version 3.11 --extra test --extra postgres --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links pyproject.toml -o requirements.lock

.PHONY: help setup system demo check test test-all lock
