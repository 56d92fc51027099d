#!/usr/bin/env bash
# Find or build the cluster's programs: binaries.sh [NAME…]. In this order: $BUTLERS_CLUSTER_BIN, the cache, the packed
# archive beside the checkout (checked against binaries.sha256), else a build from Go modules (once, about half an hour).
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

ARCHIVE=${BUTLERS_CLUSTER_ARCHIVE:-$REPO/../shared/cluster/bin/cluster-bin-linux-amd64.tar.xz}
[ $# -gt 0 ] || set -- etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl coredns pause helm

missing() {
  local name
  for name in "$@"; do [ -x "$BIN/$name" ] || echo "$name"; done
}

packed() { # whether the archive has one of these
  local name
  for name in "$@"; do grep -qE "^[0-9a-f]{64}  $name\$" "$HERE/binaries.sha256" && return 0; done
  return 1
}

unpack() { # into the cache, all or nothing; with other checksums, they are built instead
  local fresh=$BIN.new
  rm -rf "$fresh"; mkdir -p "$fresh"
  say "unpacking $(basename "$ARCHIVE")"
  xz -dc -M 2GiB "$ARCHIVE" | tar -xf - -C "$fresh"
  if ! (cd "$fresh" && sha256sum --quiet --strict -c --ignore-missing "$HERE/binaries.sha256"); then
    say "left alone: $(basename "$ARCHIVE") holds other binaries than binaries.sha256 names"
    rm -rf "$fresh"
    return
  fi
  mkdir -p "$BIN"; chmod 755 "$fresh"/*; mv -f "$fresh"/* "$BIN/"; rmdir "$fresh"
}

# One Go module per family of dependencies, because `replace` of k8s.io/* applies to a whole module.
family_of() {
  case $1 in
    kube*) echo k8s ;;
    etcd|coredns|pause|helm|spark-operator|kind|promtool) echo "$1" ;;
    *) die "nobody knows how to build $1" ;;
  esac
}

version_in() { (cd "$HERE/go/$1" && go list -m -f '{{.Version}}' "$2"); }

go_build() { # FAMILY LDFLAGS OUTPUT PACKAGE…
  local family=$1 flags=$2 output=$3 since=$SECONDS
  shift 3
  say "building $family from Go modules (this happens once)"
  (cd "$HERE/go/$family" && go build -trimpath -buildvcs=false -ldflags "-s -w $flags" -o "$output" "$@")
  say "built $family in $((SECONDS - since)) s"
}

build() {
  local version minor flags=
  case $1 in
    k8s)
      version=$(version_in k8s k8s.io/kubernetes); minor=${version#v1.}; minor=${minor%%.*}
      # Without the stamp every component calls itself v0.0.0-master and version checks fail.
      for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
        flags+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$minor"
        flags+=" -X $package.gitTreeState=clean -X $package.buildDate=1970-01-01T00:00:00Z"
      done
      go_build k8s "$flags" "$BIN/" k8s.io/kubernetes/cmd/{kube-apiserver,kube-controller-manager,kube-scheduler,kubelet,kube-proxy,kubectl} ;;
    etcd) go_build etcd "" "$BIN/etcd" go.etcd.io/etcd/server/v3 ;;
    coredns|pause) go_build "$1" "" "$BIN/$1" . ;;
    helm)
      version=$(version_in helm helm.sh/helm/v4)
      go_build helm "-X helm.sh/helm/v4/internal/version.version=$version -X helm.sh/helm/v4/internal/version.gitTreeState=clean" "$BIN/helm" helm.sh/helm/v4/cmd/helm ;;
    spark-operator)
      version=$(version_in spark-operator github.com/kubeflow/spark-operator/v2)
      go_build spark-operator "-X k8s.io/component-base/version.gitVersion=$version -X k8s.io/component-base/version.gitTreeState=clean" "$BIN/spark-operator" github.com/kubeflow/spark-operator/v2/cmd/operator ;;
    kind) go_build kind "" "$BIN/kind" sigs.k8s.io/kind ;;
    # Rules need no service discovery, whose clients of every cloud are most of the tree.
    promtool) GOFLAGS="$GOFLAGS -tags=remove_all_sd" go_build promtool "" "$BIN/promtool" github.com/prometheus/prometheus/cmd/promtool ;;
  esac
}

[ -n "$(missing "$@")" ] || exit 0
[ -z "${BUTLERS_CLUSTER_BIN:-}" ] || die "not in BUTLERS_CLUSTER_BIN=$BIN: $(missing "$@" | tr '\n' ' ')"
mkdir -p "$CACHE"
exec 9>"$CACHE/binaries.lock"
flock 9
mapfile -t absent < <(missing "$@")
if packed "${absent[@]}" && [ -r "$ARCHIVE" ] && [ "$(uname -m)" = x86_64 ] && command -v xz >/dev/null; then unpack; fi
mapfile -t absent < <(missing "$@")
[ ${#absent[@]} -gt 0 ] || exit 0
PATH=$PATH:/usr/local/go/bin                       # where Go installs itself; not every PATH has it
command -v go >/dev/null || die "no binaries here for ${absent[*]}, and no Go to build them; install Go 1.26 or set BUTLERS_CLUSTER_BIN"
mkdir -p "$BIN"
export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS=-mod=readonly
for family in $(for name in "${absent[@]}"; do family_of "$name"; done | sort -u); do build "$family"; done
