#!/usr/bin/env bash
# Put the demo household on the running cluster: images, charts, manifests; wait until everyone is ready.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
RELEASE=butlers
OPERATOR_NAMESPACE=butlers-system
READY_S=600                                        # a deadline for busy machines; idle ones need a minute

tag() { cat "$IMAGES/$1.tag"; }                    # identifies the content: a change rolls the pods; always a string

namespace() { # NAME: with the strictest Pod Security; changes nothing if it exists
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
    --set "watchNamespaces={$HOUSEHOLD}" --set "household.allowedImages={localhost/}" --set-string "image.tag=$(tag butlers)" \
    --set-string "operator.image.tag=$(tag butlers-operator)" --set-string "postgresql.embedded.image.tag=$(tag butlers-postgresql)" \
    --wait --timeout "${READY_S}s" >/dev/null 2> >(grep -v 'found symbolic link in path' >&2) || { kubectl get pods --all-namespaces >&2; die "the chart did not become ready"; }
  say "operator and PostgreSQL ready"
}

home() { kubectl --namespace "$HOUSEHOLD" "$@"; }

check() { # by the server, which reports an error in one line; a patch by kubectl would show the whole object
  local words
  words=$(home apply --server-side --force-conflicts --dry-run=server --filename "$REPO/examples/demo/" 2>&1 >/dev/null) \
    || { grep -v '^Warning: failed to migrate' <<<"$words" >&2; die "the above has to be changed in examples/demo; nothing of it was applied"; }
}

refused() { # manifests that the API server accepts and the operator rejects, with its message
  # shellcheck disable=SC2016
  home get butler,connector --output go-template='{{range .items}}{{$one := .}}{{range .status.conditions}}{{if and (eq .type "Accepted") (eq .status "False") (eq .observedGeneration $one.metadata.generation)}}{{$one.kind}} {{$one.metadata.name}}: {{.message}}{{"\n"}}{{end}}{{end}}{{end}}'
}

await_ready() {
  local since=$SECONDS words
  until { home wait --for=condition=Available deployment --all --timeout=5s && home wait --for=condition=Ready butler,connector --all --timeout=5s; } >/dev/null 2>&1; do
    words=$(refused 2>/dev/null || true)
    [ -z "$words" ] || { echo "$words" >&2; die "the above has to be changed in examples/demo"; }
    [ $((SECONDS - since)) -lt "$READY_S" ] || { home get butler,connector,pods >&2; die "not everyone is ready within $READY_S s; kubectl describe butler NAME says why"; }
  done
}

ready() {
  check
  home apply --filename "$REPO/examples/demo/" >/dev/null
  say "manifests of examples/demo applied"
  # Its manifest names the tag dev; this rolls the pod when another image gets that tag.
  home patch deployment providers --patch \
    "{\"spec\":{\"template\":{\"metadata\":{\"annotations\":{\"butlers.dev/image\":\"$(tag butlers-providers)\"}}}}}" >/dev/null
  home rollout status deployment/providers --timeout="${READY_S}s" >/dev/null \
    || { home get pods >&2; die "the test providers did not start; kubectl describe deployment providers says why"; }
  await_ready
  home wait --for=condition=Online connector --all --timeout="${READY_S}s" >/dev/null \
    || die "not every connector is heard at Switchboard; kubectl describe connector NAME says why"
  say "the demo household is ready"
}

namespace "$OPERATOR_NAMESPACE"
namespace "$HOUSEHOLD"
"$HERE/load.sh" "$IMAGES"/butlers{,-operator,-postgresql,-providers}.tar
for family in ${COMMAND_LINES:-}; do "$HERE/load.sh" "$IMAGES/butlers-$family.tar"; done
install
ready
# kubectl, helm and our plugin in one folder that is removed with the cluster: nothing else of the checkout is on PATH.
programs() {
  local name
  mkdir -p "$CLUSTER_DIR/bin"
  for name in kubectl helm; do ln -sfn "$(program "$name")" "$CLUSTER_DIR/bin/$name"; done
  for name in butlers kubectl-butler kubectl_complete-butler; do ln -sfn "$REPO/.venv/bin/$name" "$CLUSTER_DIR/bin/$name"; done
}

programs
cat <<TEXT

The household of examples/demo runs on the cluster "$CLUSTER_NAME". To use it:

  export KUBECONFIG=$(printf %q "$KUBECONFIG_FILE") PATH=$(printf %q "$CLUSTER_DIR/bin"):\$PATH

Three things to try:

  kubectl butler status
  kubectl get household
  kubectl describe butler finance

make status shows the cluster, make e2e tests it, make down ends it.
TEXT
