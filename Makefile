# Needs Python 3.11 or newer, make and a network; everything else is installed on the way.

# `python3` may be older than one that is there under its own name; PYTHON=... chooses by hand.
ifndef PYTHON
PYTHON := $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo "$$name" && break; done)
endif
NEED_PYTHON = @test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found." >&2; exit 1; }

.PHONY: help run test check bench screenshots editor clean runtime-venv dev-venv
.DEFAULT_GOAL := help

help:
	@echo "make run    start the console at http://127.0.0.1:8000 (HOST=... PORT=... to change that)"
	@echo "make test   check, then all tests on SQLite and on PostgreSQL"
	@echo "            DB=sqlite or DB=postgres: one of the two; ARGS='-k word': arguments for pytest"
	@echo "            (either leaves out the check)"
	@echo "make check  lint, format, types, import rules, migrations"
	@echo "make bench  measure the speed; ARGS=... chooses what, see bench/README.md"
	@echo "make screenshots  a picture of every page, into screenshots/"
	@echo "make editor  bundle static/editor into static/vendor; needs Node 18 or newer with npm"
	@echo "make clean  remove what was installed and generated; your data in var/ stays"

run: runtime-venv
	@exec .venv/bin/python manage.py quickstart

test: dev-venv $(if $(ARGS)$(DB),,check)
	@exec $(PYTHON) .ci/with-services $(PYTHON) .ci/test $(ARGS)

check: dev-venv
	@exec .ci/check

screenshots: dev-venv
	@exec $(PYTHON) .ci/with-services .venv/bin/python -m tests.browser.screenshots $(ARGS)

editor:
	@exec .ci/build-editor

bench: dev-venv
	@exec $(PYTHON) .ci/with-services --durable .venv/bin/python -m bench $(ARGS)

runtime-venv:
	$(NEED_PYTHON)
	@$(PYTHON) .ci/make-venv

dev-venv:
	$(NEED_PYTHON)
	@$(PYTHON) .ci/make-venv --dev

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis screenshots bench/results \
		tests/clients/node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
