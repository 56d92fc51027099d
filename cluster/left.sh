#!/usr/bin/env bash
# List what exists of the cluster on this machine, one per line: processes, mounts, links, network namespaces, control
# groups, firewall rules, its directory. Exit 1 if there is anything: after make down there is nothing.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

processes() { # by command line or by control group
  local entry words groups
  for entry in /proc/[0-9]*; do
    words=$(tr '\0' ' ' <"$entry/cmdline") || continue
    groups=$(<"$entry/cgroup")$'\n'
    if [[ $words == *"$CLUSTER_DIR"[/\ ]* || $groups == *":/$CGROUP"[/$'\n']* ]]; then echo "process ${entry#/proc/}: ${words:0:120}"; fi
  done 2>/dev/null
}

mounts() {
  local point
  awk '{print $5}' /proc/self/mountinfo | while read -r point; do
    case $point in "$CLUSTER_DIR"/*|"$STORE"/*|*/netns/"$NETNS") echo "mount $point" ;; esac
  done
}

rules() { # of this machine's network namespace; the node has its own
  { iptables-save; ip6tables-save; nft list ruleset; } 2>/dev/null | grep -wF -e "$VETH" -e "$HOST_IP" -e "$NODE_IP" | sed 's/^/rule /' || true
}

left() {
  processes
  mounts
  ! ip link show "$VETH" >/dev/null 2>&1 || echo "link $VETH"
  ! ip netns list | awk '{print $1}' | grep -qxF "$NETNS" || echo "network namespace $NETNS"
  find /sys/fs/cgroup -maxdepth 2 -type d -name "$CGROUP" -printf 'control group %p\n'
  rules
  [ ! -e "$CLUSTER_DIR" ] || echo "directory $CLUSTER_DIR"
}

found=$(left)
[ -z "$found" ] || { echo "$found"; exit 1; }
