#!/usr/bin/env bash
# Check whether this machine can run the native cluster, and install missing Debian packages.
# Exit 0: it can. Exit 3: it cannot, and one line on stderr says why.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

cannot() { printf 'cluster: this machine cannot run one: %s\n' "$*" >&2; exit 3; }

missing_packages() {
  local package
  for package in "${DEBIAN_PACKAGES[@]}"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed' || echo "$package"
  done
}

[ "$(uname -sm)" = "Linux x86_64" ] || cannot "it needs Linux on x86_64 (this is $(uname -sm)); with Docker, kind is used"
[ "$(id -u)" = 0 ] || cannot "it needs root, for namespaces and the kubelet"
unshare --mount --net --pid --uts --fork true 2>/dev/null || cannot "new mount, network and process namespaces are refused here"
grep -qw overlay /proc/filesystems || cannot "the kernel has no overlay file system"
[ -w /sys/fs/cgroup ] || cannot "/sys/fs/cgroup is not writable"
command -v dpkg-query >/dev/null || cannot "its parts come from Debian packages (${DEBIAN_PACKAGES[*]}), and dpkg is not here"
command -v python3 >/dev/null || cannot "python3 is missing"

mapfile -t missing < <(missing_packages)
if [ ${#missing[@]} -gt 0 ]; then
  say "installing ${missing[*]}"
  log=$(mktemp)
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 3 "$log" >&2
    cannot "apt-get could not install ${missing[*]} (whole output: $log)"
  fi
  rm -f "$log"
fi
[ -x /usr/lib/cni/bridge ] || cannot "no network plug-ins in /usr/lib/cni (package containernetworking-plugins)"
