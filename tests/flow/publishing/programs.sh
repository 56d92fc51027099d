#!/usr/bin/env bash
# Pushing is tested with buildah and a real registry, Debian's docker-registry: found, else got by apt-get (the registry is
# only unpacked into the cache: its package would start it); else one line says so, and those tests are counted as missing.
set -euo pipefail

CACHE=${BUTLERS_CLUSTER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/butlers-cluster}
PLACE=$CACHE/registry

has_buildah() { command -v buildah >/dev/null; }
has_registry() { command -v docker-registry >/dev/null || [ -x "$PLACE/usr/bin/docker-registry" ]; }

get_registry() {
  local fresh
  mkdir -p "$CACHE"
  fresh=$(mktemp -d "$CACHE/registry.XXXXXX")
  chmod 755 "$fresh"
  if (cd "$fresh" && apt-get -q download docker-registry && dpkg-deb -x ./*.deb . && rm ./*.deb) >/dev/null 2>&1; then
    rm -rf "$PLACE"
    mv "$fresh" "$PLACE"
  else
    rm -rf "$fresh"
    return 1
  fi
}

if has_buildah && has_registry; then exit 0; fi
if command -v apt-get >/dev/null; then
  echo "getting what pushing is tested with (once)"
  if [ "$(id -u)" = 0 ]; then apt-get update -qq >/dev/null 2>&1 || true; fi
  has_registry || get_registry || true
  if ! has_buildah && [ "$(id -u)" = 0 ]; then
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends buildah >/dev/null 2>&1 || true
  fi
fi
if has_buildah && has_registry; then exit 0; fi
echo "pushing to a registry is not tested: missing buildah or docker-registry (Debian's packages)"
