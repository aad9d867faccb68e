.DEFAULT_GOAL := help
DIR ?=
SEED ?= 1
COUNT ?= 100
CALLS ?= 5000
ONLY ?=
MINUTES ?= 3
HOURS ?= 6
UNDATED ?=
SKIP ?=
EXAMPLES ?= 20
SINCE ?= HEAD
COMMANDS ?=
CHECK ?=
JOBS ?= $(shell nproc)
PROFILE ?= release
ROUNDS ?= 3
TASKS ?= 10000
SECONDS ?= 60
AOF ?= none
PYTHON ?= python3
DOCS ?=
VERSION ?=
# Prints cargo's build folder: the environment or a configuration may set another one than target/.
BUILDS = cargo metadata --locked --no-deps --format-version 1 | \
  python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])'
# What the campaigns build: debug builds, like the tests.
TORTURE = $(if $(filter dev,$(PROFILE)),--workspace --all-features,--package blueque-cli --package blueque-torture)

CAMPAIGN = BLUEQUE_REDIS_SERVER=$$(scripts/tools) && export BLUEQUE_REDIS_SERVER && \
  cargo build --locked --profile $(PROFILE) --quiet --bins $(TORTURE) && \
  builds=$$($(BUILDS))/$(PROFILE:dev=debug) && \
  $$builds/blueque-torture --seed $(SEED) --minutes $(MINUTES) --blueque $$builds/blueque

.PHONY: help tools api quick bless fixture test several-servers mutants torture torture-cluster mixed lint deny spell audit release soak bench scale peers bundle clients packages publish dist demo doc browser pictures

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

tools: ## Install missing tools for the tests
	@scripts/tools

quick: ## Run the tests of what differs from the last commit; SINCE=commit: from that one
	@python3 scripts/quick --since $(SINCE)

bless: ## Regenerate what is generated and kept in git, and list what changed; CHECK=1: fail if anything did
	@scripts/bless $(if $(CHECK),--check)

fixture: ## Pack the scripts and data of this build into tests/fixtures/VERSION.tar.xz, for the tests of upgrade
	@scripts/fixture "$(VERSION)"

test: ## Run every test on real servers; AGAIN=1: run what failed beside others once more, alone
	@scripts/test

several-servers: ## Play all cases, and CALLS random calls, on clusters whose slot moves and on Sentinels that replace the master
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools) && export BLUEQUE_REDIS_SERVER && \
	  BLUEQUE_CASES_SHARE=1 BLUEQUE_MODEL_CALLS=$(CALLS) \
	  cargo test --locked --all-features --test conformance --test model several_servers -- --test-threads=2

mutants: ## Change lua/ in COUNT places, one at a time, chosen by SEED, and show changes that no test notices
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools) && export BLUEQUE_REDIS_SERVER && \
	  .venv/bin/python tests/mutants/mutants.py --seed $(SEED) --count $(COUNT) --jobs $(JOBS) --only $(ONLY)

torture: ## Break processes, disks, clocks, memory and networks for MINUTES, chosen by SEED; needs root
	@$(CAMPAIGN) $(addprefix --only ,$(ONLY))

torture-cluster: ## The same on three masters with a replica each, where slots move and two namespaces are partitions
	@$(CAMPAIGN) --cluster $(addprefix --only ,$(ONLY))

mixed: ## Run workers in several languages on one queue for MINUTES on each server, killed and frozen as SEED decides
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools) && export BLUEQUE_REDIS_SERVER && scripts/mixed $(SEED) $(MINUTES)

api: ## Compare the HTTP API with its OpenAPI document: EXAMPLES calls of each path and kind
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools) && export BLUEQUE_REDIS_SERVER && scripts/api $(EXAMPLES)

browser: ## Test the page in Chromium; ONLY=part of a name; SHOTS=folder: also write pictures of each page
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools --browser) && export BLUEQUE_REDIS_SERVER && scripts/browser "$(ONLY)"

