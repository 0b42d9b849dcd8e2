#!/usr/bin/env bash
# Sessions of gdb-multiarch with programs in C, compared with the texts that were looked at: `gdb.sh COMMAND...`, where
# the command runs a program, such as `gdb.sh "$PWD/target/release/cp2" run`. The programs are compiled, and gdb is
# started, where none of their sources is. BLESS=1 makes the texts anew. Needs gcc-mips64-linux-gnuabi64, libc6-dev-mips64-cross and gdb-multiarch.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
c=$(realpath "$here/../../../programs/c")
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
cd "$out"
cp "$here/gdb_kernel.s" .

# session NAME COMMAND...: the program NAME.elf, run by a command, with the requests of NAME.commands.
session() {
  local name=$1 port=
  shift
  : >told
  "$@" 2>>told >printed &
  local server=$!
  for _ in $(seq 100); do
    port=$(sed -n 's/.*target remote :\([0-9]*\)$/\1/p' told)
    [ -n "$port" ] && break
    sleep 0.1
  done
  timeout 60 gdb-multiarch -batch -nx -ex 'set pagination off' -ex "target remote :$port" -x "$here/$name.commands" \
    "$name.elf" >session 2>&1 || { cat session; exit 1; }
  wait "$server" && echo "the command ended with 0" >>session || echo "the command ended with $?" >>session
  sed -n 's/^cp2: error: \([^;]*\).*/\1/p' told >>session
  cat printed >>session
  # Addresses of code, folders, and places in the C library of the native machine's packages.
  sed -i -E 's/0x[0-9a-f]*801[0-9a-f]*/ADDRESS/g; s/0x0*1200[0-9a-f]{5}/ADDRESS/g; s|[^ "`]*/([a-z_0-9]+\.[chS])|\1|g' session
  [ -z "${BLESS:-}" ] || cp session "$here/$name.txt"
  diff "$here/$name.txt" session && echo "$name: gdb sees what it should"
}

"$c/compile" gdb.elf -g -O0 "$c/libcp2/cp2.c" "$here/gdb.c"
session gdb "$@" gdb.elf --gdb 0
"$c/compile" gdb_watch.elf -g -O1 "$here/gdb_watch.c"
session gdb_watch "$@" gdb_watch.elf --gdb 0
mips64-linux-gnuabi64-gcc -static -g -O1 -o gdb_user.elf "$here/gdb_user.c"
session gdb_user "$@" --user --gdb 0 gdb_user.elf first second
