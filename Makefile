# The tasks that people and CI machines run; `make help` lists them.
SHELL := /bin/sh
.DEFAULT_GOAL := help
# The first Python that is new enough and really runs (a version manager's shim may not).
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
BIN := .venv/bin
PY := $(BIN)/python
# Compiled modules are kept, whatever the environment says: hundreds of processes of the tests load the same ones.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(PY) -m pip --disable-pip-version-check --quiet
UV := $(PY) -m uv
# uv comes from the lock too, and installs the others in a tenth of pip's processor time. Where it cannot be had, or does not
# reach the index because only pip's own settings name it, pip installs them.
# The locks name every package, so nothing is resolved (--no-deps): older releases of pip look for an extra such as
# `coverage[toml]` apart from the pinned package, find its newest release, and refuse it for having no hash.
LOCKED := --no-deps --require-hashes -r
install_locked = { awk '/^[a-z]/ { is_uv = /^uv==/ } is_uv' requirements-dev.lock | $(PIP) install $(LOCKED) /dev/stdin \
  && UV_LINK_MODE=copy $(UV) pip install --quiet --python $(PY) $(LOCKED) $(1); } \
  || { echo "uv could not install them; pip does"; $(PIP) install --no-compile $(LOCKED) $(1); }
INSTALL_ATTUNE := $(PIP) install --no-compile --no-deps --no-build-isolation --editable .
# Compiling with all processors; pip uses one, and compiles the packages' own tests and what is never loaded too.
BYTECODE := $(PY) -m compileall -qq -j 0 -x '/(tests?|mypyc?|setuptools|pkg_resources|lexers)/' .venv/lib app
BABEL := $(PY) -m babel.messages.frontend
# `make test` uses the same order and the same random examples each time; `make explore` uses new ones.
ORDER := --randomly-seed=1
# Two workers more than processors: many tests wait for processes, pages and clocks, and leave their processor to the others.
WORKERS := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 2)))
TRACED := app/stats app/protocol tests/stats tests/protocol
CATALOGUES := app/base/language/catalogues
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --no-header

.PHONY: help run serve test lint unit journeys slow explore bench audit docs fix texts lock upgrade clean

help: ## list what can be made
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed 's/:.*## /\t/' | expand -t 12

run: .venv/run.stamp ## install what is needed, then run Attune with its demo study
	$(PY) -m app demo

serve: .venv/run.stamp ## Attune on its own database, without the demo
	$(PY) -m app serve

# Lint uses one processor, so it runs beside the tests without a browser; the journeys get the machine for themselves.
test: .venv/test.stamp ## every check: what CI runs
	@$(MAKE) --no-print-directory -j 2 lint unit
	@$(MAKE) --no-print-directory journeys

lint: .venv/test.stamp ## style, types, import contracts, templates
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy
	$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'
	$(PY) -m djlint templates --lint --quiet
	$(PY) -m djlint templates --check --quiet

# Statistics and the protocol are held to every branch by the tests of their own rooms; the other tests run without the tracer.
unit: .venv/test.stamp ## tests without a browser; statistics and protocol at 100 % branch coverage
	$(PY) -m pytest -q -n auto $(ORDER) --dist worksteal -m "not browser and not slow" $(TRACED) \
	  --cov=app/stats --cov=app/protocol --cov-report=term-missing --cov-fail-under=100
	$(PY) -m pytest -q -n $(WORKERS) $(ORDER) --dist worksteal -m "not browser and not slow" $(TRACED:%=--ignore=%) --ignore=tests/journeys

# A journey that fails is tried once more, on a new database and in a new browser window; the summary says which, and why.
journeys: .venv/test.stamp ## journeys through a real browser, with axe
	$(PY) -m tests.kit.browser
	$(PY) -m pytest -q -n $(WORKERS) $(ORDER) --reruns 1 --rerun-show-tracebacks -rR -m "browser and not slow" tests/journeys

explore: .venv/test.stamp ## another order, and properties on a thousand new random examples each
	HYPOTHESIS_PROFILE=explore $(PY) -m pytest -q -n auto -m "not browser and not slow" tests/stats tests/protocol tests/studies tests/api/test_openapi.py

