#!/usr/bin/env bash
# Builds the examples anew: `build.sh FOLDER`. Needs gcc-mips64-linux-gnuabi64.
set -euo pipefail
out=$(mkdir -p "$1" && realpath "$1")
cd "$(dirname "$0")"
for name in fft coprocessor fault transfer; do ./compile "$out/$name.elf" -s libcp2/cp2.c examples/$name.c; done
