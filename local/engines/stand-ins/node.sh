#!/bin/sh
# Imports an image in place of node:24-trixie-slim: node.sh DEBIAN_ROOT NODE NPM_FOLDER IMAGE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -a "$1/." "$work"
cp "$2" "$work/usr/local/bin/node"
mkdir -p "$work/usr/local/lib/node_modules"
cp -r "$3" "$work/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$work/usr/local/bin/npm"
chroot "$work" useradd --uid 1000 --create-home node
# As in Debian's own images: without it, apt's archives stay in each layer.
echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };' \
  > "$work/etc/apt/apt.conf.d/docker-clean"
# npm trusts what this machine trusts.
tar -C "$work" -c . | docker import --change 'CMD ["node"]' \
  --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - "$4"
