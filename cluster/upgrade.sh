#!/usr/bin/env bash
# Upgrade a household of an older commit to this checkout, roll it back and upgrade it again while messages flow:
# upgrade.sh FROM COMMAND…  COMMAND is the test. It uses its own cluster, which is removed at the end.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
from=${1:?the commit to upgrade from}
shift
export BUTLERS_CLUSTER_NAME=${BUTLERS_CLUSTER_NAME:-butlers-upgrade} BUTLERS_CLUSTER_INDEX=${BUTLERS_CLUSTER_INDEX:-8}
export BUTLERS_CLUSTER_DRIVER=native BUTLERS_CLUSTER_BIN=$BIN

"$HERE/preflight.sh"
commit=$(git -C "$REPO" rev-parse --verify --quiet "$from^{commit}") || die "there is no commit $from here"
old=$(mktemp -d)/butlers
ended() {
  local status=$?
  trap - EXIT
  "$HERE/down.sh" || status=1
  git -C "$REPO" worktree remove --force "$old" 2>/dev/null || true
  "$HERE/left.sh" || status=1
  exit "$status"
}
trap ended EXIT
git -C "$REPO" worktree add --quiet --detach "$old" "$commit"
ln -s "$REPO/.venv" "$old/.venv"                   # the same tools build the images; their content differs

say "the household of ${commit:0:12}"
"$HERE/binaries.sh"
"$old/cluster/up.sh"
"$old/cluster/images.sh" "$REPO/.venv/bin/python"
"$old/cluster/household.sh" >/dev/null
say "images of this checkout"
"$HERE/images.sh" "$REPO/.venv/bin/python"
"$HERE/load.sh" "$IMAGES"/butlers{,-operator,-postgresql}.tar
BUTLERS_E2E_IMAGES=$IMAGES "$HERE/e2e.sh" "$@"