pictures: ## Draw the pictures of docs/run/web.md again
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools --browser) && export BLUEQUE_REDIS_SERVER && scripts/browser --pictures

lint: ## Check formatting, lints and documentation
	cargo fmt --all --check
	cargo fmt --check --manifest-path bench/peers/rust/Cargo.toml
	@scripts/tools >/dev/null
	luacheck --quiet lua examples/commands
	cargo clippy --locked --workspace --all-targets --all-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --all-features --quiet

deny: ## Check licences, sources and duplicates of the packages against deny.toml
	@scripts/tools >/dev/null
	@scripts/deny

spell: ## Check the spelling, plain English, and the links of all pages; typos.toml and scripts/english list exceptions
	@scripts/tools >/dev/null
	@.venv/bin/typos
	@scripts/english
	@scripts/links

audit: ## Before a release: check advisories, the crate's public surface, compatibility
	@scripts/audit

release: ## Check everything that a release needs, and print what would be published; UNDATED=1: before the date; SKIP="check …"
	@scripts/release $(if $(UNDATED),--undated) $(addprefix --skip ,$(SKIP))

soak: ## Run all campaigns in turn for HOURS, chosen by SEED, and write docs/proof.md; needs root; ONLY=campaign
	@scripts/soak --hours $(HOURS) $(if $(filter-out file,$(origin SEED)),--seed $(SEED)) $(addprefix --only ,$(ONLY))

bench: ## Measure the scripts, and the least that they could cost; ONLY=part,part; BEFORE=commit: beside the scripts of that commit
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools) && export BLUEQUE_REDIS_SERVER && \
	  cargo build --locked --release --quiet --package blueque-cli && \
	  before=$(if $(BEFORE),$$(scripts/bundle_of $(BEFORE))) && \
	  cargo run --locked --release --quiet --package blueque-bench $(if $(BEFORE),before "$$before",$(if $(ONLY),only $(ONLY)))

scale: bundle ## Measure 1, 2, 4 and 8 partitions on a server each, and 3 on a cluster: TASKS each; DOCS=docs/run for the plot
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools) && export BLUEQUE_REDIS_SERVER && \
	  .venv/bin/python bench/scale.py dist/blueque-lua-* $(TASKS) $(addsuffix /scale.svg,$(DOCS))

peers: ## Compare Blueque with other queues: ROUNDS, TASKS, SECONDS, ONLY=name,name (held: held work), AOF=everysec; DOCS=bench for the page
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools) && export BLUEQUE_REDIS_SERVER && builds=$$($(BUILDS)) && \
	  $(PYTHON) bench/peers/install.py "$$builds/peers" --rounds $(ROUNDS) --tasks $(TASKS) --seconds $(SECONDS) --aof $(AOF) \
	    $(addprefix --only ,$(ONLY)) $(addprefix --docs ,$(DOCS))

bundle: ## Write the Lua bundle for other languages to dist/; COMMANDS=folder adds custom commands
	@cargo run --locked --quiet --example bundle -- dist $(COMMANDS)

clients: ## Generate, check, test and document the clients for Python, TypeScript and Go, and write packages to dist/
	@scripts/clients

packages: ## Pack the clients for Python and TypeScript into dist/, without tests and without Rust
	@scripts/dist --pack

publish: ## Upload the packages of make packages to PyPI and npm; the accounts of both are asked for
	@scripts/publish

dist: ## Write all packages to dist/, install each into an empty place, do its first task; the command takes minutes, and root
	@scripts/dist

demo: ## Run real jobs on workers that are killed; DIR=folder: the files to work on
	@BLUEQUE_REDIS_SERVER=$$(scripts/tools --server) && export BLUEQUE_REDIS_SERVER && \
	  cargo build --locked --profile demo --no-default-features --package blueque-cli --package blueque-demo && \
	  python3 examples/demo/programs.py "$$($(BUILDS))/demo/blueque" $(DIR) && \
	  "$$($(BUILDS))/demo/blueque-demo" $(DIR)

doc: ## Build the library's documentation
	cargo doc --locked --no-deps --all-features
