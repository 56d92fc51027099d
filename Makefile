# One place for every command; `make help` lists them.
PYTHON ?= python3.11
PY := $(shell command -v $(PYTHON) 2>/dev/null || command -v python3)
BIN := .venv/bin
WORKERS ?= 4
FAULT_WORKERS ?= 3
# Groups begin in the order of tests/conftest.py, the longest first.
SPREAD := --dist loadgroup --no-loadscope-reorder
PLANE := etcd kube-apiserver kube-controller-manager kubectl helm
SEED ?=
PYTEST ?= pytest
SHELL := /bin/sh
# Hundreds of processes of the tests import the same modules: compiled once, whatever the image says.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
FROM ?= HEAD~1
.PHONY: help demo demo-llm llm run helm promtool plane java chromium registry command-lines radicale test up images push verify wheel e2e e2e-upgrade status down bench-ingest bench-delivery bench-routing bench-operator operator-torture bench-heartbeats bench-rollups bench-dashboard bench-holds bench-start bench-useful people reminders-year router-model faults check ci fmt lint types imports schemas-check crds crds-check conformance conformance-gate lock texts clean docs operator-torture

help: ## list these targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-18s %s\n", $$1, $$2}'

.venv/bin/python:
	@$(PY) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Butlers needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	@$(PY) -m venv .venv

.venv/.demo: requirements/demo.txt pyproject.toml | .venv/bin/python
	@echo "installing what the household needs (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/demo.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/.dev: requirements/dev.txt pyproject.toml | .venv/bin/python
	@echo "installing what the tests need (once)"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@ .venv/.demo .venv/.push .venv/.llm

.venv/.push: requirements/push.txt | .venv/.demo
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/push.txt
	@touch $@

demo: .venv/.demo ## run the demo household once: sample messages through real sockets, replies printed, everything stopped
	@$(BIN)/python -m examples.demo.run

.venv/.llm: requirements/llm.txt | .venv/.demo
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/llm.txt
	@touch $@

llm: .venv/.llm ## install what models over HTTP need, for households of .venv with the runtime family api

demo-llm: .venv/.llm ## run the demo with a stand-in language model as router: runtime family api over real HTTP, no key
	@$(BIN)/python -m examples.demo.run --model

run: .venv/.demo ## run the demo household until Ctrl-C; its first start sends the sample messages
	@$(BIN)/python -m examples.demo.run --stay

# Charts are rendered by helm: found, else taken or built as the cluster's programs are.
helm:
	@command -v "$${HELM:-helm}" >/dev/null || cluster/binaries.sh helm || echo "no helm here: charts are not tested"

# Alerts and dashboards are tried by promtool where it is found; this builds it as the cluster's programs are built.
promtool: ## build promtool, by which alerts and dashboards are tested (half an hour on two cores, with Go)
	@command -v "$${PROMTOOL:-promtool}" >/dev/null || cluster/binaries.sh promtool || echo "no promtool here: alerts and dashboards are not tried"

# The operator's tests on a real API server need a control plane: found, else taken or built as the cluster's programs are.
plane:
	@cluster/binaries.sh $(PLANE) || echo "no control plane here: the operator is not tested on a real API server"

# The Spark engine's tests need Java and PostgreSQL's driver for it: found, or installed by apt-get when root.
java:
	@spark-apps/java.sh

# The dashboard's pages are tested in a real browser: found, or installed by apt-get when root.
chromium:
	@tests/web/chromium.sh

# Pushing is tested with buildah and Debian's registry: found, or got by apt-get.
registry:
	@tests/flow/publishing/programs.sh

# Sessions of command lines are tested with the programs themselves where npm can get them: 0.9 GB.
command-lines: .venv/command-lines/.done

.venv/command-lines/.done: requirements/command-lines/package-lock.json | .venv/bin/python
	@requirements/command-lines/install.sh .venv/command-lines

