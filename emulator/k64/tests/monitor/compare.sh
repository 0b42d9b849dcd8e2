#!/usr/bin/env bash
# Random commands for the monitor, here and on the board malta of qemu: `compare.sh FIRST LAST`, by seeds. Every line has
# to be equal.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
cargo build --release --quiet -p cp2-k64 --examples
examples="${CARGO_TARGET_DIR:-../../target}/release/examples"
monitor=tests/fixtures/monitor.elf
for seed in $(seq "$1" "$2"); do
  "$examples/random_control" "$seed" 200 >"$out/commands"
  tests/monitor/malta.sh $monitor <"$out/commands" >"$out/qemu"
  timeout 60 "$examples/bare" $monitor 64 <"$out/commands" >"$out/own" 2>/dev/null
  cmp "$out/qemu" "$out/own" || { echo "seed $seed differs"; diff "$out/qemu" "$out/own" | head -20; exit 1; }
done
echo "$(($2 - $1 + 1)) random sequences of commands agree with qemu"
