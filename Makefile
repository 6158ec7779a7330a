# The two commands of the README are `make run` and `make test`; the others are for those
# who build nbterm (docs/contributing.md).
.PHONY: run build test lint test-peers fuzz soak bench golden proto clean
.DEFAULT_GOAL := build

GROUP ?= ipykernel6
FUZZTIME ?= 30s
# Packages where goroutines meet run under the race detector; the others are faster without.
RACE = ./internal/... ./kernelclient/... ./notebook/session/... ./notebook/output/... ./notebook/mime/... ./notebook/diskfile/... ./fswatch/... ./tui/...
PLAIN = . ./notebook ./notebook/diff/... ./notebook/ipynb/... ./render/... ./themes/...

build:
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o nbterm .

# Opens the tour; where stdout is no terminal, runs it headless.
run: build
	@if [ -t 1 ]; then ./nbterm testdata/tour.ipynb; else ./nbterm run testdata/tour.ipynb; fi

test:
	python=$$(.ci/setup) && export NBTERM_TEST_PYTHON=$$python NBTERM_TEST_REQUIRE=1 && \
	go vet ./... && \
	CGO_ENABLED=1 go test -race -timeout 9m $(RACE) && \
	go test -timeout 9m $(PLAIN)

lint:
	cd .ci/tools && go build -o ../../.cache/bin/ tool
	test -z "$$(.cache/bin/gofumpt -l $$(git ls-files '*.go'))" || { .cache/bin/gofumpt -d $$(git ls-files '*.go'); exit 1; }
	.cache/bin/golangci-lint run ./...
	GOOS=darwin go vet ./...
	GOOS=windows go vet ./...

# The tests that need a certain peer. GROUP=ipykernel6: everything that talks to a kernel, on
# ipykernel 6. GROUP=nbclient: the same notebooks run by nbclient, with the same outputs.
# GROUP=e2b-files: E2B's own SDKs, JavaScript and Python, on files that nbterm serves.
# GROUP=e2b: the same on code; NBTERM_TEST_UPDATE=1 writes docs/e2b-compat.md anew.
PEER_ipykernel6 = ./kernelclient/jupyter/... ./kernelclient/local/... .
PEER_nbclient = -run TestPeerNbclient .
PEER_e2b-files = -run TestPeerE2BFiles .
PEER_e2b = -run 'TestPeerE2B(Code|Captures)' .
# A real Jupyter server, the newest, the one before and the last 1.x, and the gateways.
PEER_jupyterserver = -run 'TestReal' ./kernelclient/jupyterserver
PEER_jupyterserver20 = $(PEER_jupyterserver)
PEER_jupyterserver1 = $(PEER_jupyterserver)
# Jupyter's own clients, and JupyterLab, on kernels that nbterm serves.
PEER_jupyterface = -run TestPeerJupyter .
PEER_kernelgateway = $(PEER_jupyterserver)
PEER_enterprisegateway = $(PEER_jupyterserver)
test-peers:
	python=$$(.ci/setup $(GROUP)) && export NBTERM_TEST_PYTHON=$$python NBTERM_TEST_REQUIRE=1 NBTERM_TEST_PEER=$(GROUP) && \
	go test -count=1 -timeout 15m $(PEER_$(GROUP))

# Each fuzz target for FUZZTIME; their seeds run in `make test` anyway.
fuzz:
	@for pkg in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
	  done; \
	done

# The program is killed a hundred times while somebody edits and saves, and so is the host
# process while code runs; a kernel is restarted two hundred times. nbterm serve has 200
# contexts, 50 streams at once, 10,000 executions and 1,000 clients that leave.
soak:
	python=$$(.ci/setup) && export NBTERM_TEST_PYTHON=$$python NBTERM_TEST_REQUIRE=1 && \
	NBTERM_KILLS=100 go test -count=1 -parallel 10 -run TestKilled . && \
	NBTERM_KILLS=100 go test -count=1 -run TestHostKills . && \
	NBTERM_RESTARTS=200 go test -count=1 -run TestRestarts ./kernelclient/local && \
	NBTERM_LOAD=1 go test -count=1 -v -run TestLoad ./kernelclient/bridge/serve

# The budgets, as ratios beside a jupyter_client script and nbformat.
bench:
	python=$$(.ci/setup nbclient) && NBTERM_TEST_PYTHON=$$python go test -run '^$$' -bench . -benchtime 3x ./...
	python=$$(.ci/setup jupyterserver) && NBTERM_TEST_PEER=jupyterserver NBTERM_TEST_PYTHON=$$python go test -run '^$$' -bench Real -benchtime 3x ./kernelclient/jupyterserver

golden:
	go test ./render ./tui ./tui/keymap -update

# The stubs of the file service, from their .proto. The tools are a module of their own: buf
# would bring a hundred modules along and takes minutes to build.
proto:
	cd .ci/proto && go tool buf generate ../../fswatch/envd/envdpb
	cd .ci/tools && go tool gofumpt -w ../../fswatch/envd/envdpb/*.go

clean:
	rm -rf nbterm .cache
