#!/usr/bin/env bash
# One screen: services with their memory, the node, the household. Exit 1 if the cluster is down or its node not ready.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
driver=$(driver)
[ "$driver" = native ] || exec "$HERE/kind.sh" status

pid=$(node_pid) || { echo "cluster $CLUSTER_NAME is down; start it with: make up"; exit 1; }
echo "cluster $CLUSTER_NAME, node process $pid, export KUBECONFIG=$KUBECONFIG_FILE"
# shellcheck disable=SC2016
in_node bash -c '
  for file in "$1"/*.pid; do
    pid=$(cat "$file")
    if [ -d "/proc/$pid" ]; then memory="$(awk "/^Pss:/{print int(\$2/1024)}" "/proc/$pid/smaps_rollup") MiB"; else memory="not running"; fi
    printf "  %-26s %s\n" "$(basename "$file" .pid)" "$memory"
  done
  cat /proc/[0-9]*/smaps_rollup 2>/dev/null | awk "/^Pss:/{sum+=\$2} END{printf \"  %-26s %d MiB\n\", \"everything in the node\", sum/1024}"
' - "$CLUSTER_DIR/pids"
kubectl get node
kubectl get butler,connector,backfilljob -A 2>/dev/null || true
pods_that_do_not_run
kubectl wait --for=condition=Ready "node/$NODE_NAME" --timeout=1s >/dev/null
