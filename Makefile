# Everyday commands. `make play` and `make test` do all of their own set-up; the second time they are fast.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TEST_PACKAGES := mosquitto postgresql chromium-headless-shell libnss3-tools iproute2 systemd curl
WORKERS ?= 3 # of the tests: one more than cores, as many tests wait for real time to pass

.DEFAULT_GOAL := help
.PHONY: help play test lint bench needs hardware screenshots words release

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

play: $(VENV)/.installed ## start the companion and print its address; on a virtual table when no controller is there
	@$(BIN)/naqala play $(ARGS)

# Hosts are started by the hundred: they need not be compiled each time, whatever the environment says of bytecode.
test: needs ## every test, with what they need installed (ARGS="-k sowing" for a part)
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --durations 12 $(ARGS)

lint: $(VENV)/.dev typings/.installed ## format, lint and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@for platform in win32 darwin; do $(BIN)/mypy --platform $$platform --cache-dir .mypy_cache/$$platform host protocol || exit 1; done
	@$(BIN)/mypy --config-file firmware/mypy.ini firmware/naqala_firmware

bench: $(VENV)/.dev ## every benchmark, as a table and as JSON
	@$(BIN)/python -m tests.bench $(ARGS)

hardware: $(VENV)/.dev $(VENV)/.hardware ## every output of the hardware, checked: circuits, boards, cables, prints, drawings
	@tests/needs/system.sh openscad xvfb xauth graphviz kicad fonts-dejavu-core librsvg2-bin
	@hardware/make.sh $(BIN) $(ARGS)

screenshots: needs ## every page at phone, tablet and TV size, in both lights, into build/screenshots
	@$(BIN)/python -m tests.dashboard.screenshots build/screenshots
	@$(BIN)/python -m tests.dashboard.filmstrip build/screenshots/strip.png

words: $(VENV)/.dev ## bring the dashboard's catalogues up to date with its sentences
	@$(BIN)/python -m tests.dashboard.catalogues

release: $(VENV)/.dev ## wheel, sdist and (after `make hardware`) the builder's archive, into build/release
	@$(BIN)/python -m hatchling build -d build/release
	@if [ -e hardware/build/naqala-hardware.zip ]; then cp hardware/build/naqala-hardware.zip build/release; else echo "no hardware archive: run make hardware first"; fi

needs: $(VENV)/.dev .tools/micropython/micropython .tools/axe/node_modules .tools/rp2040/micropython.bin ## what the tests need: Python packages, MicroPython, system packages
	@tests/needs/system.sh $(TEST_PACKAGES)

# --- set-up, remade only when its source changes ------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Naqala needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || tests/needs/system.sh python3-venv
	@echo "making the environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -q --disable-pip-version-check --upgrade 'pip>=25.3' 'setuptools>=80' || true # older ones have known holes; without a network they will do

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing Naqala and what it needs"
	@$(BIN)/pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "installing Naqala and what its tests need"
	@$(BIN)/pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.hardware: pyproject.toml | $(VENV)/.dev
	@echo "installing what drawing and checking the hardware needs"
	@$(BIN)/pip install -q --disable-pip-version-check -e '.[hardware]'
	@touch $@

.tools/micropython/micropython: tests/needs/micropython.sh
	@tests/needs/micropython.sh .tools/micropython
	@touch $@

.tools/rp2040/micropython.bin: tests/needs/rp2040.sh
	@tests/needs/rp2040.sh .tools/rp2040
	@touch $@

.tools/axe/node_modules: tests/needs/axe.sh
	@tests/needs/axe.sh .tools/axe
	@touch $@

# MicroPython's stubs live apart: in the environment they would shadow the host's standard library for mypy.
typings/.installed: | $(VENV)/.dev
	@$(BIN)/pip install -q --disable-pip-version-check -t typings --no-user 'micropython-rp2-rpi_pico2_w-stubs==1.29.*'
	@touch $@
