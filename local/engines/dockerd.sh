#!/bin/sh
# Runs dockerd out of a Debian root, in mount and process namespaces of its own: `unshare --mount --pid --fork
# --kill-child sh dockerd.sh ROOT RUN DATA FOLDER…`, as root. Whatever it started ends with it.
#   RUN: gets docker.sock   DATA: images and volumes   FOLDER: what containers mount, seen at the same path
#
# The root must be the engine's real one (pivot_root). After a mere chroot, `docker exec` and with it every health
# check enters the machine's own root, and no container ever gets healthy.
set -eu
root=$1 run=$2 data=$3
shift 3
mount --make-rprivate /
mkdir -p "$run" "$data" "$root/var/lib/docker" "$root/old"
mount --bind "$root" "$root"
cd "$root"
mount --rbind /sys sys
mount --rbind /dev dev
mount -t proc proc proc
mount --bind "$run" run
mount --bind "$data" var/lib/docker
mount --bind /etc/resolv.conf etc/resolv.conf
for folder; do
  mkdir -p ".$folder"
  mount --bind "$folder" ".$folder"
done
pivot_root . old
umount -l /old
# No default bridge, and addresses of its own, so that it runs beside another engine of this machine.
exec chroot . /usr/sbin/dockerd --host unix:///run/docker.sock --data-root /var/lib/docker --exec-root /run/docker \
  --bridge none --default-address-pool base=10.77.0.0/16,size=24
