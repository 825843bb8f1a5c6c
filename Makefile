# make example   a first report, from nothing
# make papers    the tables and figures of five papers rebuilt, one report each
# make docs      the documentation site in site/, its snippets executed and its gallery made
# make test      every test but the slow and the long ones; TESTS="not long" has the slow ones too
# make lint      ruff, mypy, import-linter
# make release   in dist/: wheel, sdist, and a bill of materials (CycloneDX)
# make clean     removes what make and the tests made

PYTHON ?= python3
# locked (constraints.txt), lowest (what pyproject.toml allows) or newest
DEPENDENCIES ?= locked
# which tests make test runs, by their markers
TESTS ?= not long and not slow
BIN := .venv/bin
STAMP := .venv/complete
REPORT := example-vote/report/report.html
PAPERS := epc_authentication epc_general rocanalysis hamel brodersen

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: example papers $(PAPERS) docs test lint release clean

example: example-vote/report.yaml
	@$(BIN)/reporting run -q $< > /dev/null
	@test -s $(REPORT)
	@echo "The report is at $(CURDIR)/$(REPORT)"

example-vote/report.yaml: | $(STAMP)
	@$(BIN)/reporting example vote example-vote > /dev/null

papers: $(PAPERS)

# Made afresh each time, so that what is there is what this version says.
$(PAPERS): | $(STAMP)
	@rm -rf papers/$@
	@page=$$($(BIN)/python -m configs.papers.$@.page papers/$@) && echo "$@: $(CURDIR)/$$page"

docs: $(STAMP)
	@site=$$($(BIN)/python -m docs.build site) && echo "The site is at $(CURDIR)/$$site"

# The program starts many times: from bytecode that is kept, whatever the shell says.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(STAMP)
	@$(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder -m "$(TESTS)" $(LEFT_OUT_$(DEPENDENCIES))

# Other versions of ruff and mypy have other opinions, and other versions of libraries other types.
LEFT_OUT_lowest = --deselect tests/house/test_house.py::test_check
LEFT_OUT_newest = $(LEFT_OUT_lowest)

lint: $(STAMP)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# uv works for a quarter of the time of pip, which installs where uv knows no index that pip is told of.
INSTALL = $(BIN)/python -m pip install --quiet --no-compile -c .venv/constraints.txt
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "Python 3.11 or later is needed; name it with make PYTHON=..." >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null \
	    || { echo "$(PYTHON) has no venv with pip; on Debian: apt-get install python3-venv" >&2; exit 2; }
	@echo "Building the environment in .venv (half a minute)" >&2
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python .ci/constraints.py $(DEPENDENCIES) > .venv/constraints.txt
	@$(INSTALL) uv && $(BIN)/uv pip install --quiet --python $(BIN)/python -c .venv/constraints.txt -e '.[dev]' 2> /dev/null \
	    || $(INSTALL) -e '.[dev]'
	@touch $@

release: $(STAMP)
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation --outdir dist . > /dev/null
	@$(BIN)/python .ci/bill_of_materials.py dist

clean:
	@rm -rf .venv build dist example-vote papers site .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find configs docs reporting tests -name __pycache__ -type d -prune -exec rm -rf {} +
