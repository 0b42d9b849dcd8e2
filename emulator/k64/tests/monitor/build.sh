#!/usr/bin/env bash
# Builds the monitor anew: `build.sh FOLDER`. Needs gcc-mips64-linux-gnuabi64.
set -euo pipefail
out=$(mkdir -p "$1" && realpath "$1")
cd "$(dirname "$0")"
../../../../programs/c/compile "$out/monitor.elf" -s enter.S monitor.c
