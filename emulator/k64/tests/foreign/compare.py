#!/usr/bin/env python3
"""Programs that nobody of this project wrote, here and under qemu-mips64: the same bytes and the same exit codes.

zlib, bzip2, zstd, Lua and SQLite come from crates that ship their sources, in the versions of SOURCES; none of their code is
kept here. The driver of each, beside this file, calls the library. csmith makes programs at random, by seed.

    compare.py --user BINARY [--folder FOLDER] [--seeds N] [--speed TIMES] [NAME...]

BINARY is the example `user` of cp2-k64. With --speed each program runs so often on both sides in turn, at a larger size, and
the medians of the wall times of the whole processes are told. Needs gcc-mips64-linux-gnuabi64, libc6-dev-mips64-cross,
qemu-user, csmith and libcsmith-dev.
"""

import argparse
import hashlib
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
GCC = ["mips64-linux-gnuabi64-gcc", "-O2", "-static", "-mabi=64", "-w"]
QEMU = ["qemu-mips64"]
SECONDS = 120
# Signals of the native machine by which qemu ends when its program faults; the example `user` ends with FAULT then.
FAULTS = [-signal.SIGBUS, -signal.SIGSEGV, -signal.SIGILL, -signal.SIGTRAP, -signal.SIGFPE]
FAULT = 4

# Crate, version, SHA-256 of its archive, folder of the sources, files, flags, arguments: a short run and a long one.
SOURCES = {
    "zlib": (
        "libz-sys", "1.1.20", "d2d16453e800a8cf6dd2fc3eb4bc99b786a9b90c663b8559a5b1a041bf89e472",
        "src/zlib",
        ["adler32", "compress", "crc32", "deflate", "inffast", "inflate", "inftrees", "trees", "uncompr", "zutil"],
        ["-DHAVE_UNISTD_H"], (["1", "300000"], ["2", "4000000"]),
    ),
    "bzip2": (
        "bzip2-sys", "0.1.11+1.0.8", "736a955f3fa7875102d57c82b8cac37ec45224a07fd32d58f9f7a186b6cd4cdc",
        "bzip2-1.0.8",
        ["blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib"],
        ["-DBZ_NO_STDIO"], (["1", "200000"], ["1", "1500000"]),
    ),
    "zstd": (
        "zstd-sys", "2.0.13+zstd.1.5.6", "38ff0f21cfee8f97d94cef41359e0c89aa6113028ab0291aa8ca0038995a95aa",
        "zstd/lib", ["common/*", "compress/*", "decompress/*"],
        ["-DZSTD_DISABLE_ASM"], (["1", "400000"], ["6", "4000000"]),
    ),
    "lua": (
        "lua-src", "547.0.0", "1edaf29e3517b49b8b746701e5648ccb5785cde1c119062cbabbc5d5cd115e42",
        "lua-5.4.7", ["l*"], ["-DLUA_USE_POSIX"], (["work.lua", "18"], ["work.lua", "28"]),
    ),
    "sqlite": (
        "libsqlite3-sys", "0.30.1", "2e99fb7a497b1e3339bc746195567ed8d3e24945ecd636e3619d20b9de9e9149",
        "sqlite3", ["sqlite3"],
        ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"], (["1500"], ["20000"]),
    ),
}


def fail(text):
    sys.exit(f"compare.py: {text}")


def fetch(folder, crate, version, digest):
    """Returns the folder of a crate's sources, fetched once; the archive has to be the one that is known."""
    archive = folder / f"{crate}-{version}.crate"
    if not archive.exists():
        url = f"https://static.crates.io/crates/{crate}/{crate}-{version}.crate"
        part = archive.with_suffix(".part")
        with urllib.request.urlopen(url, timeout=60) as answer:
            part.write_bytes(answer.read())
        part.rename(archive)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != digest:
        archive.unlink()
        fail(f"{crate} {version} has the SHA-256 {found}, not {digest}; it was removed: run this again")
    sources = folder / f"{crate}-{version}"
    if not sources.exists():
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
    return sources


