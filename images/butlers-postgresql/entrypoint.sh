#!/bin/sh
# Start PostgreSQL; create its data directory first if the volume is empty.
#   POSTGRES_PASSWORD_FILE or POSTGRES_PASSWORD   password of the administrator; needed for an empty volume
#   POSTGRES_USER, POSTGRES_DB                    names of the administrator and of the database (both: butlers)
# The root file system may be read-only; only $PGDATA's volume and /tmp are written.
# A password that changed in the Secret is set at the next start.
set -eu
PGDATA=${PGDATA:-/var/lib/postgresql/data/pgdata}
user=${POSTGRES_USER:-butlers}
database=${POSTGRES_DB:-butlers}
[ "${1:-postgres}" = postgres ] || exec "$@"
[ $# -eq 0 ] || shift

fail() { echo "postgresql: $*" >&2; exit 1; }

if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then
  [ -r "$POSTGRES_PASSWORD_FILE" ] || fail "cannot read $POSTGRES_PASSWORD_FILE; mount the Secret for group $(id -g)"
  password=$(cat "$POSTGRES_PASSWORD_FILE")
else
  password=${POSTGRES_PASSWORD:-}
fi
unset POSTGRES_PASSWORD

# SQL in PostgreSQL's single-user mode: nothing listens while passwords and databases are set up.
single() { postgres --single -D "$PGDATA" "$1" >/dev/null; }

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  [ -n "$password" ] || fail "the volume is empty and no password is given (POSTGRES_PASSWORD_FILE)"
  # A crash half way leaves no PG_VERSION in place: the next start begins again.
  fresh=$PGDATA.new
  rm -rf "$fresh"
  mkdir -p "$(dirname "$PGDATA")"
  (umask 077; printf '%s\n' "$password" >/tmp/initdb-password)
  initdb --pgdata="$fresh" --username="$user" --pwfile=/tmp/initdb-password --auth-local=scram-sha-256 \
    --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --data-checksums
  rm -f /tmp/initdb-password
  # Any address, but only with a password; a NetworkPolicy limits which pods can connect.
  echo "host all all all scram-sha-256" >>"$fresh/pg_hba.conf"
  rm -rf "$PGDATA"
  mv "$fresh" "$PGDATA"
elif [ -n "$password" ]; then
  rm -f "$PGDATA/postmaster.pid"
  quoted=$(printf '%s' "$password" | sed "s/'/''/g")
  printf "ALTER ROLE \"%s\" PASSWORD '%s';\n" "$user" "$quoted" | single postgres
fi
if [ "$database" != postgres ]; then
  exists=$(printf "SELECT 'found' FROM pg_database WHERE datname = '%s';\n" "$database" | postgres --single -D "$PGDATA" postgres | grep -c '"found"' || true)
  [ "$exists" != 0 ] || printf 'CREATE DATABASE "%s" OWNER "%s";\n' "$database" "$user" | single postgres
fi
unset password quoted
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"
