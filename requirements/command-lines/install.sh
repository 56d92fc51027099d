#!/usr/bin/env bash
# The command lines of the runtime families, by the hashes of package-lock.json: install.sh FOLDER
# Without npm nothing is installed, and the tests that run them are skipped.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$1
if ! command -v npm >/dev/null; then
  echo "no npm here: the command lines are not tested for real"
  exit 0
fi
echo "getting the command lines that sessions are tested with (once)"
new=$folder.new
rm -rf "$new"
mkdir -p "$new/bin"
cp "$here/package.json" "$here/package-lock.json" "$new/"
# The platform packages hold the programs themselves, so no script of a package has to run.
if ! npm ci --prefix "$new" --ignore-scripts --no-audit --no-fund --silent; then
  rm -rf "$new"
  echo "npm could not get the command lines: what is installed stays, and without it they are not tested for real"
  exit 0
fi
modules=../node_modules
ln -s "$modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex" "$new/bin/codex"
ln -s "$modules/@anthropic-ai/claude-code-linux-x64/claude" "$new/bin/claude"
ln -s "$modules/opencode-linux-x64/bin/opencode" "$new/bin/opencode"
touch "$new/.done"
rm -rf "$folder"
mv "$new" "$folder"