def build(folder, name):
    """Compiles a driver with the library that it calls; returns the program."""
    crate, version, digest, inside, files, flags, _ = SOURCES[name]
    sources = fetch(folder, crate, version, digest) / inside
    program = folder / f"{name}.elf"
    if not program.exists():
        texts = [str(text) for pattern in files for text in sorted(sources.glob(f"{pattern}.c"))]
        command = [*GCC, *flags, f"-I{sources}", "-o", str(program), str(HERE / f"{name}.c"), *texts, "-lm"]
        subprocess.run(command, check=True)
    return program


def result(command, work):
    """Runs a command in a folder; returns the exit code and what it printed."""
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, cwd=work)
    return ran.returncode, ran.stdout


def compare(user, program, arguments, work):
    """Runs a program both ways; returns whether code and bytes are the same."""
    ours = result([user, str(program), str(work), *arguments], work)
    theirs = result([*QEMU, str(program), *arguments], work)
    if ours[0] == FAULT and theirs[0] in FAULTS:
        theirs = (FAULT, theirs[1])
    if ours != theirs:
        print(f"{program.name} {' '.join(arguments)}: here {ours[0]}, qemu {theirs[0]}; "
              f"{len(ours[1])} and {len(theirs[1])} bytes")
    return ours == theirs


def seconds(command, work):
    begin = time.perf_counter()
    result(command, work)
    return time.perf_counter() - begin


def speed(user, program, arguments, times, work):
    """Tells the medians of wall times, both sides in turn."""
    ours, theirs = [], []
    for _ in range(times):
        ours.append(seconds([user, str(program), str(work), *arguments], work))
        theirs.append(seconds([*QEMU, str(program), *arguments], work))
    here, qemu = statistics.median(ours), statistics.median(theirs)
    print(f"{program.stem:8} here {here:.3f} s, qemu {qemu:.3f} s, here to qemu {here / qemu:.2f}", flush=True)


def random_program(folder, seed):
    """Makes a program by csmith and compiles it."""
    text, program = folder / f"csmith{seed}.c", folder / f"csmith{seed}.elf"
    made = subprocess.run(["csmith", "--seed", str(seed)], stdout=subprocess.PIPE, check=True)
    text.write_bytes(made.stdout)
    subprocess.run([*GCC, "-I/usr/include/csmith", "-o", str(program), str(text)], check=True)
    return program


def random_programs(user, folder, seeds, work):
    """Compares programs of csmith; returns how many were compared, and how many differ. One that qemu does not end is none."""
    n_compared, n_different = 0, 0
    for seed in range(1, seeds + 1):
        program = random_program(folder, seed)
        try:
            subprocess.run([*QEMU, str(program)], stdout=subprocess.DEVNULL, timeout=5)
        except subprocess.TimeoutExpired:
            continue
        n_compared += 1
        n_different += not compare(user, program, [], work)
        program.unlink()
    return n_compared, n_different


def main():
    parser = argparse.ArgumentParser(description="programs of others, here and under qemu-mips64")
    parser.add_argument("--user", required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/foreign"))
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--speed", type=int, default=0)
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    unknown = [name for name in asked.names if name not in SOURCES]
    if unknown:
        fail(f"no program {unknown[0]}; there are {', '.join(SOURCES)}")
    folder = asked.folder.resolve()
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "work.lua", work)
    user, different = str(pathlib.Path(asked.user).resolve()), 0
    for name in asked.names or SOURCES:
        program, (short, long) = build(folder, name), SOURCES[name][-1]
        if asked.speed:
            speed(user, program, long, asked.speed, work)
        else:
            different += not compare(user, program, short, work)
    if asked.seeds:
        compared, more = random_programs(user, folder, asked.seeds, work)
        print(f"csmith: {compared} programs of {asked.seeds} compared, {more} differ")
        different += more
    if different:
        fail(f"{different} programs differ")


main()
