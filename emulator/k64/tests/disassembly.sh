#!/usr/bin/env bash
# Makes tests/fixtures/disassembly.txt anew: words of every operation as objdump of GNU binutils reads them.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
cargo run --release --quiet -p cp2-k64 --example words >"$out/words"
python3 -c 'import sys; sys.stdout.buffer.write(b"".join(bytes.fromhex(l) for l in sys.stdin.read().split()))' \
  <"$out/words" >"$out/words.bin"
mips64-linux-gnuabi64-objdump -D -b binary -m mips:isa64r2 -EB \
  -M no-aliases,gpr-names=64,fpr-names=numeric,cp0-names=numeric,cp1-names=numeric,hwr-names=numeric "$out/words.bin" |
  sed -n 's/^ *[0-9a-f]*:\t\([0-9a-f]\{8\}\) *\t/\1 /p' | tr '\t' ' ' >tests/fixtures/disassembly.txt
