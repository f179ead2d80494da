#!/bin/bash
# Dumps the database of $MONGODB_URI_FILE into a folder of $BACKUPS, and removes dumps older than $KEEP_DAYS. If the file
# $CERTIFICATE exists, all is encrypted for it. If $KEYS is set, that file is kept beside the dump.
set -euo pipefail
if [ -n "${KEYS:-}" ] && [ ! -f "${CERTIFICATE:-}" ]; then
  echo 'There is no certificate, and keys are not kept in clear text. Nothing was dumped.' >&2
  exit 1
fi
umask 077
config=$(mktemp) # An argument would show the password to whoever may list processes.
trap 'rm -f "$config"' EXIT
printf 'uri: "%s"\n' "$(cat "$MONGODB_URI_FILE")" >"$config"

name=$BACKUPS/$(date -u +%Y%m%dT%H%M%SZ)
mkdir "$name.part"
keep() { # Cuts its input into pieces, because openssl holds a whole one in memory to decrypt it.
  if [ -f "${CERTIFICATE:-}" ]; then
    split --bytes=32M --suffix-length=5 --numeric-suffixes --additional-suffix=.cms --filter='
      openssl cms -encrypt -binary -stream -outform DER -aes-256-gcm -recip "$CERTIFICATE" -keyopt rsa_padding_mode:oaep \
        -out "$FILE"' - "$name.part/$1."
  else
    split --bytes=32M --suffix-length=5 --numeric-suffixes - "$name.part/$1."
  fi
}
# The journal of creations comes before the guides: an entry that says its guides are stored must not be newer than they are.
mongodump --config="$config" --gzip --archive --collection=creations | keep creations.gz
mongodump --config="$config" --gzip --archive --excludeCollection=creations | keep guias.gz
if [ -n "${KEYS:-}" ]; then keep keys.json <"$KEYS"; fi
(cd "$name.part" && sha256sum -- * >SHA256SUMS)
mv "$name.part" "$name" # A folder that has its name is whole.
find "$BACKUPS" -maxdepth 1 -name '2???????T??????Z*' -mmin "+$((KEEP_DAYS * 24 * 60))" -exec rm -r {} +
if [ -f "${CERTIFICATE:-}" ]; then state=encrypted; else state='NOT encrypted, because there is no certificate'; fi
echo "Dumped the database to $name, $state."
