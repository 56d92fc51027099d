#!/usr/bin/env bash
# End the cluster and remove what it made on this machine; only the cache stays (binaries, images: the next start is fast).
#   --keep       keep etcd and volumes too, for the next start
#   --purge      remove containerd's image store as well
#   --leftovers  only what a crashed run left outside the cluster's directory (up.sh calls it)
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
[ "$(cat "$CLUSTER_DIR/driver" 2>/dev/null)" != kind ] || exec "$HERE/kind.sh" down
mode=${1:---all}
case $mode in --all|--keep|--purge|--leftovers) ;; *) die "down.sh knows --keep and --purge, not $mode" ;; esac

signal() { # SIGNAL SERVICE
  [ ! -s "$CLUSTER_DIR/pids/$2.pid" ] || in_node kill "$1" "$(cat "$CLUSTER_DIR/pids/$2.pid")" 2>/dev/null || true
}

end_node() { # PID
  # The kubelet first, so that it restarts nothing; etcd gets time to close its files; the rest is killed.
  touch "$CLUSTER_DIR"/control/{kubelet,etcd,kube-apiserver}.stop
  signal -TERM kubelet
  signal -KILL kube-apiserver
  signal -TERM etcd
  for _ in {1..30}; do in_node kill -0 "$(cat "$CLUSTER_DIR/pids/etcd.pid")" 2>/dev/null || break; sleep 0.1; done
  kill -KILL "$1" 2>/dev/null || true               # first of its namespace: the kernel kills all the others
  for _ in {1..100}; do [ -d "/proc/$1" ] || break; sleep 0.1; done
}

remove_cgroups() {
  local tree
  for tree in /sys/fs/cgroup/*/"$CGROUP" /sys/fs/cgroup/"$CGROUP"; do
    [ -d "$tree" ] || continue
    for _ in {1..20}; do find "$tree" -depth -type d -exec rmdir {} + 2>/dev/null || true; [ -d "$tree" ] || break; sleep 0.1; done
  done
}

remove_mount_points() {
  local point
  # Removing one would also detach it inside another node, so only when no process has anything mounted there.
  for point in /var/lib/kubelet /var/log/pods /var/log/containers "$HOSTPATH_PV"; do
    [ -d "$point" ] || continue
    grep -qsF " $point " /proc/[0-9]*/mountinfo || rmdir "$point" 2>/dev/null || true
  done
}

remove() { # DIRECTORY MARK: only if up.sh made it
  [ ! -e "$1" ] || [ -e "$1/$2" ] || die "$1 does not look like a cluster's directory, so it stays"
  rm -rf --one-file-system "$1"
}

if pid=$(node_pid); then end_node "$pid"; fi
rm -f "$CLUSTER_DIR/node.pid" "$CLUSTER_DIR"/pids/* "$CLUSTER_DIR"/control/*.stop
ip link del "$VETH" 2>/dev/null || true
ip netns del "$NETNS" 2>/dev/null || true
[ -n "$(ip netns list)" ] || ! mountpoint -q /run/netns || umount /run/netns      # made by `ip netns add`
remove_cgroups
remove_mount_points
case $mode in
  --all|--purge) remove "$CLUSTER_DIR" id ;;
esac
[ "$mode" != --purge ] || remove "$STORE" io.containerd.metadata.v1.bolt
[ "$mode" = --leftovers ] || say "cluster $CLUSTER_NAME is down"
