#!/bin/sh
# Imports DocumentDB, and FerretDB with authentication: documentdb.sh DOCUMENTDB_ROOT FERRETDB_SOURCE IMAGE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# FerretDB's library leaves authentication off, and has no option for it. As in the image mongo, an administrator turns it on.
cp -r "$2" "$work/source"
cd "$work/source"
go mod vendor
library=vendor/github.com/FerretDB/FerretDB/v2/ferretdb/ferretdb.go
sed -i 's/Auth: *false/Auth: os.Getenv("MONGO_INITDB_ROOT_USERNAME") != ""/' "$library"
grep -q MONGO_INITDB_ROOT_USERNAME "$library"
mkdir -p "$work/add/usr/local/bin"
CGO_ENABLED=0 go build -mod=vendor -trimpath -buildvcs=false -o "$work/add/usr/local/bin/ferretdb" .
# Of all databases in this root only the empty one.
tar -C "$1" -cf "$work/root.tar" --exclude='./proc/*' --exclude='./sys/*' --exclude='./dev/*' --exclude=./var/cache/apt \
  --exclude='./docdb/*' .
tar -C "$1" -rf "$work/root.tar" ./docdb/template/data
tar -C "$work/add" -rf "$work/root.tar" ./usr/local/bin/ferretdb
docker import "$work/root.tar" "$3"
