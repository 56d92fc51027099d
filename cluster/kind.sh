#!/usr/bin/env bash
# The same cluster with kind, if Docker answers: kind.sh up|down|status|load FILE.tar…  up.sh, down.sh, status.sh and
# load.sh call it. CI has no Docker and does not run it; tests/unit/cluster checks its calls.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
KIND_NAME=butlers-$CLUSTER_NAME

kind() { "$(program kind)" "$@"; }
exists() { kind get clusters 2>/dev/null | grep -qxF "$KIND_NAME"; }
ours() { [ -s "$CLUSTER_DIR/id" ] && [ "$(cat "$CLUSTER_DIR/driver" 2>/dev/null)" = kind ]; }

programs() { # those on PATH are used here; the others are found or built as for the native cluster
  local name absent=()
  for name in kind kubectl helm; do program "$name" >/dev/null || absent+=("$name"); done
  [ ${#absent[@]} = 0 ] || "$HERE/binaries.sh" "${absent[@]}"
}

up() {
  docker_answers || die "Docker does not answer (docker info); start it, or choose BUTLERS_CLUSTER_DRIVER=native"
  [ "$(uname -m)" = x86_64 ] || die "the images hold programs for x86_64, and this is $(uname -m)"
  programs
  if exists; then
    ours || die "a kind cluster named $KIND_NAME is there that make up did not make, so it is left alone; choose BUTLERS_CLUSTER_NAME"
    say "cluster $CLUSTER_NAME runs already"
  else
    mkdir -p "$CLUSTER_DIR" "$IMAGES"
    chmod 700 "$CLUSTER_DIR"
    rm -f "$CLUSTER_DIR"/loaded-*
    od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$CLUSTER_DIR/id"
    echo kind >"$CLUSTER_DIR/driver"
    kind create cluster --name "$KIND_NAME" --config "$HERE/kind.yaml" --kubeconfig "$KUBECONFIG_FILE" --wait 180s \
      || die "kind could not make the cluster; its words are above"
    kubectl config set-context --current --namespace="$HOUSEHOLD" >/dev/null
  fi
  # Marks the cluster as ours.
  kubectl --namespace kube-system create configmap butlers-cluster --from-literal="id=$(cat "$CLUSTER_DIR/id")" \
    --dry-run=client --output=yaml | kubectl apply --server-side -f - >/dev/null
  say "cluster $CLUSTER_NAME is up (kind $KIND_NAME)"
}

load() { # ARCHIVE…: by name, because Docker has the images itself
  local archive name tag
  for archive in "$@"; do
    name=$(basename "$archive" .tar) tag=$(cat "$IMAGES/$(basename "$archive" .tar).tag")
    [ "$(cat "$CLUSTER_DIR/loaded-$name" 2>/dev/null)" != "$tag" ] || continue
    docker tag "localhost/$name:dev" "localhost/$name:$tag"
    kind load docker-image --name "$KIND_NAME" "localhost/$name:dev" "localhost/$name:$tag"
    echo "$tag" >"$CLUSTER_DIR/loaded-$name"
    say "loaded $name"
  done
}

down() { # only what make up made
  if exists; then
    ours || die "the kind cluster $KIND_NAME is not one that make up made, so it stays"
    kind delete cluster --name "$KIND_NAME" --kubeconfig "$KUBECONFIG_FILE" >/dev/null
  fi
  rm -rf --one-file-system "$CLUSTER_DIR"
  say "cluster $CLUSTER_NAME is down"
}

status() {
  exists || { echo "cluster $CLUSTER_NAME is down; start it with: make up"; return 1; }
  echo "cluster $CLUSTER_NAME, kind $KIND_NAME, export KUBECONFIG=$KUBECONFIG_FILE"
  kubectl get node
  kubectl get butler,connector,backfilljob -A 2>/dev/null || true
  pods_that_do_not_run
}

verb=${1:?up, down, status or load}
shift
case $verb in
  up|down|status) "$verb" ;;
  load) load "$@" ;;
  *) die "kind.sh knows up, down, status and load, not $verb" ;;
esac
