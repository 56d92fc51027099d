# Dump the household's database into a folder, and keep the newest dumps.
#   FOLDER, KEEP     where, and how many
#   PASSWORD_FILE    and PGHOST, PGPORT, PGUSER, PGDATABASE: the administrator
# Invariant: what is called butlers-TIME.dump is whole and was read to its end. Others go only after a new one is there.
set -eu
umask 077
fail() { echo "backup: $*" >&2; exit 1; }
PGPASSWORD=$(cat "$PASSWORD_FILE")
export PGPASSWORD
# Endpoints and policies take a moment to reach the node of a new pod.
tries=0
until pg_isready -q -t 5; do
  tries=$((tries + 1))
  [ "$tries" -lt 20 ] || fail "PostgreSQL at $PGHOST does not answer; nothing was done"
  sleep 2
done

# Of a database that was lost and made anew every dump is whole, and after KEEP of them nothing else would be left.
holds=$(psql -XqAtc "SELECT count(*) FROM pg_tables WHERE tablename = 'schema_migrations'") || fail "no answer; nothing was written"
[ "$holds" -gt 0 ] || fail "the database $PGDATABASE holds no butler; nothing was written, and the dumps are kept"

name=butlers-$(date -u +%Y%m%dT%H%M%SZ).dump
part=$FOLDER/$name.part
rm -f "$FOLDER"/butlers-*.part
trap 'rm -f "$part"' EXIT
# It waits for no lock longer than this, and syncs what it wrote.
pg_dump --format=custom --lock-wait-timeout=120s --file="$part" || fail "pg_dump failed; the dumps are kept"
pg_restore --file=/dev/null "$part" || fail "what was written cannot be read; the dumps are kept"
mv "$part" "$FOLDER/$name"
sync "$FOLDER"
echo "backup: $name, $(wc -c <"$FOLDER/$name") bytes, $holds schemas of butlers"

set -- "$FOLDER"/butlers-*.dump
while [ $# -gt "$KEEP" ]; do
  rm -f "$1"
  echo "backup: ${1##*/} is older than the last $KEEP and was removed"
  shift
done
