#!/bin/sh
# Dumps the database of $MONGODB_URI_FILE into the folder $BACKUPS, and removes dumps older than $KEEP_DAYS.
set -eu
umask 077
config=$(mktemp) # An argument would show the password to whoever may list processes.
trap 'rm -f "$config"' EXIT
printf 'uri: "%s"\n' "$(cat "$MONGODB_URI_FILE")" >"$config"

name=$BACKUPS/$(date -u +%Y%m%dT%H%M%SZ)
# Outcomes of creations come after the guides: a guide without its outcome would be removed. The keys come last: a client that
# repeats a key whose guides are missing gets them created; a guide whose key is missing would be created twice.
mongodump --config="$config" --gzip --archive="$name.guias.part" --excludeCollection=idempotency_keys --excludeCollection=creations
mongodump --config="$config" --gzip --archive="$name.creations.part" --collection=creations
mongodump --config="$config" --gzip --archive="$name.keys.part" --collection=idempotency_keys
# The dump of the guides gets its name last: where it has one, all are whole.
for part in keys creations guias; do mv "$name.$part.part" "$name.$part.gz"; done
find "$BACKUPS" -maxdepth 1 \( -name '*.gz' -o -name '*.part' \) -mtime "+$KEEP_DAYS" -delete
echo "Dumped the database to $name.{guias,creations,keys}.gz."
