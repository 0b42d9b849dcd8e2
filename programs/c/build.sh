#!/usr/bin/env bash
# Builds the examples anew: `build.sh FOLDER`. Needs gcc-mips64-linux-gnuabi64, and the program cp2 in the variable CP2.
set -euo pipefail
out=$(mkdir -p "$1" && realpath "$1")
cp2=$(realpath "${CP2:?the program cp2, such as target/release/cp2}")
kernels=$(mktemp -d)
trap 'rm -r "$kernels"' EXIT
cd "$(dirname "$0")"
for name in fft spmv coprocessor fault transfer; do ./compile "$out/$name.elf" -s libcp2/cp2.c examples/$name.c; done
./compile "$out/mg.elf" -s libcp2/cp2.c examples/mg.c examples/mg_pages.c
# By itself: where its code lies tells in the time of short products.
./compile "$out/reference.elf" -s examples/reference.c
# Kernels as C arrays NAME of bundles, and as objects.
for name in scale turns_first turns_second turns_third; do
  "$cp2" asm "examples/$name.s" -o "$kernels/$name.o"
  "$cp2" asm "examples/$name.s" -o "$kernels/$name.hex"
  { echo "static const uint64_t $name[] = {" && sed 's/;.*//; s/^[0-9a-f]\{16\}/0x&,/' "$kernels/$name.hex" && echo '};'; } \
    >"$kernels/${name}_kernel.h"
done
# What cp2 writes for a workload file.
"$cp2" kernels run ../../examples/polynomial/work.toml --machine vm9 --emit c --into "$kernels/host" >/dev/null
./compile "$out/polynomial.elf" -Wa,-I"$kernels/host" libcp2/cp2.c libcp2/scheme.c "$kernels/host/polynomial.c"
# With symbols, by which arrays find their places.
for name in scale turns; do ./compile "$out/$name.elf" -I"$kernels" -Wa,-I"$kernels" libcp2/cp2.c examples/$name.c; done
# For several processors, with symbols, by which messages tell places.
for name in ring stencil mg calls wrong boards; do ./mpicc "$out/mpi_$name.elf" -I"$kernels" -Wa,-I"$kernels" examples/mpi/$name.c; done
