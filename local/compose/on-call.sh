# The commands of the runbook with Compose, for the shell that reads this file in the folder of docker-compose.yml:
# . local/compose/on-call.sh
# k8s/on-call.sh has the same ones for Kubernetes, local/start/on-call.sh for npm start.
# shellcheck shell=bash

pods() { docker compose ps --all "$@"; }
load() { docker stats --no-stream; }
# Logs of a service: of the last 15 minutes, or of the time that the second argument says.
logs() { docker compose logs --since "${2:-15m}" "$1"; }
warnings() { logs "$1" | grep -E '"level":"(warn|error)"' | tail -n 20; }
failed() { logs api | grep '"The request failed"' | tail -n 20; }
# Why a service's containers ended: exit code, whether for want of memory, error.
why() { docker compose ps --all --quiet "$1" | xargs docker inspect --format '{{.Name}} {{json .State}}'; }
# What a service answers at a path.
answer() {
  # shellcheck disable=SC2016 # JavaScript
  docker compose exec -T "$1" node -e 'fetch(`http://127.0.0.1:${process.env.PORT}${process.argv[1]}`, { signal: AbortSignal.timeout(5_000) })
    .then(async (answer) => console.log(answer.status, await answer.text()))
    .catch(({ message, cause }) => { console.log("no responde:", cause?.message || message); process.exitCode = 1; })' "$2"
}
ready() { answer "$1" /health/ready; }
# What the canary reports: by each way in the last good round, and what fails now.
rounds() { answer canary /health/rounds; }

start() {
  docker compose unpause "$1" 2>/dev/null
  docker compose up --detach --no-recreate "$1"
}
restart() { docker compose restart "$1"; }
replace() { docker restart "$1"; }

redis() { docker compose run --rm -T --no-deps redis-cli "$@" < /dev/null; }
cache() { docker compose run --rm -T --no-deps redis-cli -h label-cache "$@" < /dev/null; }

# JavaScript in mongosh, as the administrator.
mongo() {
  docker compose exec -T mongo mongosh --quiet guias --eval 'db.getSiblingDB("admin").auth("guias",
    require("fs").readFileSync(process.env.MONGO_INITDB_ROOT_PASSWORD_FILE, "utf8").trim())' --eval "$1"
}

# Asks in the terminal, and otherwise takes files by standard input and output.
operate() {
  if [ -t 0 ] && [ -t 1 ]; then
    docker compose run --rm --no-deps "$@"
  else
    docker compose run --rm --no-deps -T "$@"
  fi
}
admin() { operate admin "$@"; }
tariffs() { operate tariffs "$@"; }
branches() { operate loads "$@"; }
