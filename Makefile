# The two main commands are `make demo` and `make test`; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

build: ## build bin/sparkprof and lib/sparkprof-spark.jar, after installing what that needs
	@scripts/build

demo: ## build, and profile a real PySpark job; the last line is the path of the report
	@scripts/demo

demo-server: ## build, start the collector, run two jobs against it; prints the address of their comparison
	@scripts/demo --server

build-tests: ## build the tests, after installing what they need
	@scripts/build --tests

test: build-tests ## every test but the slow ones
	@scripts/test

test-all: build-tests ## every test, the slow ones too
	@scripts/test --slow

test-matrix: build-tests ## the tests of capture and --packages on SPARKS (nine from 3.1.3 to 4.3.0) and Java 11 to 25, which are installed first
	@tests/e2e/matrix $(SPARKS)

test-k8s: build-tests ## Spark on a real Kubernetes node on this machine, as root; compiles Kubernetes the first time
	@tests/k8s/run

test-yarn: build-tests ## Spark on YARN and HDFS with two hosts on this machine, as root; part of test-all
	@tests/yarn/run

chaos: build-tests ## ROUNDS (100) real jobs under random faults, seeded by SEED (1)
	@python3 tests/chaos/chaos.py --rounds $(or $(ROUNDS),100) --seed $(or $(SEED),1)

bench: build-tests ## measure: what profiling costs, how fast readers and the page are
	@scripts/bench

bench-peers: build ## one table: sparkprof next to the History Server, rapids-tools, inferno, jfr-converter, py-spy, austin, memray, Pyroscope and psutil
	@scripts/setup pyspark && scripts/setup bench-peers && bench/peers.py

fuzz: ## fuzz each reader for FUZZ_SECONDS (60)
	@scripts/fuzz

dist: ## tarballs and wheels for x86-64 and arm64 that need nothing but glibc 2.17, or musl 1.2
	@scripts/dist

release: ## everything of release VERSION (1.0.0) but the upload, in dist/release/: packages, images, checksums, provenance
	@VERSION=$(VERSION) scripts/release $(PARTS)

site: build ## the documentation as a site in build/site: offline search, recipes, a gallery of reports
	@scripts/site

check: build-tests ## lint, agreement of C++ and Java, and all C++ tests under the address, undefined behavior and thread sanitizers and valgrind
	@scripts/check

coverage: build-tests ## which lines of src/ and apps/ the C++ tests and the cases run
	@scripts/check coverage

mutants: build-tests ## change COUNT (200) places of the C++ at random, by SEED (1); which changes does no test detect?
	@scripts/check mutants

format: ## format C++, Java, Python and TypeScript
	@scripts/lint --fix

lint: build-tests ## check formatting, types and the linters' rules
	@scripts/lint

env: ## shell lines that put sparkprof and PySpark on PATH, and `import sparkprof` into Python: eval "$$(make -s env)"
	@. scripts/paths && print_environment

clean: ## remove what was built (not the cache)
	rm -rf build bin lib dist web/dist web/node_modules spark-plugin/target

chaos-collector: build-tests ## three servers on one S3 store and one ClickHouse under random faults, as root, for MINUTES (3), seeded by SEED (1)
	@python3 tests/chaos/collector.py --minutes $(or $(MINUTES),3) --seed $(or $(SEED),1)

.PHONY: help build build-tests demo demo-server test test-all test-matrix test-k8s test-yarn chaos chaos-collector bench bench-peers fuzz dist release site check coverage mutants format lint env clean
