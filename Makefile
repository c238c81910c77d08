# Everything stands on `setup`, which makes .venv, installs what constraints.txt pins, and builds
# the core. A call that has nothing to do costs a few file dates.

PYTHON ?= python3
GAME ?= connect4
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
SANITIZE_PIP := .venv-sanitize/bin/python -m pip install --quiet --disable-pip-version-check --no-deps
CORE := $(shell find core -name '*.cpp' -o -name '*.hpp') CMakeLists.txt
SOURCES := $(shell find core -name '*.cpp' -o -name '*.hpp')

.DEFAULT_GOAL := help
.PHONY: help setup play train test lint format bench sanitize clean

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

.venv/.train: .venv/.built pyproject.toml
	@echo 'setting up: PyTorch, some minutes'
	$(PIP) --no-build-isolation --editable '.[train]'
	@touch $@

.venv/.bench: .venv/.built pyproject.toml
	$(PIP) --no-build-isolation --editable '.[bench]'
	@touch $@

setup: .venv/.built  ## make .venv, install and build

play: .venv/.built  ## play in the terminal; GAME=gomoku for another game
	@$(BIN)/tengen play "$(GAME)" || [ $$? -eq 130 ]  # Ctrl-C is a way to leave

# The run goes on where it was stopped, if there is one. Whether GAME is a game is for tengen to say.
RUN_NAME := import sys, tengen.training.session as s; print(s.run_name(s.game_of(sys.argv[1])))
train: .venv/.train  ## train a network for Connect Four; GAME=tictactoe for another game
	@name=$$($(BIN)/python -c '$(RUN_NAME)' "$(GAME)" 2>/dev/null) || name=.unknown; \
	$(BIN)/tengen train "$(GAME)" $$([ -e "runs/$$name" ] && echo --resume) || [ $$? -eq 130 ]

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
	$(BIN)/python benchmarks/solver.py

# An installation of its own, so that the ordinary one stays fast; it borrows the packages of that one.
SANITIZE_BIN := .venv-sanitize/bin
SITE := import sysconfig; print(sysconfig.get_path("purelib"))
NATIVE_TESTS := tests/test_rules.py tests/test_playouts.py tests/test_solver.py tests/test_solver_threads.py \
	tests/test_fours.py tests/test_uct.py tests/test_guided.py tests/test_selfplay.py

.venv-sanitize/.built: .venv/.built pyproject.toml $(CORE) $(shell find src -name '*.py')
	$(PYTHON) -m venv .venv-sanitize
	$(BIN)/python -c '$(SITE)' > "$$($(SANITIZE_BIN)/python -c '$(SITE)')/borrowed.pth"
	$(SANITIZE_PIP) --no-build-isolation --config-settings=cmake.define.TENGEN_SANITIZE=ON \
		--config-settings=cmake.build-type=Debug --config-settings=build-dir=build/sanitize \
		--force-reinstall .
	@touch $@

# Arrays, which is what the core shares with Python, are NumPy's and come from malloc, so they are watched; Python's own
# objects do not (PYTHONMALLOC=malloc would have them watched too, and takes half as long again).
sanitize: .venv-sanitize/.built .venv/.dev  ## the native tests under the address and undefined-behaviour sanitizers
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 $(SANITIZE_BIN)/python -m pytest -q -n 2 $(NATIVE_TESTS)

clean:  ## remove everything that make made
	rm -rf .venv .venv-sanitize build dist src/tengen/_core.pyi
