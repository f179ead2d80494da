# The commands of the runbook with npm start, for the shell that reads this file in the folder of package.json:
# . local/start/on-call.sh
# k8s/on-call.sh has the same ones for Kubernetes, local/compose/on-call.sh for Compose.
# shellcheck shell=bash

# A part of what npm start has written of itself, such as addresses.api.
noted() {
  node -p 'process.argv[1].split(".").reduce((part, name) => part[name], JSON.parse(fs.readFileSync(".local/running.json")))' "$1"
}

# The processes that npm start has started, or those of a part. A store that was given by its address has none.
pids() {
  case ${1:-} in
    '') pattern=. ;;
    redis) pattern="redis-server.*:$(noted redisUrl | sed 's/.*://')" ;;
    label-cache) pattern="redis-server.*:$(noted labelCacheUrl | sed 's/.*://')" ;;
    mongo) pattern='mongod|postgres|ferretdb' ;;
    *) pattern="services/$1/main.ts" ;;
  esac
  pgrep -P "$(noted npmStart.pid)" -f "$pattern"
}
show() { pids "${2:-}" | paste -sd, - | xargs -r ps -o "$1" -p | cut -c 1-150; }

# With the words of docker compose ps: Paused is frozen, and what has ended is absent.
pods() {
  show pid=,stat=,etime=,rss=,args= "${1:-}" |
    awk '{ $2 = $2 ~ /^T/ ? "Paused" : "Running"; $4 = int($4 / 1024) " MiB"; print }'
}
load() { show pid,pcpu,rss,args; }
# Logs of a service: of the last 15 minutes, or of the time that the second argument says. Stores write all.
logs() {
  since=$(node -p 'const [, count, unit] = /(\d+)([smh])/.exec(process.argv[1]);
    new Date(Date.now() - count * { s: 1e3, m: 6e4, h: 36e5 }[unit]).toISOString()' "${2:-15m}")
  case $1 in
    mongo) set -- .local/logs/mongodb.log .local/logs/postgres.log .local/logs/ferretdb.log ;;
    *) set -- ".local/logs/$1.log" ;;
  esac
  cat "$@" 2>/dev/null | awk -v since="$since" '!match($0, /"time":"[^"]+/) || substr($0, RSTART + 8, 24) >= since'
}
warnings() { logs "$1" | grep -E '"level":"(warn|error)"' | tail -n 20; }
failed() { logs api | grep '"The request failed"' | tail -n 20; }
# Why a service's processes ended: exit code or signal.
why() { logs "$1" 1s | grep -E ' ended \((exit code|signal)' | tail -n 20 | grep . || echo 'no se reinició'; }
# What a service answers at a path.
answer() {
  node -e 'fetch(`${process.argv[1]}${process.argv[2]}`, { signal: AbortSignal.timeout(5_000) })
    .then(async (answer) => console.log(answer.status, await answer.text()))
    .catch(({ message, cause }) => { console.log("no responde:", cause?.message || message); process.exitCode = 1; })' "$(noted "addresses.$1")" "$2"
}
ready() { answer "$1" /health/ready; }
# What the canary reports: by each way in the last good round, and what fails now.
rounds() { answer canary /health/rounds; }

# npm start itself starts again what has ended: what is frozen goes on, what is to be restarted ends. Each leads its group.
start() { pids "$1" | while read -r pid; do kill -CONT -- "-$pid" && echo "$1 sigue (pid $pid)"; done; }
restart() {
  pids "$1" | while read -r pid; do kill -TERM -- "-$pid" && echo "$1 termina, y npm start lo inicia (pid $pid)"; done
  start "$1" >/dev/null
}
replace() {
  pids | grep -qx "$1" || { echo "no es un proceso de npm start: $1" >&2 && return 1; }
  kill -KILL -- "-$1" && echo "npm start inicia otro en lugar de $1"
}

# redis-cli with an address that was noted. The password goes by the environment, because everybody may list arguments.
client() {
  url=$(noted "$1") && shift || return
  case $url in rediss:*) set -- --tls "$@" ;; esac
  server=${url#*://}
  host=${server##*@}
  host=${host%%/*}
  case $server in
    *@*)
      login=${server%@*}
      set -- --user "${login%%:*}" "$@"
      REDISCLI_AUTH=${login#*:} redis-cli -h "${host%:*}" -p "${host##*:}" "$@"
      ;;
    *) redis-cli -h "${host%:*}" -p "${host##*:}" "$@" ;;
  esac
}
redis() { client redisUrl "$@"; }
cache() { client labelCacheUrl "$@"; }

# JavaScript with the database as `db`, as mongosh has it: npm start brings no mongosh.
mongo() {
  MONGODB_URI=$(noted mongoUri) node -e 'const { mongo } = require("mongoose");
    const client = new mongo.MongoClient(process.env.MONGODB_URI);
    const db = client.db();
    db.getCollection = (name) => db.collection(name);
    Promise.resolve(eval(process.argv[1]))
      .then((answer) => console.log(JSON.stringify(answer)), ({ message }) => { console.log(message); process.exitCode = 1; })
      .finally(() => client.close());' "$1"
}

operate() {
  script=$1
  shift
  MONGODB_URI=$(noted mongoUri) npm run --silent "$script" -- "$@"
}
admin() { operate admin "$@"; }
tariffs() { operate tariffs "$@"; }
branches() { operate branches "$@"; }
