#!/bin/sh
# Does the static program play where nothing else is? In a root folder of its own that holds the program, devices, /proc and /tmp.
# Needs util-linux, and user namespaces or root.
#
#   tests/static.sh target/x86_64-unknown-linux-musl/release/arena
set -eu
program=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir "$root/proc" "$root/dev" "$root/tmp"
cp "$program" "$root/arena"
touch "$root/dev/null" "$root/dev/zero" "$root/dev/random" "$root/dev/urandom"
ls -l "$root/arena"
unshare --map-root-user --mount --pid --fork sh -eu -c '
    mount --bind "$1" "$1"
    for device in null zero random urandom; do mount --bind "/dev/$device" "$1/dev/$device"; done
    mount -t proc proc "$1/proc"
    exec chroot "$1" /arena duel onitama "arena bot onitama-random" "arena bot onitama-greedy" --games 20 --out /tmp/run
' sh "$root"
