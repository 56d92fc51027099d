# Make the household's database of a dump again.
#   FOLDER, FILE     where the dumps are, and the name of one; empty takes the newest
#   REPLACE          yes: also where the database holds something
#   PASSWORD_FILE    and PGHOST, PGPORT, PGUSER, PGDATABASE: the administrator
# Invariant: nothing is dropped. The dump becomes a database beside the one that is there, and the two change names in one
# transaction when all of it is in. Roles and rights are not restored: each butler's pod makes its own when it starts.
set -eu
fail() { echo "restore: $*" >&2; exit 1; }
PGPASSWORD=$(cat "$PASSWORD_FILE")
export PGPASSWORD
# Endpoints and policies take a moment to reach the node of a new pod.
tries=0
until pg_isready -q -t 5; do
  tries=$((tries + 1))
  [ "$tries" -lt 20 ] || fail "PostgreSQL at $PGHOST does not answer; nothing was done"
  sleep 2
done
database=$PGDATABASE building=${PGDATABASE}_restoring aside=${PGDATABASE}_before_$(date -u +%Y%m%dt%H%M%S)
# Reads statements; the databases' names are quoted by psql.
run() { psql -XqAt -v ON_ERROR_STOP=1 -v database="$database" -v building="$building" -v aside="$aside" "$@"; }

file=${FILE:-}
if [ -z "$file" ]; then
  for one in "$FOLDER"/butlers-*.dump; do file=${one##*/}; done
fi
dump=$FOLDER/$file
[ -f "$dump" ] || fail "there is no $file; nothing was changed. There are: $(ls "$FOLDER")"
pg_restore --file=/dev/null "$dump" || fail "$file is damaged; nothing was changed"

inside=$(echo "SELECT string_agg(DISTINCT usename, ', ') FROM pg_stat_activity WHERE datname = :'database'" | run -d postgres)
[ -z "$inside" ] || fail "$inside is connected to $database; suspend the household first. Nothing was changed"
holds=$(echo "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')" | run -d "$database")
[ "$holds" = 0 ] || [ "${REPLACE:-}" = yes ] ||
  fail "$database holds $holds tables; REPLACE=yes moves it aside and restores in its place. Nothing was changed"

run -d postgres <<SQL
SET client_min_messages = warning;
DROP DATABASE IF EXISTS :"building";
CREATE DATABASE :"building" TEMPLATE template0;
REVOKE ALL ON DATABASE :"building" FROM PUBLIC;
SQL
pg_restore --dbname="$building" --no-owner --no-privileges --exit-on-error "$dump" ||
  fail "$file does not go in; $database is as it was"
run -d "$building" <<SQL
REVOKE ALL ON SCHEMA public FROM PUBLIC;
ANALYZE;
SQL
run -d postgres --single-transaction <<SQL || fail "$database is in use again; it is as it was. Suspend the household first"
ALTER DATABASE :"database" RENAME TO :"aside";
ALTER DATABASE :"building" RENAME TO :"database";
SQL
echo "restore: $database is as of $file; what was there is database $aside"
