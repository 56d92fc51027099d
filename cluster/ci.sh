#!/usr/bin/env bash
# The cluster part of `make ci`: up, end-to-end tests, down, with the seconds of each; nothing may be left. On a machine
# that cannot run a cluster, it says so in one line and exits with 0. Its cluster does not touch one that is already up.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
export BUTLERS_CLUSTER_NAME=${BUTLERS_CLUSTER_NAME:-butlers-ci} BUTLERS_CLUSTER_INDEX=${BUTLERS_CLUSTER_INDEX:-9}
export BUTLERS_CLUSTER_DRIVER=native

if ! reason=$("$HERE/preflight.sh" 2>&1); then
  echo "end-to-end tests left out: ${reason##*$'\n'}"
  exit 0
fi
phase() { # NAME COMMAND…
  local name=$1 since=$SECONDS status=0
  shift
  "$@" || status=$?
  echo "phase $name: $((SECONDS - since)) s$([ $status = 0 ] || echo ", failed")"
  return $status
}
make=(make --no-print-directory -C "$REPO")
nothing_left() { "$HERE/left.sh" || { echo "make down left the above"; return 1; }; }
ended() {
  local status=$?
  trap - EXIT
  phase down "${make[@]}" down || status=1
  nothing_left || status=1
  exit "$status"
}
trap ended EXIT
# One image with a command line, where npm could get the program.
if [ -x "$REPO/.venv/command-lines/bin/codex" ]; then export COMMAND_LINES=codex; fi
phase up "${make[@]}" up
phase e2e "${make[@]}" e2e
