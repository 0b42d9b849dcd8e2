#!/usr/bin/env bash
# A session of gdb-multiarch with a program in C, compared with the text that was looked at: `gdb.sh COMMAND...`, where
# the command runs a program, such as `gdb.sh "$PWD/target/release/cp2" run`. Needs gcc-mips64-linux-gnuabi64 and
# gdb-multiarch.
set -euo pipefail
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
../../../programs/c/compile "$out/gdb.elf" -g -O0 ../../../programs/c/libcp2/cp2.c gdb.c
: >"$out/told"
"$@" "$out/gdb.elf" --gdb 0 2>>"$out/told" &
server=$!
for _ in $(seq 100); do
  port=$(sed -n 's/.*target remote :\([0-9]*\)$/\1/p' "$out/told")
  [ -n "$port" ] && break
  sleep 0.1
done
timeout 60 gdb-multiarch -batch -nx -ex 'set pagination off' -ex "target remote :$port" -x gdb.commands "$out/gdb.elf" \
  >"$out/session" 2>&1 || { cat "$out/session"; exit 1; }
wait "$server" || true
sed -i 's/0x[0-9a-f]*801[0-9a-f]*/ADDRESS/g; s|[^ ]*/gdb\.c|gdb.c|; s|[^ ]*/start\.S|start.S|' "$out/session"
diff gdb.txt "$out/session" && echo "gdb sees what it should"
