# The commands of the runbook in Kubernetes, for the shell that reads this file: . k8s/on-call.sh
# local/compose/on-call.sh has the same ones for Compose, local/start/on-call.sh for npm start.
# shellcheck shell=bash

guias() { kubectl -n guias "$@"; }

pods() { guias get pods -o wide ${1:+"-lapp.kubernetes.io/name=$1"}; }
load() { guias top pod --containers; }
# Logs of a service: of the last 15 minutes, or of the time that the second argument says.
logs() { guias logs -l "app.kubernetes.io/name=$1" --since="${2:-15m}" --prefix --tail=-1 --max-log-requests=30; }
warnings() { logs "$1" | grep -E '"level":"(warn|error)"' | tail -n 20; }
failed() { logs api | grep '"The request failed"' | tail -n 20; }
# Why a service's pods do not start or were restarted: events, and the last lines of the containers before.
why() {
  guias describe pod -l "app.kubernetes.io/name=$1" | grep -E -A 15 'Last State|Events:'
  guias logs -l "app.kubernetes.io/name=$1" --previous --tail=30
}
# What a service answers at a path.
answer() {
  # shellcheck disable=SC2016 # JavaScript
  guias exec "deploy/$1" -- node -e 'fetch(`http://127.0.0.1:${process.env.PORT}${process.argv[1]}`, { signal: AbortSignal.timeout(5_000) })
    .then(async (answer) => console.log(answer.status, await answer.text()))
    .catch(({ message, cause }) => { console.log("no responde:", cause?.message || message); process.exitCode = 1; })' "$2"
}
ready() { answer "$1" /health/ready; }
# What the canary reports: by each way in the last good round, and what fails now.
rounds() { answer canary /health/rounds; }

# Redis, MongoDB and the Redis of the labels have one pod in k8s/small. A StatefulSet does not replace a pod that is not ready.
start() {
  case $1 in
    redis | mongo) guias scale "statefulset/$1" --replicas=1 ;;
    label-cache) guias scale deploy/label-cache --replicas=1 ;;
    *) guias scale "deploy/$1" --replicas="${2:-2}" ;;
  esac
}
restart() {
  case $1 in
    redis | mongo) replace "$1-0" ;;
    *) guias rollout restart "deploy/$1" && guias rollout status "deploy/$1" --timeout=5m ;;
  esac
}
replace() { guias delete pod "$1"; }

# Managed servers are reached by REDIS_HOST and CACHE_HOST, over TLS.
password() { guias get secret guias-operator -o jsonpath='{.data.REDIS_PASSWORD}' | base64 -d && echo; }
redis() {
  if [ -n "${REDIS_HOST:-}" ]; then
    password | redis-cli -h "$REDIS_HOST" --tls --user operator --askpass "$@"
  else
    password | guias exec -i redis-0 -- redis-cli --user operator --askpass "$@"
  fi
}
cache() {
  if [ -n "${CACHE_HOST:-}" ]; then
    password | redis-cli -h "$CACHE_HOST" --tls --user operator --askpass "$@"
  else
    password | guias exec -i deploy/label-cache -- redis-cli --user operator --askpass "$@"
  fi
}

# JavaScript in mongosh, as the administrator. A managed server is reached by MONGODB_URI.
mongo() {
  if [ -n "${MONGODB_URI:-}" ]; then
    mongosh "$MONGODB_URI" --quiet --eval "$1"
  else
    guias exec -i mongo-0 -- mongosh --quiet guias --eval 'db.getSiblingDB("admin").auth("guias",
      require("fs").readFileSync(process.env.MONGO_INITDB_ROOT_PASSWORD_FILE, "utf8").trim())' --eval "$1"
  fi
}

# Asks in the terminal, and otherwise takes files by standard input and output.
operate() {
  container=$1 program=$2 terminal=-i
  shift 2
  if [ -t 0 ] && [ -t 1 ]; then terminal=-it; fi
  guias exec "$terminal" deploy/operator -c "$container" -- env "OPERATOR=${OPERATOR:-$USER}" node "$program" "$@"
}
admin() { operate admin services/api/cli.ts "$@"; }
tariffs() { operate admin services/api/tariffs-cli.ts "$@"; }
branches() { operate loads services/branches/cli.ts "$@"; }
