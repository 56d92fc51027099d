#!/usr/bin/env bash
# Load image archives into the node: load.sh FILE.tar…  Skips an archive that is loaded already and unchanged.
source "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
driver=$(driver)
[ "$driver" = native ] || exec "$HERE/kind.sh" load "$@"
for archive in "$@"; do
  stamp=$STORE/loaded-$(basename "$archive")
  if [ -e "$stamp" ] && [ ! "$archive" -nt "$stamp" ]; then continue; fi
  in_node ctr -n k8s.io images import - <"$archive" >/dev/null
  name=$(basename "$archive" .tar)
  # An image of the project also has a tag that identifies its content.
  if [ -s "$IMAGES/$name.tag" ]; then in_node ctr -n k8s.io images tag --force "localhost/$name:dev" "localhost/$name:$(cat "$IMAGES/$name.tag")" >/dev/null; fi
  touch -r "$archive" "$stamp"
  say "loaded $(basename "$archive" .tar)"
done
