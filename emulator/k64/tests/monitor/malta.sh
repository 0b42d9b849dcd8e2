#!/usr/bin/env bash
# Runs a program on the board malta of qemu, with the console on standard input and output: `malta.sh PROGRAM`. The
# processor is the one that is nearest to ours: release 1, 48 entries of the TLB, virtual addresses of 40 bits, physical
# ones of 36. Its time is that of instructions, so that a run is the same again.
exec timeout 60 qemu-system-mips64 -M malta -cpu 20Kc -m 64 -icount shift=3,sleep=off -kernel "$1" -nographic -no-reboot \
  -monitor none -serial stdio
