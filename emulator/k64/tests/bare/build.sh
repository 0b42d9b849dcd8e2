#!/usr/bin/env bash
# Builds the programs for the bare machine anew, and what qemu's board malta makes of the one that runs there too:
# `build.sh FOLDER`. Needs gcc-mips64-linux-gnuabi64 and qemu-system-misc.
set -euo pipefail
out=$(mkdir -p "$1" && realpath "$1")
cd "$(dirname "$0")"
compile=../../../../programs/c/compile
for name in privileged hang calls; do $compile "$out/$name.elf" -s $name.c; done
# With its lines, for a message that tells them.
$compile "$out/unhandled.elf" -g -gno-record-gcc-switches -ffile-prefix-map="$PWD"=. \
  -ffile-prefix-map="$(dirname "$(realpath $compile)")"=. unhandled.c
mips64-linux-gnuabi64-gcc -mabi=32 -march=mips64 -mno-abicalls -fno-pic -no-pie -nostdlib -static -s \
  -Wl,--build-id=none -Wl,-e,_start -Wl,-Ttext=0x80100000 -Wl,-z,max-page-size=4096 -o "$out/words.elf" words.s
# libgcc has instructions of release 2.
for run in 5Kf:privileged MIPS64R2-generic:calls; do
  timeout 60 qemu-system-mips64 -M malta -cpu ${run%:*} -kernel "$out/${run#*:}.elf" -nographic -no-reboot \
    -monitor none -serial stdio </dev/null >"$out/${run#*:}.txt"
done
