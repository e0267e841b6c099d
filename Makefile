# The only entry points, for people and CI alike: `make help` lists them.
# Needs Python >= 3.11 and git. Uses uv if it is installed; Node, if installed, adds the dashboard.

SHELL := /bin/bash
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; break; }; done)
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
NODE := $(shell command -v node >/dev/null 2>&1 && command -v npm 2>/dev/null)
CHROMIUM := $(shell command -v chromium 2>/dev/null || command -v chromium-browser 2>/dev/null)
DEV := server[mcp,dashboard,dev]
STATIC := server/src/anamnesis/dashboard/static

.PHONY: help demo test quick check format docs dashboard wheel bench weather fuzz soak e2e screenshots clean

help: ## list these targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "anamnesis needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
ifdef UV
	@uv venv -q --python $(PYTHON) $(VENV)
else
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade pip
endif

# $(call install,stamp,what to install)
define install
	@echo "installing $(2)" >&2
	$(if $(UV),@VIRTUAL_ENV=$(VENV) uv pip install -q -e "$(2)",@$(BIN)/python -m pip install -q --disable-pip-version-check -e "$(2)")
	@touch $(1)
endef

$(VENV)/base.stamp: $(BIN)/python server/pyproject.toml
	$(call install,$@,server)

$(VENV)/dev.stamp: $(BIN)/python server/pyproject.toml
	$(call install,$@,$(DEV))
	@touch $(VENV)/base.stamp

define need_node
	@test -n "$(NODE)" || { echo "the dashboard is built with Node 20.19 or newer, which is not here"; exit 1; }
endef

dashboard/node_modules/.package-lock.json: dashboard/package-lock.json
	$(need_node)
	@cd dashboard && npm ci --no-audit --no-fund --loglevel=error && touch node_modules/.package-lock.json

demo: $(VENV)/base.stamp ## two machines, a shared remote, capture, sync, recall, inject: in a temporary store
	@$(BIN)/python server/tools/demo.py $(BIN)/anamnesis

# Tests sync thousands of small files to disk, so they run in a folder in memory if there is one.
define pytest
	@temp=$$(mktemp -d $$(test -w /dev/shm && echo /dev/shm/anamnesis-XXXXXX || echo /tmp/anamnesis-XXXXXX)); \
	trap 'rm -rf "$$temp"' EXIT; cd server && TMPDIR=$$temp $(BIN)/python -m pytest -q -n 2 --dist worksteal $(1)
endef

test: $(VENV)/dev.stamp ## the tests; says what it leaves out and how to run that
	$(call pytest,$(if $(SLOW),,-m "not slow"))
	@$(if $(SLOW),true,echo "left out: hundreds of kills and of random values (make test SLOW=1)")
ifdef NODE
	@$(MAKE) --no-print-directory test-dashboard
else
	@echo "skipped: the dashboard's own tests (no Node; install Node 20.19 or newer)"
endif

quick: $(VENV)/dev.stamp ## the engine's tests, without those that take minutes
	$(call pytest,-m "not slow")

.PHONY: test-dashboard
test-dashboard: dashboard/node_modules/.package-lock.json $(STATIC)/index.html
	@cd dashboard && npm run --silent test
ifneq ($(CHROMIUM),)
	@cd dashboard && ANAMNESIS_PYTHON=$(BIN)/python CHROMIUM=$(CHROMIUM) npm run --silent e2e -- $(WALKS)
	@$(if $(SLOW),true,echo "left out: browser walks over every page and at every width (make test SLOW=1)")
else
	@echo "skipped: the dashboard in a browser (no chromium; on Debian: apt-get install chromium)"
endif

check: $(VENV)/dev.stamp ## format, lint, types, layers, sizes, docs: everything that needs no run
	@cd server && $(BIN)/ruff format --check --quiet . && $(BIN)/ruff check --quiet . && $(BIN)/mypy --no-error-summary
	@cd server/tests_e2e && $(BIN)/mypy --no-error-summary --config-file ../pyproject.toml .
	@cd server && report=$$($(BIN)/lint-imports --no-logo) || { echo "$$report"; exit 1; }
	@cd server && $(BIN)/vulture
	@$(BIN)/python server/tools/check_house.py
	@$(BIN)/python server/tools/make_docs.py --check
ifdef NODE
	@$(MAKE) --no-print-directory check-dashboard
else
	@echo "skipped: eslint and tsc (no Node)"
endif

# The browser tests of the eleven tasks, typed text, hostile pages and the login; SLOW=1 runs all of them.
WALKS = $(if $(SLOW),,attack login tasks truth typed)

