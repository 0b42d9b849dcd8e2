#!/usr/bin/env bash
# Runs the MPI examples on emulated processors and, from the same sources, under the MPI of this computer, and compares what they
# print: `mpi.sh FOLDER`. Needs gcc-mips64-linux-gnuabi64, a library of MPI with mpicc and mpirun, and the program cp2, built with
# several processors, in the variable CP2.
set -euo pipefail
folder=$(mkdir -p "$1" && realpath "$1")
cp2=$(realpath "${CP2:?the program cp2, such as target/release/cp2}")
here=$(dirname "$(realpath "$0")")
examples=$here/examples/mpi
cd "$folder"
"$cp2" asm "$here/examples/scale.s" -o scale.o
"$cp2" asm "$here/examples/scale.s" -o scale.hex
{ echo "static const uint64_t scale[] = {" && sed 's/;.*//; s/^[0-9a-f]\{16\}/0x&,/' scale.hex && echo '};'; } >scale_kernel.h

# Compares a program on several numbers of ranks: `same NAME RANKS...`. Ranks print in any order under the MPI of a computer.
same() {
  local name=$1
  shift
  mpicc -O2 -ffp-contract=off -Wall -Wextra -Werror -o "$name" "$examples/$name.c" -lm
  "$here/mpicc" "$name.elf" -I. -Wa,-I. "$examples/$name.c"
  for ranks in "$@"; do
    mpirun --allow-run-as-root --oversubscribe -n "$ranks" "./$name" | sort >"$name.host"
    for topology in vm9-torus vm9-chips; do
      [[ $topology = vm9-torus || $ranks = [248] ]] || continue
      "$cp2" cluster run program "$name.elf" --processors "$ranks" --topology $topology | sort >"$name.emulated"
      diff "$name.host" "$name.emulated"
    done
  done
  echo "$name: the same on $* ranks"
}
same ring 2 3 4 8 13
same stencil 1 2 3 4 8
same mg 1 2 4 8 16
same calls 1 2 4 8
mpirun --allow-run-as-root --oversubscribe -n 4 ./stencil 100 | diff - <("$cp2" cluster run program stencil.elf --processors 4 -- 100)
same boards 1 2 3 4 8

# Refuses with a sentence what would depend on time or is not there: `refused SENTENCE STATEMENT`.
refused() {
  { echo '#include <mpi.h>' && echo "int main(void) { int n; MPI_Status s; (void)&n, (void)&s; $2; return 0; }"; } >refused.c
  ! "$here/mpicc" refused.elf refused.c 2>refused.txt || exit 1
  grep -q "$1" refused.txt || { cat refused.txt && exit 1; }
}
refused "a receive names its source and its tag" 'MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &s)'
refused "MPI_ANY_TAG: what a program receives" 'MPI_Recv(&n, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s)'
refused "use MPI_Wait" 'MPI_Test(0, &n, &s)'
refused "there is one communicator here" 'MPI_Comm_split(MPI_COMM_WORLD, 0, 0, 0)'
refused "MPI_LONG_DOUBLE.* undeclared" 'MPI_Send(&n, 1, MPI_LONG_DOUBLE, 0, 0, MPI_COMM_WORLD)'
refused "implicit declaration of function .MPI_File_open" 'MPI_File_open(0)'
refused "the frame size of" 'volatile char large[60000]; large[0] = 1; n = large[0]'
echo "what is not there is refused"
