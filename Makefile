# Two commands need only Python and make:
#   make demo   plays a small duplicate tournament of every game and writes a report
#   make test   checks format and types, and runs the tests; `make test-all` adds the nightly ones
# A third one starts the server:
#   make serve  http://127.0.0.1:8000/
# `make docs` builds the documentation site: build/docs/index.html.
# After an edit run `make check` (format, types, the quickest tests); before you propose a change, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo serve check test test-all lint lint-js docs bench clean

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --constraint constraints.txt --editable .
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(PIP) install --constraint constraints.txt --editable '.[test]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/bolicho demo

$(VENV)/.web: $(VENV)/.installed
	$(PIP) install --constraint constraints.txt --editable '.[web]'
	touch $@

serve: $(VENV)/.web
	$(BIN)/bolicho serve

lint: $(VENV)/.tested
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# The quickest tests: imports, files, formats, catalogues.
QUICK := tests/test_structure.py tests/test_files.py tests/store/test_formats.py tests/i18n/test_catalogues.py

check: lint
	$(BIN)/python -m pytest --quiet $(QUICK)

node_modules/.installed: package.json package-lock.json
	npm ci --silent
	touch $@

lint-js: node_modules/.installed
	npm run --silent lint

# Tests of a run: those without the mark `nightly`, or with `test-all` every one.
test-all: SELECTED := -m ""
test test-all: lint
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lint-js; \
	else echo "The JavaScript was not checked: npm (Node.js) is not installed."; fi
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal $(SELECTED)

$(VENV)/.docs: $(VENV)/.installed
	$(PIP) install --constraint constraints.txt --editable '.[docs]'
	touch $@

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --builder html --fresh-env --fail-on-warning --keep-going --quiet docs build/docs

$(VENV)/.bench: $(VENV)/.installed
	$(PIP) install --constraint constraints.txt --editable '.[bench]'
	touch $@

bench: $(VENV)/.bench
	$(BIN)/bolicho bench

clean:
	rm -rf $(VENV) build node_modules runs reports
