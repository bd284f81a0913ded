#!/bin/sh
# A bot that says its first argument, as its answer and on standard error; with a second word it ends without an answer.
read -r _
printf 'line one\n%s\n' "$1" >&2
if [ $# -gt 1 ]; then
    printf '%s' "$1"
    exit 3
fi
printf '%s\n' "$1"
cat >/dev/null
