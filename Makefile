# A thin front of scripts/ and of the tasks in deno.json. `make` alone lists the
# targets. What is missing (Deno, packages) is installed into .tools first.
.DEFAULT_GOAL := help
.PHONY: help demo test e2e fuzz soak bench fmt lint check build launcher install smoke clean tools
PREFIX ?= $(HOME)/.local
export RETE_HOME IRC_HOSTS DENORT_BIN CASES SEED NAME MINUTES

help: ## list the targets
	@sed -nE 's/^([a-z0-9]+):.*## (.*)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do printf '%-10s %s\n' "$$name" "$$text"; done

demo: tools ## run the service on an embedded IRC network until Ctrl-C
	@scripts/as-user scripts/demo

test: tools ## run the tests (no network but loopback, no IRC server needed)
	@scripts/as-user scripts/test

e2e: tools ## run the end-to-end tests against InspIRCd, ngIRCd and ZNC
	@scripts/e2e

fuzz: tools ## run the seeded fuzzers (CASES=1000000 each, SEED=, NAME=)
	@scripts/fuzz

soak: tools ## load the service with everything at once (MINUTES=10)
	@scripts/soak

bench: tools ## measure, one line a row
	@scripts/bench

fmt: tools ## check the layout of the code
	@scripts/as-user deno task --quiet fmt

lint: tools ## check the code for known traps
	@scripts/as-user deno task --quiet lint

check: tools ## check the types
	@scripts/as-user deno task --quiet check

build: tools ## compile dist/reterm (RETE_HOME=/abs/home, IRC_HOSTS=host:port,...)
	@scripts/build

launcher: tools ## write dist/reterm as a script that runs from source (same variables)
	@scripts/launcher

install: tools ## install for the current user, or PREFIX=/usr/local
	@scripts/install "$(PREFIX)"

smoke: tools ## start dist/reterm, or BINARY=, and probe each row of its gate
	@scripts/smoke

clean: ## remove what make made, but not .tools
	@rm -rf dist .lab

tools:
	@scripts/tools
