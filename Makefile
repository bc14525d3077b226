# Every target works on a fresh Debian 12 or newer: scripts/setup installs what is missing.
.DEFAULT_GOAL := help
.PHONY: help demo test e2e peers conformance chaos bench fuzz format clean

FUZZ_SECONDS ?= 30
CHAOS_SECONDS ?= 120
CHAOS_SEED ?=

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## Run an API server with simulated pods, and pod-watcher on it, for DEMO_SECONDS (20)
	@scripts/setup
	@cmake --preset dev
	@cmake --build --preset dev --target kinformer-apiserver pod-watcher
	@scripts/demo build/dev

test: ## Set up, build and run all tests
	@scripts/setup
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev

e2e: ## Test against kube-apiserver and our API server, and run kubectl, client-go and kube-rs against ours
	@scripts/setup
	@cmake --preset dev
	@cmake --build --preset dev --target e2e_test e2e-cluster kinformer-apiserver
	@test/e2e/run build/dev

peers: ## Run client-go and kube-rs against the API server (skips those whose Go or cargo is missing)
	@scripts/setup
	@cmake --preset dev
	@cmake --build --preset dev --target kinformer-apiserver
	@test/peers/run

conformance: ## Send the same requests to a real kube-apiserver and to ours, and compare the answers
	@scripts/setup --ci
	@cmake --preset dev
	@cmake --build --preset dev --target kinformer-apiserver e2e-cluster
	@test/conformance/compare build/dev

chaos: ## Run informers under injected faults for CHAOS_SECONDS (120), with CHAOS_SEED (random)
	@scripts/setup
	@cmake --preset dev
	@cmake --build --preset dev --target kinformer-apiserver kinformer-chaos
	@CHAOS_SECONDS=$(CHAOS_SECONDS) CHAOS_SEED=$(CHAOS_SEED) test/chaos/run

bench: ## Set up, build with optimisation and run the benchmarks
	@scripts/setup
	cmake --preset release
	cmake --build --preset release
	build/release/bench/kinformer_codec_bench
	build/release/bench/kinformer_http_server_bench
	build/release/bench/kinformer_apiserver_bench
	bench/compare build/release
	bench/load-compare build/release

fuzz: ## Run each fuzzer for FUZZ_SECONDS (30)
	@scripts/setup --ci
	cmake --preset fuzz
	cmake --build --preset fuzz
	scripts/fuzz $(FUZZ_SECONDS)

format: ## Format the sources in place
	@scripts/setup --ci
	scripts/sources | xargs clang-format -i

clean: ## Remove the build folder (keeps .deps)
	rm -rf build
