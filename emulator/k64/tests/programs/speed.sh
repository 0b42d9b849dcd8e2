#!/usr/bin/env bash
# How fast programs run here and under qemu, in one run: `speed.sh [TIMES]`, the least processor time of so many turns, both
# sides one after the other; then with the time of both machines. Needs qemu-user; figures are those of a quiet machine.
set -euo pipefail
cd "$(dirname "$0")/../.."
times=${1:-3}
cargo build --release --quiet -p cp2-k64 --example user
cargo build --release --quiet -p cp2-system --example run
examples="${CARGO_TARGET_DIR:-../../target}/release/examples"
suite=tests/fixtures/suite.elf
TIMEFORMAT='%U %S'
# Processor time of a command, in seconds.
seconds() { { time "$@" >/dev/null 2>"$log" || true; } 2>&1 | awk '{ print $1 + $2 }'; }
least() { if [ -z "$1" ] || awk "BEGIN { exit !($2 < $1) }"; then echo "$2"; else echo "$1"; fi; }
log=$(mktemp)
trap 'rm "$log"' EXIT
for program in loop mg cg; do
  own='' qemu=''
  for _ in $(seq "$times"); do
    own=$(least "$own" "$(seconds "$examples/user" $suite . $program)")
    n=$(sed -n '1s/ instructions.*//p' "$log")
    qemu=$(least "$qemu" "$(seconds qemu-mips64 -cpu MIPS64R2-generic $suite $program)")
  done
  awk "BEGIN { printf \"%-5s %6.1f million instructions, here %6.1f a second, qemu %6.1f, qemu to here %.2f\\n\", \
    \"$program\", $n / 1e6, $n / 1e6 / $own, $n / 1e6 / $qemu, $qemu / $own }"
done
for machine in vm7 vm9; do
  own=''
  for _ in $(seq "$times"); do
    own=$(least "$own" "$(seconds "$examples/run" ../../programs/c/built/reference.elf $machine)")
    n=$(sed -n '1s/ instructions.*//p' "$log")
  done
  awk "BEGIN { printf \"with the time of %s, MG and sparse products: %.1f million instructions a second\\n\", \
    \"$machine\", $n / 1e6 / $own }"
done
