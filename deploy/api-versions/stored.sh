#!/bin/sh
# stored.sh VERSION [KUBECTL-OPTION…]: have every resource of butlers.dev stored as VERSION, and say so in the definitions.
#
# For the step of docs/guides/api-versions.md after the definitions that store VERSION were applied. An empty patch makes
# the API server write an object again, in the version that is stored now, and changes nothing else. It may be run again.
set -eu
[ $# -gt 0 ] || { echo "stored.sh: say which version, e.g. stored.sh v1alpha2" >&2; exit 2; }
version=$1
shift
kinds="butlers connectors backfilljobs butleroperations"

for kind in $kinds; do
  definition=$kind.butlers.dev
  storing=$(kubectl "$@" get customresourcedefinition "$definition" -o 'jsonpath={.spec.versions[?(@.storage==true)].name}')
  [ "$storing" = "$version" ] || {
    echo "stored.sh: $definition stores $storing: apply definitions that store $version first; nothing was changed" >&2
    exit 1
  }
done

for kind in $kinds; do
  definition=$kind.butlers.dev
  objects=$(kubectl "$@" get "$definition" --all-namespaces \
    -o 'jsonpath={range .items[*]}{.metadata.namespace} {.metadata.name}{"\n"}{end}')
  count=0
  while read -r namespace name; do
    [ -n "$name" ] || continue
    # Whoever deletes one meanwhile has done more than is asked for here.
    kubectl "$@" patch "$definition" "$name" --namespace "$namespace" --type merge --patch '{}' >/dev/null ||
      [ -z "$(kubectl "$@" get "$definition" "$name" --namespace "$namespace" --ignore-not-found -o name)" ] || {
        echo "stored.sh: $definition $namespace/$name could not be written; run this again" >&2
        exit 1
      }
    count=$((count + 1))
  done <<EOF
$objects
EOF
  kubectl "$@" patch customresourcedefinition "$definition" --subresource status --type merge \
    --patch "{\"status\":{\"storedVersions\":[\"$version\"]}}" >/dev/null
  echo "$kind: $count stored as $version"
done
