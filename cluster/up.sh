#!/usr/bin/env bash
# Start a single-node Kubernetes of native processes, or complete a running one. It has its own network, mount, PID and
# UTS namespaces, so that it does not clash with this machine and ends with its first process.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
driver=$(driver)
[ "$driver" = native ] || exec "$HERE/kind.sh" up

"$HERE/preflight.sh"
"$HERE/binaries.sh"
mkdir -p "$CLUSTER_DIR"/{log,control,pids,etcd,audit,kubelet,pod-logs,container-logs,cni,volumes,conf} "$STORE" "$IMAGES"
chmod 700 "$CLUSTER_DIR"
[ -s "$CLUSTER_DIR/id" ] || openssl rand -hex 16 >"$CLUSTER_DIR/id"      # marks the directory and the cluster as ours
echo native >"$CLUSTER_DIR/driver"
exec 9>"$CLUSTER_DIR/lock"
flock -w 120 9 || die "another make up or make down is at work on $CLUSTER_NAME"
source "$HERE/pki.sh"
source "$HERE/config.sh"

connect() { # the node's network: one link to this machine, no route further
  ip netns add "$NETNS"
  ip link add "$VETH" type veth peer name eth0 netns "$NETNS"
  ip addr add "$HOST_IP/24" dev "$VETH"
  ip link set "$VETH" up
  ip -n "$NETNS" link set lo up
  ip -n "$NETNS" addr add "$NODE_IP/24" dev eth0
  ip -n "$NETNS" link set eth0 up
  # Without a route, connect() to a Service's address would fail before the rules that translate it.
  ip -n "$NETNS" route add "$SERVICE_CIDR" via "$HOST_IP"
}

start_node() {
  local outer inner=
  "$HERE/down.sh" --leftovers 9>&-
  connect
  # `ip netns exec` would hide the cgroups; nsenter does not.
  setsid nsenter --net="/run/netns/$NETNS" unshare --mount --uts --pid --fork --kill-child=SIGKILL --mount-proc \
    bash "$HERE/node.sh" "$CLUSTER_DIR" "$CLUSTER_NAME" >>"$CLUSTER_DIR/log/node.log" 2>&1 </dev/null 9>&- &
  outer=$!
  for _ in {1..100}; do inner=$(pgrep -P "$outer" | head -n 1 || true); [ -z "$inner" ] || break; sleep 0.05; done
  [ -n "$inner" ] || die "the node did not start; see $CLUSTER_DIR/log/node.log"
  echo "$inner" >"$CLUSTER_DIR/node.pid"
  disown "$outer"
  say "node namespaces made, services starting"
}

system_images() { # two static binaries, each an image of one file
  local name
  for name in pause coredns; do
    [ "$IMAGES/$name.tar" -nt "$BIN/$name" ] || python3 "$HERE/one_file_image.py" "$BIN/$name" "localhost/$name:1" "$IMAGES/$name.tar"
  done
  "$HERE/load.sh" "$IMAGES/pause.tar" "$IMAGES/coredns.tar" 9>&-
}

# Until the kubelet has looked, etcd has the former state of pods: their containers ended with the last node.
all_started_since() { # MOMENT
  ! kubectl get pods -A -o jsonpath='{range .items[*].status.containerStatuses[*]}{.state.running.startedAt}{"\n"}{end}' \
    | awk -v since="$1" '$1 != "" && $1 < since {n++} END {exit !n}'
}

make_pki
write_config
fresh=$([ -d "$CLUSTER_DIR/etcd/member" ] || echo yes)
rm -f "$CLUSTER_DIR"/control/*.stop                # services that were stopped are started again
began=
if node_pid >/dev/null; then say "cluster $CLUSTER_NAME runs already"; else began=$(date -u +%FT%TZ); start_node; fi
await 90 "containerd answers" in_node ctr version || die "see $CLUSTER_DIR/log/containerd.log"
if [ "$fresh" = yes ]; then
  # The image store outlives clusters; this one cannot use the containers of an earlier one.
  for container in $(in_node ctr -n k8s.io containers ls -q); do in_node ctr -n k8s.io containers rm "$container" >/dev/null 2>&1 || true; done
fi
system_images
await 180 "API server ready" kubectl get --raw /readyz || die "see kube-apiserver.log and etcd.log in $CLUSTER_DIR/log"
sed -e "s|@DNS_IP@|$DNS_IP|g" -e "s|@HOST_IP@|$HOST_IP|g" -e "s|@ID@|$(cat "$CLUSTER_DIR/id")|g" "$HERE/system.yaml" \
  | kubectl apply --server-side --force-conflicts -f - >/dev/null
await 180 "node ready" kubectl wait --for=condition=Ready "node/$NODE_NAME" --timeout=2s || die "see $CLUSTER_DIR/log/kubelet.log"
[ -z "$began" ] || [ "$fresh" = yes ] || await 300 "every pod of before was started again" all_started_since "$began"
await 180 "DNS ready" kubectl -n kube-system rollout status deployment/coredns --timeout=2s || die "kubectl -n kube-system describe pods says why"
await 90 "cluster $CLUSTER_NAME is up" kubectl -n default get serviceaccount default
