# Everything works from a fresh clone with Python 3.11 or newer, make and git.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PROTOS := $(wildcard protos/roundhouse/v1/*.proto)
CHECKED := services gateway tests

.PHONY: help setup protos run demo test test-all lint format bench lock clean

help:
	@echo "make run       start everything on this machine; Ctrl-C stops it"
	@echo "make demo      start everything and watch bots play a whole game"
	@echo "make test      lint, types and all tests but the exhaustive ones"
	@echo "make test-all  the exhaustive tests too: every game, every position"
	@echo "make bench     measure what the budgets are about"
	@echo "make setup     only prepare .venv (the others do it when needed)"
	@echo "make format    format the code;  make lint  check it"
	@echo "make lock      renew the pinned requirements from pyproject.toml"
	@echo "make clean     remove what the build made (not the games in data/)"

setup: $(READY)

$(READY): requirements-dev.lock pyproject.toml $(PROTOS)
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Roundhouse needs Python 3.11 or newer; say make PYTHON=/path/to/python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(MAKE) --no-print-directory protos
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $(READY)

protos:
	$(BIN)/python -m grpc_tools.protoc -I. --python_out=. --pyi_out=. --grpc_python_out=. $(PROTOS)

run: setup
	@$(BIN)/roundhouse run

demo: setup
	@$(BIN)/roundhouse demo

test: lint
	$(BIN)/python -m pytest -n auto -m "not exhaustive"

test-all: lint
	$(BIN)/python -m pytest -n auto

lint: setup
	$(BIN)/ruff check $(CHECKED)
	$(BIN)/ruff format --check $(CHECKED)
	$(BIN)/mypy $(CHECKED)
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff check --fix $(CHECKED)
	$(BIN)/ruff format $(CHECKED)

bench: setup
	$(BIN)/python -m tests.bench

COMPILE := $(BIN)/pip-compile --quiet --generate-hashes --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host

lock: setup
	$(COMPILE) --output-file=requirements.lock pyproject.toml
	$(COMPILE) --allow-unsafe --extra=dev --output-file=requirements-dev.lock pyproject.toml

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f protos/roundhouse/v1/*_pb2*.py*
	find services gateway tests protos -name __pycache__ -type d -prune -exec rm -rf {} +
