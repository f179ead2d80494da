#!/bin/sh
# Runs a command of this repository: sh local/run.sh node local/start.ts
# First it makes a fresh checkout ready: dependencies as the lock file says, and a Node.js that runs TypeScript. Where all
# is there that takes no time.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PWD/node_modules/.bin:$PATH" # as npm has it for scripts

installed=node_modules/.installed-lock.json # a copy of the lock file, once all that it names is there

dependencies_are_there() {
  cmp -s package-lock.json "$installed"
}

# Node.js runs TypeScript from 22.18 on.
node_is_new() {
  version=$(node -v) && version=${version#v} && minor=${version#*.} && minor=${minor%%.*}
  [ "${version%%.*}" -gt 22 ] || { [ "${version%%.*}" -eq 22 ] && [ "$minor" -ge 18 ]; }
}

# npm has Node.js itself, a package for each platform.
node_package() {
  system=$(uname -s | tr '[:upper:]' '[:lower:]')
  case $(uname -m) in aarch64 | arm64) machine=arm64 ;; *) machine=x64 ;; esac
  echo "node-$system-$machine"
}

fail() {
  echo "$1" >&2
  exit 1
}

# One at a time in a checkout: a symbolic link is made at once with its holder's pid in it.
lock=.local/prepare.lock
ticker= programs=
holder_is_alive() {
  pid=$(readlink "$lock") && kill -0 "$pid" 2>/dev/null && ! grep -qs ') Z ' "/proc/$pid/stat" # Z: dead, not reaped
}
take_lock() {
  mkdir -p .local
  tries=600
  until ln -s "$$" "$lock" 2>/dev/null; do
    holder_is_alive || rm -f "$lock"
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "Another npm start or npm test has been installing for ten minutes: end it and try again."
    sleep 1
  done
  trap 'stop $ticker $programs; rm -f "$lock"' EXIT
  trap 'exit 1' HUP INT TERM
}

stop() {
  [ $# -eq 0 ] || kill "$@" 2>/dev/null || true # one may have ended
}

# npm says nothing for half a minute. Each line is a whole one, so that a log shows what a terminal does.
start_ticker() {
  (seconds=0 && while sleep 3; do
    seconds=$((seconds + 3))
    set -- node_modules/*/package.json node_modules/@*/*/package.json
    [ -e "$1" ] && progress="$# packages" || progress='npm finds out what to fetch'
    echo "  … $seconds s: $progress"
  done) &
  ticker=$!
}

# Without those for other systems, and those within another.
count_packages() {
  of_systems=$(grep -c '^      "cpu": ' package-lock.json) || true
  grep -cE '^    "node_modules/(@[^/"]+/)?[^/"]+": ' package-lock.json | { read -r all && echo $((all - of_systems)); }
}

# Runs beside `npm ci`, which takes half a minute and removes node_modules: installs a Node.js in another folder and, for
# npm start, the programs of Debian. What fails here fails again, with its reason, where npm start needs it.
node_folder=.local/node
install_programs() {
  if ! node_is_new; then
    echo "Node.js $(node -v) does not run TypeScript; installing Node.js 24 in node_modules…"
    npm install --prefix "$node_folder" --no-save --ignore-scripts --loglevel=error --no-update-notifier "$(node_package)@24" >/dev/null
    PATH="$PWD/$node_folder/node_modules/.bin:$PATH"
  fi
  [ "$1" != local/start.ts ] || exec node local/start/prepare-programs.ts
}

prepare() {
  take_lock
  if dependencies_are_there && node_is_new; then return; fi
  rm -rf "$node_folder" node_modules/.bin/node # npm would remove the second meanwhile
  hash -r
  # `npm ci` begins by removing node_modules, and the copy of the lock file comes last, so an interrupted run is
  # done again. No dependency needs its install script: those of optional native parts would only try to compile.
  echo "Installing about $(count_packages) packages, once: half a minute to two minutes…"
  start_ticker
  install_programs "${2-}" &
  programs=$!
  npm ci --ignore-scripts --loglevel=error ||
    fail 'The dependencies were not installed: see the error above, put it right and run the command again.'
  stop "$ticker"
  wait "$programs" || true
  if ! node_is_new; then
    mv "$node_folder/node_modules/$(node_package)" node_modules/ &&
      ln -s "../$(node_package)/bin/node" node_modules/.bin/node ||
      fail 'Node.js 24 was not installed: install Node.js 22.18 or newer yourself.'
    hash -r
    node_is_new || fail "Node.js $(node -v) does not run TypeScript: install Node.js 22.18 or newer."
  fi
  cp package-lock.json "$installed"
}

if ! { dependencies_are_there && node_is_new; }; then
  (prepare "$@") >&2 # its end releases the lock
  hash -r
fi
# Node.js keeps what it has compiled of each module: a third of the time of a start otherwise.
export NODE_COMPILE_CACHE="${XDG_CACHE_HOME:-${HOME:-.}/.cache}/shipping-guides/node-compile-cache"
exec "$@"
