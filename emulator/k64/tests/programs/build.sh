#!/usr/bin/env bash
# Builds the fixtures anew from their sources, and what qemu makes of them: `build.sh FOLDER`. Needs
# gcc-mips64-linux-gnuabi64 and qemu-user. -mno-madd4: GCC fuses products and sums even with -ffp-contract=off.
set -euo pipefail
out=$(mkdir -p "$1" && realpath "$1")
cd "$(dirname "$0")"
gcc=mips64-linux-gnuabi64-gcc
# The default processor of qemu keeps no rounding mode.
qemu="qemu-mips64 -cpu MIPS64R2-generic"
$gcc -O2 -static -s -ffp-contract=off -mno-madd4 -frounding-math -Wl,--build-id=none -o "$out/suite.elf" \
  suite.c integers.c floats.c library.c files.c mg.c cg.c loop.c limits.c language.c clocks.c signals.c \
  calls/names.c calls/properties.c calls/channels.c calls/escapes.c calls/words.c calls/restarts.c calls/stacks.c -lm
for name in integers floats library language mg cg clocks signals restarts stacks; do
  { $qemu "$out/suite.elf" $name && code=0 || code=$?; echo "exit code $code"; } >"$out/$name.txt"
done
# These make files, in a folder of their own.
for name in names properties channels; do
  folder=$(mktemp -d)
  (cd "$folder" && { $qemu "$out/suite.elf" $name && code=0 || code=$?; echo "exit code $code"; } >"$out/$name.txt")
  rm -r "$folder"
done
env -i $'CAF\xc9=\xe9' EMPTY= "$(command -v qemu-mips64)" "$out/suite.elf" words $'\xff\xfe' '' text >"$out/words.txt"
# Numbers and names of the system calls.
header=/usr/mips64-linux-gnuabi64/include/asm/unistd_n64.h
awk '/__NR_Linux \+/ { gsub(/[^0-9]/, "", $NF); sub("__NR_", "", $2); print 5000 + $NF, $2 }' $header | LC_ALL=C sort >"$out/numbers.txt"
cargo build --release --quiet -p cp2-k64 --example random_program
generator="${CARGO_TARGET_DIR:-../../../../target}/release/examples/random_program"
for seed in 1 2; do
  "$generator" $seed 60 >"$out/random$seed.s"
  $gcc -march=mips64r2 -mno-abicalls -fno-pic -no-pie -msym32 -nostdlib -static -s -Wl,--build-id=none \
    -Wl,-Ttext-segment=0x10000000 -o "$out/random$seed.elf" "$out/random$seed.s"
  $qemu "$out/random$seed.elf" >"$out/random$seed.bin"
  rm "$out/random$seed.s"
done
# In two steps, because the name of the object becomes a symbol.
$gcc -mno-abicalls -fno-pic -msym32 -g -Wa,--debug-prefix-map="$PWD"=. -c -o "$out/faults.o" faults.s
cd "$out"
$gcc -mno-abicalls -no-pie -nostdlib -static -Wl,--build-id=none -Wl,-Ttext-segment=0x10000000 -o faults.elf faults.o
rm faults.o
