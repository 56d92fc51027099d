# shellcheck shell=bash disable=SC2034
# Settings and small functions shared by the scripts of this folder. All settings come from the environment.
set -euo pipefail
umask 022

HERE=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
REPO=$(dirname "$HERE")
CLUSTER_NAME=${BUTLERS_CLUSTER_NAME:-butlers}
CLUSTER_INDEX=${BUTLERS_CLUSTER_INDEX:-0}          # another index allows a second cluster beside the first
CACHE=${BUTLERS_CLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/butlers-cluster}
CLUSTER_DIR=$CACHE/clusters/$CLUSTER_NAME          # everything one cluster keeps; `down` removes it
STORE=$CACHE/containerd/$CLUSTER_NAME              # containerd's images; they outlive the cluster
IMAGES=$CACHE/images                               # image archives, shared by all clusters
BIN=${BUTLERS_CLUSTER_BIN:-$CACHE/bin}
KUBECONFIG_FILE=$CLUSTER_DIR/kubeconfig
HOUSEHOLD=household                                # namespace of the demo household, and kubectl's default one

NODE_NAME=$CLUSTER_NAME-node
HOST_IP=10.217.$CLUSTER_INDEX.1                    # this machine, seen from the node
NODE_IP=10.217.$CLUSTER_INDEX.2                    # the node, seen from this machine
POD_CIDR=10.218.0.0/16
SERVICE_PREFIX=10.219.0
SERVICE_CIDR=$SERVICE_PREFIX.0/20
DNS_IP=$SERVICE_PREFIX.10
HOSTPATH_PV=/tmp/hostpath_pv                       # fixed in kube-controller-manager's host-path provisioner
NETNS=butlers-$CLUSTER_NAME
VETH=btl${CLUSTER_INDEX}h
CGROUP=butlers-$CLUSTER_NAME
DEBIAN_PACKAGES=(containerd runc containernetworking-plugins iptables nftables conntrack iproute2 procps util-linux openssl xz-utils
  buildah mmdebstrap)

# Nothing here leaves the machine: no proxy may be between kubectl and the node.
export NO_PROXY="${NO_PROXY:+$NO_PROXY,}$NODE_IP,127.0.0.1,localhost"
export no_proxy=$NO_PROXY
unset KUBECONFIG                                   # never another cluster

STARTED=$(date +%s%N)
say() {
  local ms=$(( ($(date +%s%N) - STARTED) / 1000000 ))
  printf '[%3d.%d s] %s\n' $((ms / 1000)) $((ms % 1000 / 100)) "$*" >&2
}
die() { printf 'cluster: %s\n' "$*" >&2; exit 1; }

# The node's first process by its PID on this machine; fails if the node does not run.
node_pid() {
  local pid
  [ -s "$CLUSTER_DIR/node.pid" ] || return 1
  pid=$(cat "$CLUSTER_DIR/node.pid")
  # PIDs are reused: it must be our own first process.
  tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q "node.sh $CLUSTER_DIR " || return 1
  echo "$pid"
}

# Run a command inside the node's namespaces.
in_node() {
  local pid
  pid=$(node_pid) || die "cluster $CLUSTER_NAME does not run; start it with: make up"
  nsenter --target "$pid" --mount --net --pid --uts --wdns=/ "$@"
}

# native: ordinary processes of this machine; kind: if Docker answers. An existing cluster keeps its driver.
driver() {
  local made=
  [ ! -s "$CLUSTER_DIR/id" ] || made=$(cat "$CLUSTER_DIR/driver" 2>/dev/null || echo native)
  local wanted=${BUTLERS_CLUSTER_DRIVER:-$made}
  case $wanted in
    native|kind) ;;
    '') if docker_answers; then wanted=kind; else wanted=native; fi ;;
    *) die "BUTLERS_CLUSTER_DRIVER is native or kind, not $wanted" ;;
  esac
  [ -z "$made" ] || [ "$made" = "$wanted" ] || die "cluster $CLUSTER_NAME is there by the driver $made; end it with make down first"
  echo "$wanted"
}
docker_answers() { command -v docker >/dev/null && timeout 10 docker info >/dev/null 2>&1; }

# A program of the cluster: ours, else (with kind only) the one on PATH.
program() { if [ -x "$BIN/$1" ]; then echo "$BIN/$1"; else type -P "$1"; fi; }

pods_that_do_not_run() {
  echo "pods that do not run:"
  kubectl get pods -A --no-headers | awk '{split($3, r, "/")} $4 != "Completed" && ($4 != "Running" || r[1] != r[2]) {print "  " $0; n++} END {if (!n) print "  none"}'
}

kubectl() { "$(program kubectl)" --kubeconfig "$KUBECONFIG_FILE" "$@"; }
helm() { "$(program helm)" --kubeconfig "$KUBECONFIG_FILE" "$@"; }

# await SECONDS WHAT COMMAND…: poll until the command succeeds.
await() {
  local limit=$1 what=$2 since=$SECONDS
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $((SECONDS - since)) -lt "$limit" ] || { say "not within $limit s: $what"; return 1; }
    node_pid >/dev/null || { say "the node ended before: $what"; return 1; }
    sleep 0.2
  done
  say "$what"
}
