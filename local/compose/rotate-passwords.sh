#!/bin/sh
# Gives every user of MongoDB and of both Redis, and Grafana's admin, a new random password, and ends the former ones
# (k8s/operations.md, "Rotation"). Run it in the folder of docker-compose.yml: sh local/compose/rotate-passwords.sh
# If it was interrupted, run it again: it goes on.
set -eu

services='branches webhooks dashboard label-worker api'

one_shot() { docker compose run --rm --no-deps -T "$@" < /dev/null; }

# The stores take the new passwords after `rotate` beside the former ones, and after `retire` alone.
apply() {
  one_shot secrets node local/compose/secrets.ts /secrets "$1" passwords
  for server in redis label-cache; do one_shot redis-cli -h "$server" -e ACL LOAD; done
  one_shot mongo-users
}

# shellcheck disable=SC2086 # a list of names
restart() {
  docker compose restart $services
  for _ in $(seq 120); do
    [ -n "$(docker compose ps --format '{{.Health}}' $services | grep -v '^healthy$')" ] || return 0
    sleep 1
  done
  echo 'The services are not healthy, and the former passwords still hold. See docker compose logs, and run this again.' >&2
  return 1
}

apply rotate
restart
if [ -n "$(docker compose ps --quiet grafana)" ]; then
  docker compose exec -T grafana sh -c 'grafana cli admin reset-admin-password --password-from-stdin < /run/secrets/password'
else
  echo 'Grafana does not run, and keeps its former password. Start it, and run this again.' >&2
fi
apply retire
echo 'All passwords are new.'
