#!/usr/bin/env bash
# Put the demo household on the running cluster: images, charts, manifests; wait until everyone is ready.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
RELEASE=butlers
OPERATOR_NAMESPACE=butlers-system

tag() { cat "$IMAGES/$1.tag"; }                    # names the content, so that a changed image rolls its pods

namespace() { # NAME: with the strictest Pod Security, in words that change nothing when they are there
  kubectl apply --server-side -f - >/dev/null <<YAML
apiVersion: v1
kind: Namespace
metadata:
  name: $1
  labels: {pod-security.kubernetes.io/enforce: restricted, pod-security.kubernetes.io/warn: restricted}
YAML
}

install() {
  helm upgrade --install "$RELEASE" "$REPO/charts/butlers" --namespace "$OPERATOR_NAMESPACE" \
    --set "watchNamespaces={$HOUSEHOLD}" --set "image.tag=$(tag butlers)" \
    --set "operator.image.tag=$(tag butlers-operator)" --set "postgresql.embedded.image.tag=$(tag butlers-postgresql)" \
    --wait --timeout 180s >/dev/null 2> >(grep -v 'found symbolic link in path' >&2) || { kubectl get pods --all-namespaces >&2; die "the chart did not become ready"; }
  say "operator and PostgreSQL ready"
}

ready() {
  kubectl --namespace "$HOUSEHOLD" apply --filename "$REPO/examples/demo/" >/dev/null
  say "manifests of examples/demo applied"
  # Its manifest names the tag dev; this rolls the pod when another image has it.
  kubectl --namespace "$HOUSEHOLD" patch deployment providers --patch \
    "{\"spec\":{\"template\":{\"metadata\":{\"annotations\":{\"butlers.dev/image\":\"$(tag butlers-providers)\"}}}}}" >/dev/null
  kubectl --namespace "$HOUSEHOLD" rollout status deployment/providers --timeout=120s >/dev/null
  if ! kubectl --namespace "$HOUSEHOLD" wait --for=condition=Ready butler,connector --all --timeout=300s >/dev/null; then
    kubectl --namespace "$HOUSEHOLD" get butler,connector,pods >&2
    die "not everyone is ready; kubectl describe butler NAME says why"
  fi
  kubectl --namespace "$HOUSEHOLD" wait --for=condition=Online connector --all --timeout=180s >/dev/null \
    || die "not every connector is heard at Switchboard; kubectl describe connector NAME says why"
  say "the demo household is ready"
}

namespace "$OPERATOR_NAMESPACE"
namespace "$HOUSEHOLD"
"$HERE/load.sh" "$IMAGES"/butlers{,-operator,-postgresql,-providers}.tar
install
ready
cat <<TEXT

The household of examples/demo runs on the cluster "$CLUSTER_NAME". To use it:

  export KUBECONFIG=$KUBECONFIG_FILE PATH=$BIN:\$PATH

Three things to try:

  kubectl get butler,connector
  kubectl explain butler.spec
  kubectl describe butler finance

make status shows the cluster, make e2e tests it, make down ends it.
TEXT
