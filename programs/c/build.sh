#!/usr/bin/env bash
# Builds the examples anew: `build.sh FOLDER`. Needs gcc-mips64-linux-gnuabi64.
set -euo pipefail
out=$(mkdir -p "$1" && realpath "$1")
cd "$(dirname "$0")"
for name in fft spmv coprocessor fault transfer; do ./compile "$out/$name.elf" -s libcp2/cp2.c examples/$name.c; done
./compile "$out/mg.elf" -s libcp2/cp2.c examples/mg.c examples/mg_pages.c
# By itself: where its code lies tells in the time of short products.
./compile "$out/reference.elf" -s examples/reference.c
