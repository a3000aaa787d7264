# The menu: every step of CI by name. `make` prints it.

GOLANGCI_VERSION := v2.12.0
GOLANGCI := $(CURDIR)/bin/golangci-lint-$(GOLANGCI_VERSION)
CASES ?= $(wildcard internal/cases/testdata ../shared/cases)
FUZZTIME ?= 20s
LIBRARY := . ./dedupe/... ./grain/... ./join/... ./scd2/... ./onerowtest/... ./internal/form/... ./internal/frame/... ./internal/keyset/... ./internal/order/... ./internal/placeholder/... ./internal/position/... ./internal/prefetch/... ./internal/recast/... ./internal/spill/... ./internal/take/... ./internal/tally/... ./internal/textform/... ./internal/vector/...

# Modules of their own, with dependencies that the core hasn't got.
MODULES := adapters/arrow18 examples/explosion internal/engines internal/peer internal/textform/gen
# Those with DuckDB: go mod tidy would fetch its libraries for all platforms, 570 MB.
DUCKDB_MODULES := internal/engines internal/peer

# What .ci/run runs, in its order: the quick and telling steps first.
CI_STEPS := build fmt-check vet vet-386 build-arm64 purego tidy-check test examples cases generated engines adapters peer explosion race bench-once lint

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the steps
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: ci
ci: ## everything that CI runs, in its order
	.ci/run

.PHONY: ci-steps
ci-steps:
	@echo $(CI_STEPS)

.PHONY: build
build: ## compile every package
	go build ./...

.PHONY: fmt
fmt: ## format every file
	gofmt -s -w $$(git ls-files '*.go')

.PHONY: fmt-check
fmt-check: ## fail when gofmt would change a file
	@out=$$(gofmt -s -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt -s would change:"; echo "$$out"; exit 1; fi

.PHONY: vet
vet: ## go vet, tests included
	go vet ./...

.PHONY: vet-386
vet-386: ## compile and vet for 32 bits: no constant or conversion overflows
	GOARCH=386 go vet ./...

.PHONY: build-arm64
build-arm64: ## compile for arm64, tests included
	GOARCH=arm64 go build ./...
	GOARCH=arm64 go vet ./...

.PHONY: purego
purego: ## compile and test without the assembly
	go vet -tags purego ./...
	go test -tags purego -short ./internal/prefetch ./internal/vector ./internal/keyset ./internal/order ./internal/take

.PHONY: test
test: ## all tests of the core, the rules of the house among them
	go test ./...

.PHONY: race
race: ## tests of the library packages under the race detector, in short mode
	go test -race -short $(LIBRARY)

.PHONY: cases
cases: ## run the case files in CASES through the public API
	go run ./internal/cases/run $(CASES)

.PHONY: examples
examples: ## run the example programs
	go run ./examples/quickstart
	@mkdir -p bin
	go run ./examples/pgcdc -dir examples/testdata/pgcdc -table customers -out bin/customers.csv -v
	go run ./examples/pgcdc -dir examples/testdata/pgcdc -table customers -history -out bin/customers_history.csv -v
	go run ./examples/pgcdc -dir examples/testdata/pgcdc -table customers -history -shuffle 1 -out bin/customers_shuffled.csv -v
	go run ./examples/unittest

.PHONY: engines-setup
engines-setup: ## install PostgreSQL from Debian where there is none, for the engines step
	@ls /usr/lib/postgresql/*/bin/postgres > /dev/null 2>&1 || { apt-get update && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql; }

.PHONY: engines
engines: engines-setup ## MERGE statements in DuckDB and PostgreSQL: the tests of internal/engines, a module of its own
	cd internal/engines && go vet ./... && ONEROW_REQUIRE_ENGINES=1 go test ./...

.PHONY: generated
generated: ## the tables of internal/textform are what its generator makes of Unicode's data, by way of x/text
	cd internal/textform/gen && go vet ./... && go test ./...

.PHONY: adapters
adapters: ## tests of the modules below adapters/, with the assertions of Arrow too
	cd adapters/arrow18 && go vet ./... && go test ./... && go test -tags assert ./...
	cd adapters/arrow18 && go test -race -short .

.PHONY: peer
peer: ## answers compared with DuckDB's on random tables, and the results of each workload of internal/peer: a module of its own
	cd internal/peer && go vet -tags duckdb_arrow ./... && ONEROW_REQUIRE_ENGINES=1 go test -tags duckdb_arrow ./...

.PHONY: explosion-setup
explosion-setup: ## install Chromium from Debian where there is none, for the explosion step
	@command -v chromium > /dev/null || { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; }

.PHONY: explosion
explosion: explosion-setup ## the example with Parquet and charts, a module of its own: its tests look at the page in Chromium
	cd examples/explosion && go vet ./... && ONEROW_REQUIRE_CHROMIUM=1 go test ./...
	@mkdir -p bin
	cd examples/explosion && go run . -left testdata/orders.csv -right testdata/customers.parquet -on customer_id -time order_date -html ../../bin/explosion.html

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME
	@set -e; for p in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "fuzz $$p $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; \
	  done; done

.PHONY: bench
bench: ## measure all workloads beside DuckDB: some 10 GB of memory; BENCH passes flags, as in BENCH="-suite latest -json out.json"
	cd internal/peer && go run -tags duckdb_arrow ./cmd/bench $(BENCH)

.PHONY: bench-once
bench-once: ## each benchmark once, small, those beside DuckDB too: they still run (for figures: make bench, or go test -bench . PACKAGE)
	go test -run '^$$' -bench . -benchtime 1x -short ./...
	cd adapters/arrow18 && go test -run '^$$' -bench . -benchtime 1x -short ./...
	cd internal/peer && go run -tags duckdb_arrow ./cmd/bench -rows 20000 -runs 1 -bars=false

.PHONY: lint
lint: $(GOLANGCI) ## golangci-lint by .golangci.yml, installed into bin/ on first use
	GOLANGCI_LINT_CACHE=$(CURDIR)/bin/cache $(GOLANGCI) run ./...
	@set -e; for m in $(MODULES); do echo "cd $$m && golangci-lint run"; \
	  (cd $$m && GOLANGCI_LINT_CACHE=$(CURDIR)/bin/cache $(GOLANGCI) run --build-tags duckdb_arrow ./...); done

$(GOLANGCI):
	GOBIN=$(CURDIR)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv bin/golangci-lint $@

.PHONY: tidy-check
tidy-check: ## fail when go mod tidy would change go.mod or go.sum
	go mod tidy -diff
	@set -e; for m in $(filter-out $(DUCKDB_MODULES),$(MODULES)); do echo "cd $$m && go mod tidy -diff"; (cd $$m && go mod tidy -diff); done

.PHONY: cover
cover: ## coverage of the library packages by all tests; cover.out has the lines
	go test -coverprofile=cover.out -coverpkg=$$(go list $(LIBRARY) | paste -sd,) ./... > /dev/null
	go tool cover -func=cover.out | tail -1
