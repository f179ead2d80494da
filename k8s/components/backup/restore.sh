#!/bin/sh
# Restores $DUMP, such as 20261122T061700Z, or the newest dump of $BACKUPS, in place of what the database holds.
set -eu
umask 077
name=$BACKUPS/${DUMP:-$(cd "$BACKUPS" && ls | sed -n 's/\.guias\.gz$//p' | tail -n 1)}
for part in creations guias; do
  [ -f "$name.$part.gz" ] || { echo "There is no dump $name.$part.gz." >&2 && exit 1; }
done
config=$(mktemp) # An argument would show the password to whoever may list processes.
trap 'rm -f "$config"' EXIT
printf 'uri: "%s"\n' "$MONGODB_SERVER" >"$config"
if [ -n "${PASSWORD_FILE:-}" ]; then printf 'password: "%s"\n' "$(cat "$PASSWORD_FILE")" >>"$config"; fi

for part in creations guias; do
  mongorestore --config="$config" --drop --gzip --archive="$name.$part.gz"
done
echo "Restored $name."
