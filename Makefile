.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
SDMETRICS := .venv-sdmetrics
PEERS := .venv-peers-dpmm .venv-peers-datasynthesizer
ADULT ?= ../shared/data/adult/adult.csv
ADULT_AT := $(wildcard $(ADULT))
PEER_TABLES := --table census $(ADULT_AT:%=--table % --schema benchmarks/peers/adult.schema.json)
WORKERS ?= auto

# `make test` leaves out what is marked thorough (CONTRIBUTING.md), and nothing else.

# Every run is a process of its own, which would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

help: ## Show what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY) ## Make .venv with the pinned versions

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Understudy needs Python 3.11 or newer: make PYTHON=python3.12 setup")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

dashboard: $(READY) ## Open the dashboard, the sample census at hand
	$(BIN)/understudy dashboard --sample

cluster: $(READY) ## Start a Dask scheduler on port 8786 and two workers, until Ctrl-C
	@trap 'trap - INT TERM EXIT; kill 0' INT TERM EXIT; \
	export DASK_DISTRIBUTED__WORKER__MEMORY__TARGET=False; \
	export DASK_DISTRIBUTED__WORKER__MEMORY__SPILL=False; \
	$(BIN)/dask scheduler --host 127.0.0.1 --port 8786 --no-dashboard & \
	$(BIN)/dask worker tcp://127.0.0.1:8786 --nworkers 2 --nthreads 1 --no-dashboard & \
	wait

demo: $(READY) ## Show the dashboard on simulated people only
	$(BIN)/understudy dashboard --demo

test: $(READY) ## Run the tests, those in a real browser included, in a few minutes
	$(BIN)/python -m tests.prepare
	$(BIN)/python -m pytest --workers $(WORKERS)

test-thorough: $(READY) ## Run every test at its full size, and look at more examples
	$(BIN)/python -m tests.prepare
	$(BIN)/python -m pytest --workers $(WORKERS) --thorough

mutants: $(READY) ## Break what decides noise in thousands of ways, and see each caught (hours; goes on where it stopped; SAMPLE=8 tries so many of each module)
	$(BIN)/python -m tests.mutation $(if $(SAMPLE),--sample $(SAMPLE))

check: $(READY) ## Lint, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY) ## Put every file in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY) ## Print the tables of speed, growth, utility, the page and sweeps
	$(BIN)/python -m benchmarks core
	$(BIN)/python -m benchmarks accounting
	$(BIN)/python -m benchmarks growth
	$(BIN)/python -m benchmarks release
	$(BIN)/python -m benchmarks any-model
	$(BIN)/python -m benchmarks rules --quick
	$(BIN)/python -m benchmarks streamed
	$(BIN)/python -m benchmarks cluster
	$(BIN)/python -m benchmarks utility
	$(BIN)/python -m benchmarks page
	$(BIN)/python -m benchmarks sweep
	$(BIN)/python -m benchmarks sources --quick

sdmetrics: $(READY) $(SDMETRICS)/.ready ## Compare our distances with those of SDMetrics
	$(BIN)/python -m benchmarks.sdmetrics_check write build/sdmetrics
	$(SDMETRICS)/bin/python -m benchmarks.sdmetrics_check compare build/sdmetrics

$(SDMETRICS)/.ready:
	$(PYTHON) -m venv $(SDMETRICS)
	$(SDMETRICS)/bin/python -m pip install --no-compile --quiet --disable-pip-version-check sdmetrics==0.32.0
	@touch $@

bench-peers: $(READY) $(PEERS:=/.ready) ## Compare our models with published private ones (hours; goes on where it stopped)
ifeq ($(ADULT_AT),)
	@echo "There is no $(ADULT), so only the census is compared. ADULT=PATH says where it is."
endif
	$(BIN)/python -m benchmarks.peers run $(PEER_TABLES)
	$(BIN)/python -m benchmarks.peers evaluate $(PEER_TABLES)

.venv-peers-%/.ready: benchmarks/peers/%.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --no-compile --quiet --disable-pip-version-check --requirement $<
	@touch $@

screenshots: $(READY) ## Take the README's screenshots again
	$(BIN)/python -m tests.browser.screenshots

clean: ## Remove what the other targets made
	rm -rf $(VENV) $(SDMETRICS) $(PEERS) .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help setup dashboard cluster demo test test-thorough mutants check format bench sdmetrics bench-peers screenshots clean
