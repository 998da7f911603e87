#!/usr/bin/env bash
# The main job of jlq on the log that ships with the project: append, look at
# the files, fetch one record, follow the tail. Each command is shown and run.
# Everything happens in a temporary directory, which is removed at the end.
set -euo pipefail
exec 2>&1 # so that reports stand below the command that makes them
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "building jlq …"
go build -o "$work/bin/jlq" ./cmd/jlq
cp testdata/sample/shop.jsonl "$work/"
cd "$work"
PATH="$work/bin:$PATH"

say() { printf '\n# %s\n' "$*"; }
run() { printf '$ %s\n' "$*"; eval "$*"; }

say "append 3,000 records to a new partition; each survives a power loss when the command ends"
run 'jlq append shop shop.jsonl'
say "the files are plain: an editor, grep and head work on them"
run 'ls -l shop'
run 'grep -c "order placed" shop/*.jsonl'
say "record 1234, through the index: one look-up, however long the log is"
run 'jlq get shop 1234'
say "the last two, and how many there are"
run 'jlq tail -n 2 shop'
run 'jlq count shop'
say "follow the tail while another process appends"
run 'jlq tail -f -o 3000 shop >followed & follower=$!'
run $'echo \'{"level":"info","msg":"hello"}\' | jlq append shop'
run 'until grep -q hello followed; do sleep 0.1; done; kill -INT $follower; wait $follower || true; cat followed'
say "any JSON-lines file is a log too"
run 'jlq get shop.jsonl 0'
say "is everything in order?"
run 'jlq verify shop'