# Calendars are tested against a real CalDAV server, a process in an environment of its own: it is under the GPL.
radicale: .venv/radicale/.done

.venv/radicale/.done: requirements/radicale/requirements.txt requirements/radicale/install.sh | .venv/bin/python
	@requirements/radicale/install.sh $(BIN)/python .venv/radicale

test: .venv/.dev helm plane java chromium registry command-lines radicale ## run every test that needs no cluster
	@$(BIN)/python -m $(PYTEST) -n $(WORKERS) $(SPREAD)

properties: .venv/.dev ## run the property tests with new random input (ROUNDS=n: n rounds; a failure prints how to reproduce it)
	@for round in $$(seq 1 $(or $(ROUNDS),1)); do \
	  $(BIN)/python -m pytest tests/unit tests/golden tests/faults/machines tests/integration -m hypothesis --hypothesis-profile drawn \
	    -q -n $(WORKERS) $(SPREAD) || exit 1; done

faults: .venv/.dev ## run all tests of kills, outages and hostile providers (SEED=n repeats the random choices)
	@$(BIN)/python -m pytest tests/faults tests/flow/security tests/flow/household/test_approvals.py tests/flow/household/test_limits.py -m "faults_full or not faults_full" -n $(FAULT_WORKERS) $(SPREAD) \
	  --faults-seed "$(SEED)"

bench-ingest: .venv/.dev ## measure how fast a message becomes durable, against pgbench and the specification's algorithm
	@$(BIN)/python -m bench.ingest

bench-delivery: .venv/.dev ## measure deliveries per second and the whole path of a message (SLOW=1: twelve minutes)
	@$(BIN)/python -m bench.delivery

bench-routing: .venv/.dev ## measure the default router on messages it was not fitted on (eight fits, about three minutes)
	@$(BIN)/python -m bench.routing

bench-heartbeats: .venv/.dev ## measure 4,000 connectors, one heartbeat in two minutes each: cost over the SDK alone (SLOW=1: 30 minutes)
	@$(BIN)/python -m bench.heartbeats

bench-runtimes: .venv/.dev command-lines ## measure the cost of a route by runtime family, over rules, against a model on loopback (ONLY=codex: one beside rules)
	@$(BIN)/python -m bench.runtimes $(if $(ONLY),--only "$(ONLY)")

bench-start: .venv/.dev ## measure the start of a household: time, cost, idle cost, recovery of a killed process (MESSAGES=10000: memory after so many messages)
	@$(BIN)/python -m bench.start $(if $(MESSAGES),--messages $(MESSAGES))

bench-useful: .venv/.dev ## measure how useful the answers are, by theme (SHOW=wrong: verbatim, REVEAL=1: the unseen too; ONLY=lists: a part; SETS=practice: one set; AGAINST=file: an earlier useful.json)
	@$(BIN)/python -m bench.useful $(if $(SETS),--sets $(SETS)) $(if $(SHOW),--show $(SHOW)) $(if $(REVEAL),--reveal) $(if $(ONLY),--only $(ONLY)) $(if $(AGAINST),--against $(AGAINST))

people: .venv/.dev ## test privacy: three people ask five butlers 2,000 times each for data of others (SEED=n for other questions; about an hour)
	@BUTLERS_PEOPLE_QUESTIONS=2000 BUTLERS_PEOPLE_SEED="$(or $(SEED),7)" $(BIN)/python -m pytest -q -n $(WORKERS) tests/integration/specialist/test_nothing_crosses.py

reminders-year: .venv/.dev ## simulate a year with a hundred thousand reminders: kills, clock jumps, three days down (about ten minutes)
	@$(BIN)/python -m bench.reminders

bench-operator: .venv/.dev ## measure the operator with 300 resources on its own control plane: time, writes, memory, repairs
	@$(BIN)/python -m bench.operator

operator-torture: .venv/.dev ## test the operator on its own control plane: random changes, then a kill after each write; the end state must be the same
	@$(BIN)/python -m bench.torture $(if $(ONLY),--only "$(ONLY)") $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

