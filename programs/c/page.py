#!/usr/bin/env python3
"""Does what the page "Your kernel from C" of the book says, in an empty folder: writes its files, runs its commands, and
compares what they print: `page.py FOLDER CP2`. Needs gcc-mips64-linux-gnuabi64."""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "specs/src/kernel-from-c.md"


def blocks(page):
    """Returns the kind and the text of each block of a page, in their order."""
    return re.findall(r"```(\w+)\n(.*?)```", page, re.DOTALL)


def name_of(text):
    """Returns the name of the file that the first line of a block begins with, behind what begins a comment."""
    return re.match(r"(?:;|/\*) (\S+):", text).group(1)


def follow(folder, environment):
    """Follows the page; returns the number of texts that were compared."""
    printed, compared = "", 0
    for kind, text in blocks(PAGE.read_text()):
        if kind in ("asm", "c"):
            (folder / name_of(text)).write_text(text)
        elif kind == "sh":
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            printed = done.stdout
            if done.returncode != 0:
                sys.exit(f"page.py: code {done.returncode} of\n{text}\n{printed}")
        elif text not in printed:
            sys.exit(f"page.py: the page shows\n{text}\nand the commands printed\n{printed}")
        else:
            compared += 1
    return compared


def main():
    folder, cp2 = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "programs").exists():
        (folder / "programs").symlink_to(HERE.parent)
    path = f"{cp2.parent}{os.pathsep}{os.environ['PATH']}"
    compared = follow(folder, {**os.environ, "PATH": path})
    print(f"kernel-from-c.md: {compared} texts are as printed")
    if compared < 5:
        sys.exit("page.py: the page shows fewer texts than it should")


main()
