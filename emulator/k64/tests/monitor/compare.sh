#!/usr/bin/env bash
# Random commands for the monitor, here and on the board malta of qemu: `compare.sh FIRST LAST`, by seeds. Every line has
# to be equal. The processor of qemu is the one that is nearest to ours: release 1, 48 entries of the TLB, virtual
# addresses of 40 bits, physical ones of 36. Its time is that of instructions, so that a run is the same again.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
cargo build --release --quiet -p cp2-k64 --examples
examples="${CARGO_TARGET_DIR:-../../target}/release/examples"
monitor=tests/fixtures/monitor.elf
for seed in $(seq "$1" "$2"); do
  "$examples/random_control" "$seed" 200 >"$out/commands"
  timeout 60 qemu-system-mips64 -M malta -cpu 20Kc -m 64 -icount shift=3,sleep=off -kernel $monitor -nographic -no-reboot \
    -monitor none -serial stdio <"$out/commands" >"$out/qemu"
  timeout 60 "$examples/bare" $monitor 64 <"$out/commands" >"$out/own" 2>/dev/null
  cmp "$out/qemu" "$out/own" || { echo "seed $seed differs"; diff "$out/qemu" "$out/own" | head -20; exit 1; }
done
echo "$(($2 - $1 + 1)) random sequences of commands agree with qemu"
