#!/bin/sh
# Gives every user of MongoDB and of both Redis in k8s/small a new random password, and ends the former ones (operations.md,
# "Rotation"). Run it in the root of the repository, with your overlay: sh k8s/rotate-passwords.sh k8s/mine
# If it was interrupted, run it again: it goes on.
set -eu

overlay=${1:?Usage: sh k8s/rotate-passwords.sh <overlay>}
services='branches webhooks dashboard label-worker api'

guias() { kubectl -n guias "$@"; }
secret() { guias get secret "$1" -o jsonpath="{.data.$2}" | base64 -d; }

# Replaces the Secrets that the step changes, until it changes none.
change_secrets() {
  while :; do
    changed=$(guias get secrets -o json | npm run --silent secrets:kubernetes -- "--$1")
    case $changed in *'"items": []'*) return ;; esac
    printf '%s\n' "$changed" | guias replace -f -
  done
}

# The kubelet copies a changed Secret into running pods within some two minutes.
load_redis_users() {
  users=$(secret guias-redis-users 'users\.acl' | sha256sum)
  for _ in $(seq 60); do
    [ "$(guias exec "$1" -- cat /run/secrets/users.acl | sha256sum)" != "$users" ] || break
    sleep 5
  done
  [ "$(guias exec "$1" -- cat /run/secrets/users.acl | sha256sum)" = "$users" ]
  { secret guias-operator REDIS_PASSWORD; echo; } | guias exec -i "$1" -- redis-cli --user operator --askpass -e ACL LOAD
}

# The stores take the new passwords after `rotate` beside the former ones, and after `retire` alone.
apply() {
  change_secrets "$1"
  load_redis_users redis-0
  load_redis_users deploy/label-cache
  guias delete job mongo-users --ignore-not-found
  kubectl apply --server-side --force-conflicts -k "$overlay"
  guias wait --for=condition=complete job/mongo-users --timeout=5m
}

# While the rotation lasts, it holds all new passwords.
guias get secret guias-rotation > /dev/null 2>&1 || guias create secret generic guias-rotation
apply rotate
for each in $services; do guias rollout restart "deploy/$each"; done
for each in $services; do guias rollout status "deploy/$each" --timeout=5m; done
apply retire
guias delete secret guias-rotation
echo 'All passwords are new.'
