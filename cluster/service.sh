#!/usr/bin/env bash
# Stop and start one service of the node, for tests of outages: service.sh stop|start|kill|log NAME
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
verb=${1:?stop, start, kill or log} name=${2:?the name of a service: kubelet, etcd, kube-apiserver …}
[ -s "$CLUSTER_DIR/pids/$name.pid" ] || die "no service $name; there are: $(cd "$CLUSTER_DIR/pids" && echo *)"
case $verb in
  stop) touch "$CLUSTER_DIR/control/$name.stop"; in_node kill -TERM "$(cat "$CLUSTER_DIR/pids/$name.pid")" ;;
  start) rm -f "$CLUSTER_DIR/control/$name.stop" ;;
  kill) in_node kill -KILL "$(cat "$CLUSTER_DIR/pids/$name.pid")" ;;      # its loop restarts it
  log) tail -n 100 "$CLUSTER_DIR/log/$name.log" ;;
  *) die "service.sh knows stop, start, kill and log, not $verb" ;;
esac
