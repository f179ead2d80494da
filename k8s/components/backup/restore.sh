#!/bin/bash
# Restores $DUMP, such as 20261122T061700Z, or the newest dump of $BACKUPS, in place of what the database holds. Reads the
# private key of an encrypted dump from $PRIVATE_KEY. If $KEYS_FOLDER is set, the dump's keys go into that folder.
set -euo pipefail
umask 077
work=$(mktemp -d) # in memory
trap 'rm -rf "$work"' EXIT
fail() { echo "$1" >&2 && exit 1; }

dump=${DUMP:-$(cd "$BACKUPS" && find . -maxdepth 1 -name '2*Z' -type d -printf '%f\n' | sort | tail -n 1)}
[ -f "$BACKUPS/$dump/SHA256SUMS" ] || fail "There is no dump ${dump:-at all} in the folder of backups."
cd "$BACKUPS/$dump"
sha256sum --check --quiet SHA256SUMS || fail "The dump $dump is not whole: copy it again."
if [ -f guias.gz.00000.cms ]; then
  cat "${PRIVATE_KEY:-/dev/null}" >"$work/key.pem" 2>/dev/null || true
  openssl cms -decrypt -binary -inform DER -inkey "$work/key.pem" -in guias.gz.00000.cms -out /dev/null 2>/dev/null ||
    fail "The dump $dump needs the private key of its certificate."
fi

# An argument would show the password to whoever may list processes.
printf 'uri: "%s"\n' "$MONGODB_SERVER" >"$work/config"
if [ -n "${PASSWORD_FILE:-}" ]; then printf 'password: "%s"\n' "$(cat "$PASSWORD_FILE")" >>"$work/config"; fi
read_pieces() {
  for piece in "$1".*; do
    case $piece in
      *.cms) openssl cms -decrypt -binary -inform DER -inkey "$work/key.pem" -in "$piece" ;;
      *) cat "$piece" ;;
    esac
  done
}
for part in creations guias; do
  read_pieces "$part.gz" | mongorestore --config="$work/config" --drop --gzip --archive
done
if [ -n "${KEYS_FOLDER:-}" ]; then read_pieces keys.json | (umask 022 && cat >"$KEYS_FOLDER/restored-keys.json"); fi
echo "Restored $dump."
