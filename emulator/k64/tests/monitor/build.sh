#!/usr/bin/env bash
# Builds the monitor anew, and commands at random with what the board malta of qemu answers: `build.sh FOLDER`. Needs
# gcc-mips64-linux-gnuabi64 and qemu-system-mips.
set -euo pipefail
out=$(mkdir -p "$1" && realpath "$1")
cd "$(dirname "$0")"
../../../../programs/c/compile "$out/monitor.elf" -s enter.S monitor.c
cargo run --release --quiet -p cp2-k64 --example random_control 1 60 >"$out/monitor.commands"
./malta.sh "$out/monitor.elf" <"$out/monitor.commands" >"$out/monitor.txt"
