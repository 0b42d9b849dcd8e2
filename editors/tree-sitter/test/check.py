"""Checks the grammar: that the parser is made of `grammar.js` as it is, the trees of `corpus/`, the queries, and every source of the
repository: where the assembler reads a text to its end, the tree has no error.

Usage: check.py CP2 ROOT; needs a C compiler, `tree-sitter` of the Python package index, Neovim, and the program CP2.
"""

import ctypes
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tree_sitter

HERE = pathlib.Path(__file__).resolve().parent.parent
# Codes of what the assembler finds while it reads lines, before it knows what they mean.
READING = re.compile(r"\[C01\d\d\]|\[C04(05|06|07|08|09)\]|\[C0420\]")


def language(folder):
    library = folder / "cp2.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-I", HERE / "src", HERE / "src/parser.c", "-o", library], check=True)
    make = ctypes.CDLL(str(library)).tree_sitter_cp2
    make.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return tree_sitter.Language(capsule(make(), b"tree_sitter.Language", None))


def current():
    """The parser is that of the grammar."""
    digest = hashlib.sha256((HERE / "grammar.js").read_bytes()).hexdigest()
    kept = (HERE / "src/grammar.sha256").read_text().strip()
    assert digest == kept, "src/parser.c is made of another grammar.js; `editors/tree-sitter/generate` makes it anew"


def shape(node):
    """The named nodes of a tree as nested lists in round brackets, fields before what they name."""
    parts = []
    for place in range(node.child_count):
        child = node.child(place)
        if child.is_named:
            field = node.field_name_for_child(place)
            parts.append((f"{field}: " if field else "") + shape(child))
    return f"({' '.join([node.type, *parts])})"


def corpus(parser):
    """Texts with their trees, as tree-sitter writes them: a name between lines of `=`, the text, a line of `-`, the tree."""
    count = 0
    for path in sorted((HERE / "test/corpus").glob("*.txt")):
        parts = re.split(r"^=+\n(.*)\n=+\n", path.read_text(), flags=re.M)[1:]
        for name, body in zip(parts[::2], parts[1::2]):
            text, _, tree = body.partition("\n---\n")
            wanted = re.sub(r"\s+", " ", tree).strip().replace("( ", "(").replace(" )", ")")
            found = shape(parser.parse(text.lstrip("\n").encode()).root_node)
            assert found == wanted, f"{path.name}, {name}:\n{found}\nin place of\n{wanted}"
            count += 1
    assert count > 10, count
    return count


def faults(tree, text):
    """Lines that the tree could not take."""
    found, open_nodes = [], [tree.root_node]
    while open_nodes:
        node = open_nodes.pop()
        if node.is_error or node.is_missing:
            line = node.start_point[0]
            found.append(f"{line + 1}: {text.splitlines()[line].strip() if text.splitlines() else ''}")
        elif node.has_error:
            open_nodes.extend(node.children)
    return found


def is_read(cp2, path):
    """Whether the assembler reads every line of a text; what it finds later does not count."""
    done = subprocess.run([cp2, "asm", path, "-o", "/dev/null", "--emit", "hex"], capture_output=True, text=True)
    return not READING.search(done.stderr)


def sources(parser, cp2, root):
    """Every source: of the repository, and of the kernels that come with cp2."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "*.s"], check=True, capture_output=True, text=True).stdout.split()
    texts = [(root / name).resolve() for name in listed if not name.startswith(("emulator/", "programs/c/", "tests/hostile/"))]
    count = 0
    for path in texts:
        text = path.read_bytes().decode("utf-8", "replace")
        wrong = faults(parser.parse(text.encode()), text)
        if wrong:
            assert not is_read(cp2, path), f"{path}: the assembler reads this, the grammar does not:\n" + "\n".join(wrong[:5])
        else:
            count += 1
    names = re.findall(r"^(\w+)$", subprocess.run([cp2, "kernels", "list"], check=True, capture_output=True, text=True).stdout, re.M)
    kernels = 0
    for name in names:
        made = subprocess.run([cp2, "kernels", "source", name], capture_output=True, text=True)
        if made.returncode == 0:
            wrong = faults(parser.parse(made.stdout.encode()), made.stdout)
            assert not wrong, f"kernel {name}:\n" + "\n".join(wrong[:5])
            kernels += 1
    assert count > 200 and kernels > 20, (count, kernels)
    return count, len(texts), kernels


def colours(tongue, parser):
    """The query of colours: every word of a text has the kind that it should have."""
    query = tree_sitter.Query(tongue, (HERE / "queries/highlights.scm").read_text())
    text = b".equ n, 4 ; four\nlast: if(cc1) psmadd %x, f1, (r0)+n | ldo f4.hi, (r1)-2\n"
    captures = tree_sitter.QueryCursor(query).captures(parser.parse(text).root_node)
    kinds = {(kind, node.text.decode()) for kind, nodes in captures.items() for node in nodes}
    for wanted in [("comment", "; four"), ("keyword", ".equ"), ("keyword", "if"), ("label", "last"), ("function", "psmadd"),
                   ("function", "ldo"), ("variable", "%x"), ("variable.builtin", "f4.hi"), ("number", "4")]:
        assert wanted in kinds, (wanted, kinds)


def neovim(folder, root):
    """Neovim takes parser and query as they are."""
    for part in ["parser", "queries/cp2"]:
        (folder / part).mkdir(parents=True)
    (folder / "cp2.so").rename(folder / "parser/cp2.so")
    shutil.copy(HERE / "queries/highlights.scm", folder / "queries/cp2/highlights.scm")
    script = "luafile editors/tree-sitter/test/neovim.lua"
    subprocess.run(["nvim", "--headless", "-u", "NONE", "-n", "-c", script], check=True, cwd=root, env={**os.environ, "CP2_PARSERS": str(folder)})


def check(cp2, root):
    current()
    with tempfile.TemporaryDirectory() as folder:
        tongue = language(pathlib.Path(folder))
        parser = tree_sitter.Parser(tongue)
        trees = corpus(parser)
        colours(tongue, parser)
        right, all_of_them, kernels = sources(parser, cp2, root)
        neovim(pathlib.Path(folder), root)
    print(f"the grammar: {trees} trees, {right} of {all_of_them} sources without an error, the others refused by the assembler; {kernels} kernels")


if __name__ == "__main__":
    check(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())
