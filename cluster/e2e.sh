#!/usr/bin/env bash
# Run a command with the environment of the running cluster that the end-to-end tests need: e2e.sh COMMAND…
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
driver=$(driver)
[ "$driver" = native ] || die "the end-to-end tests stop services of the node, so they need: BUTLERS_CLUSTER_DRIVER=native make up"
node_pid >/dev/null || die "cluster $CLUSTER_NAME does not run; start it with: make up"
export BUTLERS_E2E_DIR=$CLUSTER_DIR BUTLERS_E2E_BIN=$BIN BUTLERS_E2E_NAMESPACE=$HOUSEHOLD
exec "$@"
