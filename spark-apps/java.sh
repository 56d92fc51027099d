#!/usr/bin/env bash
# What the Spark engine's tests need besides Python: Java 17 or newer and PostgreSQL's JDBC driver. Found, else installed
# by apt-get when root; else one line says what is missing, and those tests are counted as missing (under CI they fail).
set -euo pipefail

OLDEST=17
JDBC_JARS=("${BUTLERS_JDBC_JAR:-}" /usr/share/java/postgresql.jar /usr/share/java/postgresql-jdbc.jar)

has_java() {
  local java version
  java=$(command -v "${JAVA_HOME:+$JAVA_HOME/bin/}java") || return 1
  version=$("$java" -version 2>&1 | sed -nE 's/.* version "(1\.)?([0-9]+).*/\2/p')
  [ "${version:-0}" -ge $OLDEST ]
}

has_jdbc() {
  local jar
  for jar in "${JDBC_JARS[@]}"; do
    [ -z "$jar" ] || [ ! -f "$jar" ] || return 0
  done
  return 1
}

missing=()
has_java || missing+=(openjdk-17-jre-headless)
has_jdbc || missing+=(libpostgresql-jdbc-java)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${missing[*]} (once)"
  log=$(mktemp)
  # A package script of the JRE fails where this folder was left out of the system.
  mkdir -p /usr/share/man/man1
  if { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    rm -f "$log"
    has_java && has_jdbc && exit 0
  else
    tail -n 2 "$log"
  fi
fi
echo "the Spark engine is not tested here: missing ${missing[*]} (Java $OLDEST or newer; or set JAVA_HOME, BUTLERS_JDBC_JAR)"
