#!/bin/bash
# Starts DocumentDB and FerretDB as the image mongo starts mongod: data in /data/db, and at the first start the
# administrator of MONGO_INITDB_ROOT_USERNAME; without one, everybody may do everything. Users are roles of PostgreSQL here,
# and any of them may do everything.
set -euo pipefail
data=/data/db
sockets=/tmp/sockets
mkdir -p -m 700 "$sockets" "$data/ferretdb"

first=
if [ ! -d "$data/postgres" ]; then
  first=1
  rm -rf "$data/postgres.partial"
  cp -a /template "$data/postgres.partial"
fi
sql() { psql --host="$sockets" --username=postgres --quiet --no-align --tuples-only "$@"; }
server() {
  /usr/lib/postgresql/18/bin/postgres -D "$1" \
    -c shared_preload_libraries=pg_cron,pg_documentdb_core,pg_documentdb -c cron.database_name=postgres \
    -c cron.host="$sockets" -c cron.use_background_workers=on -c cron.log_run=off -c cron.log_statement=off \
    -c documentdb.localhost_connection_string="host=$sockets" -c listen_addresses= \
    -c unix_socket_directories="$sockets" -c max_connections=100 -c shared_buffers=256MB -c log_checkpoints=off &
  postgres=$!
  until sql -c 'select 1' >/dev/null 2>&1; do
    kill -0 "$postgres" || exit 1
    sleep 0.1
  done
}
if [ "$first" ]; then
  if [ "${MONGO_INITDB_ROOT_USERNAME:-}" ]; then
    server "$data/postgres.partial"
    sql -v password="$(cat "$MONGO_INITDB_ROOT_PASSWORD_FILE")" -v name="$MONGO_INITDB_ROOT_USERNAME" \
      <<< "create role :\"name\" superuser login password :'password'"
    kill -INT "$postgres"
    wait "$postgres"
  fi
  # The folder gets its name when the administrator is there: a first start that was cut is done again.
  mv "$data/postgres.partial" "$data/postgres"
fi
chmod 700 "$data/postgres" # PostgreSQL insists; Kubernetes opens a volume to its group (fsGroup) at each mount
rm -f "$data/postgres/postmaster.pid" # of a container that was killed; its number may be anybody's in this one
server "$data/postgres"
ferretdb "postgres://postgres@/postgres?host=$sockets" 0.0.0.0:27017 "$data/ferretdb" &
ferretdb=$!
stop() {
  kill -TERM "$ferretdb" 2>/dev/null && wait "$ferretdb" || true
  kill -INT "$postgres" 2>/dev/null && wait "$postgres" || true
}
trap 'stop; exit 0' TERM INT
wait -n "$ferretdb" "$postgres" || true
stop
exit 1
