#!/bin/sh
# Prints what CHANGELOG.md says of a version; fails where it says nothing: release-notes.sh VERSION
set -eu
notes=$(awk -v "heading=## [$1]" '/^## / { on = index($0, heading) == 1; next } on' "$(dirname "$0")/../CHANGELOG.md")
[ "$notes" ] || { echo "CHANGELOG.md says nothing of $1." >&2; exit 1; }
printf '%s\n' "$notes"