.PHONY: check-dashboard
check-dashboard: dashboard/node_modules/.package-lock.json
	@cd dashboard && npm run --silent lint && npm run --silent typecheck

format: $(VENV)/dev.stamp ## format the code
	@cd server && $(BIN)/ruff format --quiet . && $(BIN)/ruff check --quiet --fix .
	$(if $(NODE),@cd dashboard && npm run --silent format)

docs: $(VENV)/dev.stamp ## write the generated pages and examples
	@$(BIN)/python server/tools/make_docs.py

dashboard: ## build the dashboard into the package (needs Node)
	$(need_node)
	@rm -f $(STATIC)/index.html
	@$(MAKE) --no-print-directory $(STATIC)/index.html

$(STATIC)/index.html: dashboard/node_modules/.package-lock.json $(shell find dashboard/app dashboard/components dashboard/features dashboard/lib -type f 2>/dev/null)
	@cd dashboard && npm run --silent build
	@rm -rf $(STATIC) && mkdir -p $(STATIC) && cp -R dashboard/out/. $(STATIC)/

# The same commit gives the same bytes: the date in the archives is that of the commit.
wheel: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1577836800)
wheel: ## build wheel and sdist into server/dist (`make dashboard wheel` puts the dashboard's page in)
	@server/tools/build.sh "$(PYTHON)" "$(UV)" "$(NODE)"

.PHONY: install-test release-check
install-test: $(VENV)/dev.stamp ## the built package in empty environments (needs an index of packages)
	@cd server && $(BIN)/python -m pytest -q -p no:cacheprovider tests_e2e/test_install.py

release-check: ## whether TAG=vX.Y.Z, the version and the changelog agree
	@$(PYTHON) server/tools/check_release.py $(TAG)

bench: $(VENV)/dev.stamp ## speed and size as ratios to their floors (minutes; BENCH_SIZES="1000 10000")
	@$(BIN)/python server/bench/run.py $(BENCH_SIZES)
	@$(BIN)/python server/bench/bench_sync.py
	@$(BIN)/python server/bench/month.py
	@$(BIN)/python server/bench/serve.py
	@$(BIN)/python server/bench/pages.py

weather: $(VENV)/dev.stamp ## the fault suite as one table (half an hour; QUICK=1 for minutes, ONLY="disk remote" for some rows)
	@nice $(BIN)/python server/tools/weather.py $(if $(QUICK),--quick) $(ONLY)

# In an environment of its own: its pytest plugin would change every other run of the tests.
$(VENV)/schemathesis/bin/st: $(BIN)/python
	@echo "installing schemathesis" >&2
ifdef UV
	@uv venv -q --python $(PYTHON) $(VENV)/schemathesis
	@VIRTUAL_ENV=$(VENV)/schemathesis uv pip install -q "schemathesis>=4.32,<5"
else
	@$(PYTHON) -m venv $(VENV)/schemathesis
	@$(VENV)/schemathesis/bin/python -m pip install -q --disable-pip-version-check "schemathesis>=4.32,<5"
endif

fuzz: $(VENV)/dev.stamp $(if $(filter api,$(or $(AREAS),api)),$(VENV)/schemathesis/bin/st) ## the property tests with many examples, and requests by the API's description (MINUTES=10; AREAS="codec api" for some)
	@nice $(BIN)/python server/tools/fuzz.py $(or $(MINUTES),10) $(AREAS)

soak: $(VENV)/dev.stamp ## an hour of use on three machines: memory, descriptors, latency, repository (MINUTES=60)
	@nice $(BIN)/python server/bench/soak.py $(or $(MINUTES),60)

e2e: $(VENV)/dev.stamp ## the real clients against a scripted API on loopback, and the built package (needs npm)
	@cd server && ANAMNESIS_COMMAND=$(BIN)/anamnesis $(BIN)/python -m pytest -q -p no:cacheprovider tests_e2e

screenshots: $(VENV)/dev.stamp $(STATIC)/index.html ## draw docs/images from a demo store (needs Node, chromium)
	$(need_node)
	@cd dashboard && ANAMNESIS_PYTHON=$(BIN)/python CHROMIUM=$(CHROMIUM) npm run --silent screenshots
	@$(BIN)/python server/tools/draw_demo.py $(BIN)/anamnesis

clean: ## remove what these targets made
	@rm -rf $(VENV) server/dist server/build $(STATIC) dashboard/node_modules dashboard/.next dashboard/out
