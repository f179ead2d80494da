#!/bin/bash
# Makes a dump whenever the newest one is six hours old. One that fails is tried again every five minutes.
trap 'exit 0' TERM
while true; do
  if [ -z "$(find "$BACKUPS" -maxdepth 1 -name '2???????T??????Z' -mmin -360)" ]; then
    rm -rf "$BACKUPS"/2???????T??????Z.part
    bash /scripts/backup.sh || echo 'The backup failed. The next try is in five minutes.' >&2
  fi
  sleep 300 &
  wait $!
done