bench-dashboard: .venv/.dev ## measure the dashboard on a large household: first and hundredth pages (about six minutes)
	@$(BIN)/python -m bench.dashboard

bench-rollups: .venv/.dev java ## measure statistics of a week, a day, an hour in SQL, Spark and DuckDB (SCALE=20m: twenty million heartbeats)
	@$(BIN)/python -m bench.rollups $(if $(SCALE),--scale $(SCALE))

bench-holds: .venv/.dev ## measure quarantine on the cluster of make up: hold a butler, reroute its messages, release it; twenty times
	@cluster/e2e.sh $(BIN)/python -m bench.holds

telling-model: .venv/.dev ## refit the classifier of what people tell, on its corpus: the same bytes every time
	@$(BIN)/python -m butler_kit.tellings.training

router-model: .venv/.dev ## refit the default router's weights, on its corpus: the same bytes every time
	@$(BIN)/python -m butler_switchboard.routing.rules.training

up: .venv/.demo ## start a real Kubernetes cluster on this machine with the demo household (SPARK=1: statistics on Spark, COMMAND_LINES=codex: its image too)
	@cluster/up.sh
	@$(if $(SPARK),cluster/binaries.sh spark-operator)
	@$(if $(COMMAND_LINES),$(MAKE) --no-print-directory command-lines)
	@cluster/images.sh $(BIN)/python $(OPTIONS)
	@COMMAND_LINES="$(COMMAND_LINES)" cluster/household.sh
	@$(if $(SPARK),cluster/spark.sh)

e2e: .venv/.dev ## run the end-to-end tests on the cluster of make up (ONLY=… selects by name, FULL=1 the long ones too, SPARK=1 those on Spark, COMMAND_LINES=codex with its image)
	@COMMAND_LINES="$(COMMAND_LINES)" cluster/e2e.sh $(BIN)/python -m $(PYTEST) $(if $(SPARK),tests/e2e/spark,tests/e2e --ignore=tests/e2e/spark --ignore=tests/e2e/upgrade) -n 0 \
	  --durations=25 --durations-min=5 $(if $(FULL),-m "e2e_full or not e2e_full") $(if $(ONLY),-k "$(ONLY)")

e2e-upgrade: .venv/.dev ## upgrade an older household (FROM=commit), roll it back and upgrade it again under load, on its own cluster
	@cluster/upgrade.sh "$(FROM)" $(BIN)/python -m pytest tests/e2e/upgrade -n 0

ci-cluster: ## run the end-to-end tests on their own cluster; skipped with one line if no cluster can run
	@cluster/ci.sh

# Images that few need: SPARK=1, COMMAND_LINES="codex claude-code opencode".
OPTIONS = $(if $(SPARK),--with spark) $(foreach family,$(COMMAND_LINES),--with $(family))

images: .venv/.demo $(if $(COMMAND_LINES),command-lines) ## build the container images and print their sizes (SPARK=1: those of Spark too, COMMAND_LINES="codex opencode": those with these programs)
	@cluster/images.sh $(BIN)/python --sizes $(OPTIONS)

push: .venv/.push helm $(if $(COMMAND_LINES),command-lines) ## push images and charts to REGISTRY=host[:port]/prefix, with the values to install them (TAG=…, SIGN_KEY=file, SPARK=1, COMMAND_LINES=codex, PLAIN_HTTP=1)
	@$(BIN)/python -m images.push "$(REGISTRY)" $(if $(TAG),--tag="$(TAG)") $(if $(SIGN_KEY),--sign-key="$(SIGN_KEY)") \
	  $(OPTIONS) $(if $(PLAIN_HTTP),--plain-http)

