# Two commands: `make warehouse` and `make test`. Both create the environment if need be.
PYTHON ?= python3
VENV ?= .venv
WHEELS ?= data/wheels
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.ready-dev
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python
# uv takes seconds where pip takes half a minute; pip does it where uv cannot, as with an index that only pip knows
install = $(UV) $(1) 2>/dev/null || $(PIP) $(1)
# by itself pip compiles on one core; a file that does not compile is of no use to this Python
COMPILE := $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib accelmart ingest warehouse orchestration || true
# DuckDB for browsers, which the website's console runs
CONSOLE := $(VENV)/console/.ready
# versions of duckdb that read what the project's own publishes, and further clients
READERS := $(patsubst tests/versions/%.lock,$(VENV)/clients/%,$(wildcard tests/versions/duckdb-*.lock))
CLIENTS := $(VENV)/clients/python
LOCK := uv pip compile pyproject.toml --generate-hashes --no-emit-index-url --no-emit-find-links \
	--no-strip-extras --universal --python-version 3.11 --no-header

.PHONY: warehouse test check evaluate ui docs site wheel screenshots drills node-client bench vega lock clean

warehouse: $(READY)  ## build the warehouse from the bundled snapshot and what was fetched, and show first answers
	@$(BIN)/accelmart build
	@$(BIN)/accelmart status --short

test: $(DEV_READY) $(READERS) $(CONSOLE)  ## lint, types, and every test; T=tests/… runs one file or test alone, in seconds
ifdef T
	@$(BIN)/pytest -n 0 $(T)
else
	@# tests wait for servers and disks: lint and types fill the time, and what they print comes last
	@$(MAKE) --no-print-directory check > $(VENV)/check.log 2>&1 & checks=$$!; \
	$(BIN)/pytest; tests=$$?; wait $$checks; checked=$$?; cat $(VENV)/check.log; exit $$((tests || checked))
endif

check: $(DEV_READY)  ## lint, format and types, and the SQL of dbt_project
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd dbt_project && $(abspath $(BIN))/sqlfluff lint --disable-progress-bar models functions tests

evaluate: $(DEV_READY)  ## dbt-project-evaluator on the dbt project; its packages are those of dbt's hub
	cd .github/evaluator && $(abspath $(BIN))/dbt deps && $(abspath $(BIN))/dbt build --profiles-dir ../../dbt_project \
		--select package:dbt_project_evaluator dbt_project_evaluator_exceptions

ui: $(READY)  ## Dagster on http://127.0.0.1:3000
	$(BIN)/accelmart ui

docs: $(READY)  ## the generated reference and dbt's documentation in data/docs/, and docs/settings.md
	$(BIN)/python -m orchestration.settings_page > docs/settings.md
	$(BIN)/accelmart docs --dbt

site: $(DEV_READY) $(CONSOLE)  ## the website in data/site/: report, SQL console, documentation; `accelmart publish` takes it along
	$(BIN)/accelmart build
	$(BIN)/accelmart docs --site

wheel: $(READY)  ## the readers' package with its checksum, in data/wheels/
	rm -rf $(WHEELS)
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --no-index -w $(WHEELS) .
	cd $(WHEELS) && sha256sum *.whl > SHA256SUMS

screenshots: $(DEV_READY)  ## pictures of the report and of the Dagster UI, in docs/images/ (needs Chromium)
	mkdir -p docs/images
	SCREENSHOTS=$(CURDIR)/docs/images $(BIN)/pytest -n 0 tests/e2e/test_ui.py tests/e2e/test_report.py \
		-k "in_a_browser or as_a_picture"

drills: $(DEV_READY) $(READERS) $(CLIENTS)  ## kills, full disks, hostile servers, drawn questions, all clients, at full length
	DRILLS=full $(BIN)/pytest -n 0 -m "drills or nightly"

node-client: $(DEV_READY) $(CONSOLE)  ## the documented queries in DuckDB for Node.js and for browsers, from the registry of npm
	mkdir -p $(VENV)/clients/node && cp tests/versions/package.json $(VENV)/clients/node
	npm install --no-package-lock --no-fund --no-audit --prefix $(VENV)/clients/node
	DRILLS=full $(BIN)/pytest -n 0 tests/e2e/test_clients.py -m nightly -k javascript

bench: $(DEV_READY)  ## time and memory of builds, queries and growth (docs/reliability.md)
	$(BIN)/python bench/build.py
	$(BIN)/python bench/cookbook.py
	$(BIN)/python bench/price_history.py
	$(BIN)/python bench/ten_times.py
	$(BIN)/python bench/agents.py

vega: $(DEV_READY)  ## pack the script of Vega that the report ships
	$(BIN)/python -c "from warehouse.outputs.report import vega; vega.pack()"

lock:  ## pin every package anew, with hashes and without addresses (needs uv)
	$(LOCK) --extra pipeline --extra postgres -o requirements.lock
	$(LOCK) --extra dev -c requirements.lock -o requirements-dev.lock
	uv --version | cut -d ' ' -f 2 | sed 's/^/uv==/' \
		| $(patsubst pyproject.toml,-,$(LOCK)) --no-annotate -o requirements-uv.lock
	@for lock in $(wildcard tests/versions/duckdb-*.lock); do \
		sed -n 's/^\(duckdb==[0-9.]*\).*/\1/p' $$lock | $(patsubst pyproject.toml,-,$(LOCK)) --no-annotate -o $$lock; done
	$(patsubst pyproject.toml,--group clients,$(LOCK)) --no-annotate -o tests/versions/python.lock

clean:  ## remove the environment; data stay
	rm -rf $(VENV)

$(READY): requirements-uv.lock requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "accelmart needs Python 3.11 or newer; say which with PYTHON=python3.11"; exit 1; }
	@echo "Creating the environment in $(VENV): $$(grep -c '^[a-z].*==' requirements.lock) packages, seconds with uv, a minute with pip"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --no-deps --require-hashes --only-binary :all: -r requirements-uv.lock 2>/dev/null || true
	@$(call install,--no-deps --require-hashes -r requirements.lock)
	@$(call install,--no-deps --no-build-isolation -e .)
	@$(COMPILE)
	@touch $(READY)

$(DEV_READY): $(READY) requirements-dev.lock
	@$(call install,--no-deps --require-hashes -r requirements-dev.lock)
	@touch $(DEV_READY)

$(CONSOLE): $(wildcard warehouse/outputs/website/package*.json) | $(READY)
	@rm -rf $(@D) && mkdir $(@D) && cp $^ $(@D) \
		&& npm ci --ignore-scripts --no-fund --no-audit --silent --prefix $(@D) && touch $@ \
		|| { rm -rf $(@D); echo "DuckDB for browsers could not be installed with npm: the website has no SQL console"; }

# whoever cannot install one, as without a network, goes without its tests
$(VENV)/clients/%: tests/versions/%.lock | $(READY)
	@rm -rf $@ && { $(call install,--no-deps --require-hashes --target $@ -r $<); } && touch $@ \
		|| { rm -rf $@; echo "$* could not be installed: its tests are skipped"; }
