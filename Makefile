# The first target of a fresh clone sets up .venv; it needs Python 3.11 or newer and make, nothing else.
#   make run    check the rules, replay real games, train from nothing for some minutes; report in runs/demo
#   make test   the tests, with ruff, mypy and the layer contract among them; make test-long runs the long ones too
#   make bench  the performance table, measured here and now
#   make lint   the tests of the code's form alone
#   make docs   the documents as a site in docs/_build/html, built without any request; it needs the extra [docs]
#   make figures  measure the performance table and write it into README and docs, on an idle machine
#   make clean  remove caches and build products; .venv and runs/ stay

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.installed

.PHONY: run test test-long bench lint docs figures clean

run: $(READY)
	@$(BIN)/abl-cards demo

# A file stays with a worker, in the order of tests/scheduling.py.
test: $(READY)
	@$(BIN)/pytest -q -n 2

test-long: $(READY)
	@$(BIN)/pytest -q -n 2 --long

bench: $(READY)
	@$(BIN)/abl-cards bench

lint: $(READY)
	@$(BIN)/pytest -q tests/test_project.py --long

docs: $(READY)
	@$(BIN)/python -c 'import furo, myst_parser, sphinx' || \
	    { echo "make docs needs: $(BIN)/pip install -c constraints.txt -e '.[docs]'" >&2; exit 1; }
	@$(BIN)/python docs/generate_reference.py
	@$(BIN)/python -m sphinx -q -W -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "docs/_build/html/index.html"

figures: $(READY)
	@$(BIN)/python docs/refresh_figures.py

clean:
	rm -rf build dist docs/_build results .benchmarks .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -path ./$(VENV) -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# PYTHON=… chooses an interpreter; otherwise the first of these that runs and is new enough.
# pip would compile ten thousand modules, for half a minute; the import compiles those that are used.
$(READY): pyproject.toml constraints.txt
	@python=; for candidate in $(or $(PYTHON),python3.11 python3); do \
	    if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python=$$candidate; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "abl-cards needs Python 3.11 or newer; tried: $(or $(PYTHON),python3.11 python3). Set PYTHON=/path/to/python." >&2; exit 1; \
	fi; \
	echo "Setting up $(VENV) with $$($$python --version): a minute or two, once."; \
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $$python -m venv --clear $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile -c constraints.txt -e '.[test]'
	@env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -c 'import ablkit, hypothesis, matplotlib.pyplot, numba, pytest, torch'
	@touch $@