verify: .venv/.push ## verify what make push left in REGISTRY with the public key VERIFY_KEY=file (PLAIN_HTTP=1)
	@$(BIN)/python -m images.push.verify "$(REGISTRY)" $(if $(VERIFY_KEY),--key="$(VERIFY_KEY)") $(if $(PLAIN_HTTP),--plain-http)

wheel: .venv/.demo ## build dist/butlers-….whl with all programs: the kubectl plugins for another machine
	@rm -rf dist
	@$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

status: ## show what runs on the cluster of make up
	@cluster/status.sh

down: ## stop the cluster of make up and remove all but its cache (PURGE=1: its images too)
	@cluster/down.sh $(if $(PURGE),--purge)

fmt: .venv/.dev ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix-only --quiet .

lint: .venv/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: .venv/.dev
	@$(BIN)/mypy services connectors operator/butler_resources operator/butler_operator cli spark-apps/butler_rollups spark-apps/apps tests examples bench cluster images

imports: .venv/.dev
	@$(BIN)/lint-imports

schemas-check: .venv/.dev
	@$(BIN)/python -m butler_contracts.schemas --check docs/reference/schemas

crds: .venv/.dev ## write crds/, their copy in charts/butlers-crds and docs/reference/resources.md from the models
	@$(BIN)/python -m butler_resources.crds

crds-check: .venv/.dev
	@$(BIN)/python -m butler_resources.crds --check

conformance: .venv/.dev ## report which requirements the tests prove: build/conformance.json and docs/conformance.md
	@BUTLERS_CONFORMANCE=1 $(BIN)/python -m pytest -q -n $(WORKERS) $(SPREAD)
	@$(BIN)/python -m tests.support.conformance.report --write

conformance-gate: .venv/.dev
	@$(BIN)/python -m tests.support.conformance.report --gate

check: ## check format, lint, types, import contracts, schema and CRD drift, tests, conformance gate
	@$(MAKE) --no-print-directory lint types imports schemas-check crds-check
	@BUTLERS_CONFORMANCE=1 $(MAKE) --no-print-directory test PYTEST=tests.support.second_look
	@$(MAKE) --no-print-directory conformance-gate

ci: ## run check, demo and ci-cluster, as .ci/run does
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory demo
	@PYTEST=tests.support.second_look $(MAKE) --no-print-directory ci-cluster

LOCK := $(BIN)/uv pip compile -q pyproject.toml --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate
TEXTS := butler_specialist=answers butler_messenger=messages butler_switchboard=said
BABEL := $(CURDIR)/$(BIN)/pybabel -q
texts: .venv/.dev ## extract the texts for people into the catalogues and compile them (run it again after translating)
	@mkdir -p build
	@$(BIN)/python -m tests.unit.specialist.test_calendar_names
	@cd services && for texts in $(TEXTS); do package=$${texts%=*} domain=$${texts#*=}; \
	  $(BABEL) extract -k noop -k say:2 -k count:2,3 -k counted:1,2 --no-location --omit-header -o $(CURDIR)/build/$$domain.pot $$package || exit 1; \
	  for language in de fr es; do \
	    $(BABEL) update -N --ignore-obsolete --ignore-pot-creation-date -w 100 -D $$domain -i $(CURDIR)/build/$$domain.pot -d $$package/locale -l $$language && \
	    $(BABEL) compile -D $$domain -d $$package/locale -l $$language || exit 1; done; done

lock: .venv/.dev ## pin every dependency by hash; the images use the tested versions
	@for extra in demo dev; do $(LOCK) --extra $$extra -o requirements/$$extra.txt; done
	@$(LOCK) -c requirements/dev.txt --extra services --extra connectors --extra messenger --extra dashboard --extra llm -o requirements/butlers.txt
	@cd requirements/radicale && $(CURDIR)/$(BIN)/uv pip compile -q radicale.in --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate -o requirements.txt
	@for image in llm operator providers spark push; do $(LOCK) -c requirements/dev.txt --extra $$image -o requirements/$$image.txt; done

clean: ## remove the output of builds and tests
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
