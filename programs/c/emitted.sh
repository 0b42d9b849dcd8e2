#!/usr/bin/env bash
# Writes the host programs of workload files in C, builds them, runs them on the emulated processor, and checks their results:
# `emitted.sh FOLDER`. Needs gcc-mips64-linux-gnuabi64, python3, and the program cp2 in the variable CP2.
set -euo pipefail
folder=$(mkdir -p "$1" && realpath "$1")
CP2=$(realpath "${CP2:?the program cp2, such as target/release/cp2}")
pages=$(dirname "$(realpath "$0")")/../../examples/pages
cp2() { "$CP2" "$@"; }

# Builds and runs a workload file by the commands that cp2 prints: `by_commands FILE MACHINE`; leaves its folder in `host`.
by_commands() {
  host=$folder/$(basename "$1" .toml)-$2
  rm -rf "$host"
  local build run
  { read -r && read -r build && read -r run; } < <(cp2 kernels run "$1" --machine "$2" --emit c --into "$host")
  cd "$host"
  eval "$build"
  eval "$run"
}

for machine in vm7 vm9; do
  by_commands "$pages/gather.toml" $machine
  python3 "$pages/check.py" gather table.npy index.npy y_result.npy
  by_commands "$pages/fir.toml" $machine
  python3 "$pages/check.py" fir x.npy h.npy y_result.npy
  by_commands "$pages/matvec.toml" $machine
  python3 "$pages/check.py" matvec a.npy x.npy y_result.npy
  by_commands "$pages/fft256.toml" $machine
  python3 "$pages/check.py" fft x.npy y_result.npy
  by_commands "$pages/resid.toml" $machine
  python3 "$pages/check.py" resid u.npy v.npy result_result.npy
done
