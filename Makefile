# The two main commands are `make demo` and `make test`; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

setup: ## install what is missing (Debian packages, PySpark, web packages)
	@scripts/setup

build: setup ## build bin/sparkprof and lib/sparkprof-spark.jar
	@mkdir -p build && scripts/build

demo: build ## profile a real PySpark job and say where the report is
	@scripts/demo

test: build ## every test but the slow ones
	@scripts/test

test-all: build ## every test, the slow ones too
	@scripts/test --slow

chaos: build ## ROUNDS (100) real jobs under random faults, seeded by SEED (1)
	@python3 tests/chaos/chaos.py --rounds $(or $(ROUNDS),100) --seed $(or $(SEED),1)

bench: build ## measure: what profiling costs, how fast readers and the page are
	@scripts/bench

fuzz: setup ## fuzz each reader for FUZZ_SECONDS (60)
	@scripts/fuzz

fuzz-settings: build ## compare what C++ and Java read in SETTINGS_TEXTS (1000000) generated values of settings
	@scripts/fuzz-settings build/release/fuzz/settings_texts $${SETTINGS_TEXTS:-1000000} $$RANDOM

dist: build ## a tarball and a wheel, with portable agents for x86-64 and arm64
	@scripts/dist

format: ## format the C++ sources
	@git ls-files '*.cc' '*.h' | xargs clang-format -i

lint: build ## check formatting, types and the linters' rules
	@scripts/lint

env: ## shell lines that put sparkprof and PySpark on PATH: eval "$$(make -s env)"
	@scripts/env

clean: ## remove what was built (not the cache)
	rm -rf build bin lib dist web/dist web/node_modules spark-plugin/target

.PHONY: help setup build demo test test-all chaos bench fuzz fuzz-settings dist format lint env clean
