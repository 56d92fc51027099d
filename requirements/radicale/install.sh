#!/usr/bin/env bash
# Radicale, the CalDAV server that calendars are tested against, by its hashes: install.sh PYTHON FOLDER
# It is under the GPL, so it stands in an environment of its own, is run as a process and never imported.
# Where the registry has it not, nothing is installed, and the tests that run it are skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=$1
folder=$2
echo "getting the CalDAV server that calendars are tested with (once)"
rm -rf "$folder"
"$python" -m venv "$folder"
if ! "$folder/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$here/requirements.txt"; then
  rm -rf "$folder"
  echo "pip could not get Radicale: CalDAV is not tested for real"
  exit 0
fi
touch "$folder/.done"
