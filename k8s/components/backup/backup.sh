#!/bin/sh
# Dumps the database of $MONGODB_URI_FILE into the folder $BACKUPS, and removes dumps older than $KEEP_DAYS.
set -eu
umask 077
config=$(mktemp) # An argument would show the password to whoever may list processes.
trap 'rm -f "$config"' EXIT
printf 'uri: "%s"\n' "$(cat "$MONGODB_URI_FILE")" >"$config"

name=$BACKUPS/$(date -u +%Y%m%dT%H%M%SZ)
# The journal of creations comes before the guides: an entry that says its guides are stored must not be newer than they are.
mongodump --config="$config" --gzip --archive="$name.creations.part" --collection=creations
mongodump --config="$config" --gzip --archive="$name.guias.part" --excludeCollection=creations
# The dump of the guides gets its name last: where it has one, both are whole.
for part in creations guias; do mv "$name.$part.part" "$name.$part.gz"; done
find "$BACKUPS" -maxdepth 1 \( -name '*.gz' -o -name '*.part' \) -mtime "+$KEEP_DAYS" -delete
echo "Dumped the database to $name.{creations,guias}.gz."
