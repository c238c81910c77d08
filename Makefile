# Everything stands on `setup`, which makes .venv, installs what constraints.txt pins, and builds
# the core. A call that has nothing to do costs a few file dates.

PYTHON ?= python3
GAME ?= connect4
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
CORE := $(shell find core -name '*.cpp' -o -name '*.hpp') CMakeLists.txt
SOURCES := $(shell find core -name '*.cpp' -o -name '*.hpp')

.DEFAULT_GOAL := help
.PHONY: help setup play test lint format bench sanitize clean

help:  ## show this
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:[^#]*##/:/' | column -t -s:

.venv/.made: constraints.txt
	@echo 'setting up: virtual environment'
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tengen needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade pip
	$(PIP) cmake ninja nanobind scikit-build-core
	@touch $@

.venv/.built: .venv/.made pyproject.toml $(CORE)
	@echo 'setting up: building the core, about a minute'
	$(PIP) --no-build-isolation --editable .
	@touch $@

.venv/.dev: .venv/.built pyproject.toml
	@echo 'setting up: tools for tests'
	$(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@

.venv/.bench: .venv/.built pyproject.toml
	$(PIP) --no-build-isolation --editable '.[bench]'
	@touch $@

setup: .venv/.built  ## make .venv, install and build

play: .venv/.built  ## play in the terminal; GAME=gomoku for another game
	@$(BIN)/tengen play $(GAME)

test: .venv/.dev  ## lint and run all tests
	@$(MAKE) --no-print-directory lint
	$(BIN)/pytest -q -n 2

lint: .venv/.dev  ## formats, types and layers
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/clang-format --dry-run --Werror $(SOURCES)
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-cache > .venv/lint-imports.log || (cat .venv/lint-imports.log && false)

format: .venv/.dev  ## format Python and C++
	$(BIN)/ruff check --quiet --fix-only .
	$(BIN)/ruff format --quiet .
	$(BIN)/clang-format -i $(SOURCES)

bench: .venv/.bench  ## measure against the peers
	$(BIN)/tengen bench

sanitize: .venv/.dev  ## the native tests under the address and undefined-behaviour sanitizers
	sh benchmarks/sanitize.sh

clean:  ## remove everything that make made
	rm -rf .venv build dist src/tengen/_core.pyi
