#!/usr/bin/env bash
# Random programs here and under qemu: `random.sh FIRST LAST`, by seeds. Registers, HI, LO, FCSR of every block and
# memory must be equal.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
cargo build --release --quiet -p cp2-k64 --examples
examples="${CARGO_TARGET_DIR:-../../target}/release/examples"
for seed in $(seq "$1" "$2"); do
  "$examples/random_program" "$seed" 200 >"$out/program.s"
  mips64-linux-gnuabi64-gcc -march=mips64r2 -mno-abicalls -fno-pic -no-pie -msym32 -nostdlib -static \
    -Wl,-Ttext-segment=0x10000000 -o "$out/program.elf" "$out/program.s"
  qemu-mips64 -cpu MIPS64R2-generic "$out/program.elf" >"$out/qemu"
  "$examples/user" "$out/program.elf" >"$out/own" 2>/dev/null
  cmp "$out/qemu" "$out/own" || { echo "seed $seed differs"; exit 1; }
done
echo "$(($2 - $1 + 1)) random programs agree with qemu"
