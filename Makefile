# Two commands do everything on a machine that has only Python and make:
#   make demo   plays a small duplicate tournament of every game and writes a report
#   make test   checks format and types, and runs the tests
# and a third one opens the table in the browser:
#   make serve  http://127.0.0.1:8000/
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo serve test bench clean

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

test: $(VENV)/.tested
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal

$(VENV)/.bench: $(VENV)/.installed
	$(PIP) install --constraint constraints.txt --editable '.[bench]'
	touch $@

bench: $(VENV)/.bench
	$(BIN)/bolicho bench

clean:
	rm -rf $(VENV) runs reports