slow: .venv/test.stamp ## simulations of intervals and levels, image, wheel, faults, plans of queries, load, every template
	$(PY) -m pytest -q -n auto -m "slow and not browser"
	$(PY) -m pytest -q -n auto -m "slow and browser" tests/journeys

bench: .venv/test.stamp ## measurements, each a ratio to a baseline in the same run
	@for b in benchmarks/[a-z]*.py; do name=$$(basename "$$b" .py); echo "== $$name"; $(PY) -m "benchmarks.$$name" || exit 1; done

audit: .venv/test.stamp ## known vulnerabilities of the locked packages (skipped without network)
	$(PY) -m tests.kit.audit

docs: .venv.docs/stamp ## the documentation as a static site in build/docs, every link checked
	NO_MKDOCS_2_WARNING=1 .venv.docs/bin/python -m mkdocs build --quiet --config-file docs_site/mkdocs.yml

fix: .venv/test.stamp ## let the formatter and the linter fix what they can
	$(PY) -m ruff check --fix --quiet || true
	$(PY) -m ruff format --quiet
	$(PY) -m djlint templates --reformat --quiet || true

texts: .venv/test.stamp ## bring the catalogues of rater pages up to date (a new language: make texts NEW=fr)
	@mkdir -p build
	@$(BABEL) --quiet extract --mapping-file babel.cfg --keyword message --keyword messages:1,2 --add-location file \
	  --sort-by-file --output-file build/texts.pot .
	@test -z "$(NEW)" || $(BABEL) --quiet init --input-file build/texts.pot --locale $(NEW) --output-file $(CATALOGUES)/$(NEW).po
	@for po in $(CATALOGUES)/*.po; do \
	  $(BABEL) --quiet update --no-fuzzy-matching --ignore-obsolete --ignore-pot-creation-date --width 120 \
	    --input-file build/texts.pot --locale "$$(basename "$$po" .po)" --output-file "$$po" || exit 1; done
	@$(PY) -m pytest -q -p no:randomly tests/base/language/test_catalogues.py

lock: .venv/bin/python ## renew the locks after a change of pyproject.toml, keeping the versions that are locked already
	$(COMPILE) pyproject.toml --group build --output-file requirements.lock
	$(COMPILE) pyproject.toml --group dev --output-file requirements-dev.lock
	$(COMPILE) --group docs --output-file requirements-docs.lock

upgrade: ## renew the locks with the newest versions
	$(MAKE) --no-print-directory lock COMPILE='$(COMPILE) --upgrade'

clean: ## remove the environment and the caches of tools (never data)
	rm -rf .venv .venv.docs .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage* htmlcov build dist

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Attune needs Python 3.11 or newer; none was found. Install it, or name it: make PYTHON=/path/to/python3.12 run"; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "$(PYTHON) is not a Python 3.11 or newer that runs here"; exit 1; }
	@"$(PYTHON)" -m venv .venv || { rm -rf .venv; echo "The environment could not be made. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

.venv.docs/stamp: requirements-docs.lock
	@echo "Installing the packages in requirements-docs.lock (half a minute, once)"
	@"$(PYTHON)" -m venv .venv.docs
	@.venv.docs/bin/python -m pip --disable-pip-version-check --quiet install $(LOCKED) requirements-docs.lock
	@touch $@

.venv/run.stamp: .venv/bin/python requirements.lock pyproject.toml
	@echo "Installing the packages in requirements.lock (a minute or two, once)"
	@$(call install_locked,requirements.lock)
	@$(INSTALL_ATTUNE)
	@$(BYTECODE) || true
	@touch $@

# What Attune runs with is in requirements-dev.lock too, so one installation is enough (tests/house/test_locks.py).
.venv/test.stamp: .venv/bin/python requirements.lock requirements-dev.lock pyproject.toml
	@echo "Installing Attune's packages and those for tests in requirements-dev.lock (a minute or two, once)"
	@$(call install_locked,requirements-dev.lock)
	@$(INSTALL_ATTUNE)
	@$(BYTECODE) || true
	@touch .venv/run.stamp $@
