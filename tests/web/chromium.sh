#!/usr/bin/env bash
# The pages are tested in a real Chromium: found ($CHROMIUM, or on the path), else installed by apt-get when root; else one
# line says so, and those tests are counted as missing (under CI they fail). Its headless shell draws the same pages for a
# fifth of the processor time, so that is what is installed where there is a package of it.
set -euo pipefail

has_chromium() {
  command -v "${CHROMIUM:-chromium-headless-shell}" >/dev/null || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null
}

installed() {
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "$1" fonts-dejavu-core
}

has_chromium && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing chromium (once)"
  log=$(mktemp)
  if { apt-get update -qq && { installed chromium-headless-shell || installed chromium; }; } >"$log" 2>&1; then
    rm -f "$log"
    has_chromium && exit 0
  else
    tail -n 2 "$log"
  fi
fi
echo "the dashboard's pages are not tested in a browser: missing chromium (or set CHROMIUM)"
