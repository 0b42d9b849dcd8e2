"""Examples in the documents of the package are run; stubs have what there is."""

import ast
import doctest
import inspect
import pathlib

import pytest

import cp2


def documented():
    """Returns what has documents: name and object."""
    found = [("cp2", cp2)]
    for name in cp2.__all__:
        item = getattr(cp2, name)
        found.append((name, item))
        if inspect.isclass(item):
            members = [(f"{name}.{key}", value) for key, value in vars(item).items()]
            found += [(key, value) for key, value in members if getattr(value, "__doc__", None)]
    return found


def test_examples_are_true():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for name, item in documented():
        text = inspect.getdoc(item) or ""
        example = parser.get_doctest(text, {"cp2": cp2}, name, None, None)
        runner.run(example)
    assert runner.failures == 0 and runner.tries >= 25


def test_everything_public_has_a_document():
    for name, item in documented():
        if not name.split(".")[-1].startswith("_"):
            assert (inspect.getdoc(item) or "").strip(), name


STUB = ast.parse((pathlib.Path(cp2.__file__).parent / "_native.pyi").read_text())


def signature_of(item):
    """Returns the names of the parameters of a function or method, without self."""
    return [name for name in inspect.signature(item).parameters if name != "self"]


def parameters_in(node):
    """Returns the names of the parameters of a function of the stub, without self."""
    a = node.args
    every = a.posonlyargs + a.args + ([a.vararg] if a.vararg else []) + a.kwonlyargs + ([a.kwarg] if a.kwarg else [])
    return [p.arg for p in every if p.arg != "self"]


@pytest.mark.parametrize("node", [n for n in STUB.body if isinstance(n, ast.FunctionDef)], ids=lambda n: n.name)
def test_functions_of_the_stub_are_those_of_the_module(node):
    assert parameters_in(node) == signature_of(getattr(cp2._native, node.name))


@pytest.mark.parametrize("node", [n for n in STUB.body if isinstance(n, ast.ClassDef)], ids=lambda n: n.name)
def test_classes_of_the_stub_are_those_of_the_module(node):
    item = getattr(cp2._native, node.name)
    members = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
    public = {name for name in vars(item) if not name.startswith("_")}
    assert {name for name in members if not name.startswith("_")} == public
    for name, member in members.items():
        real = inspect.getattr_static(item, name, None)
        is_property = any(getattr(d, "id", "") == "property" for d in member.decorator_list)
        if name in public and not is_property:
            assert parameters_in(member) == signature_of(getattr(item, name)), name
        if is_property:
            assert inspect.isgetsetdescriptor(real), name


def test_the_stub_leaves_nothing_out():
    native = {name for name in vars(cp2._native) if not name.startswith("_")}
    assert native == {n.name for n in STUB.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name[0] != "_"}
