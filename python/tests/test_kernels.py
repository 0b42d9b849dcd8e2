"""Kernels that are built in Python: the text they come to, the same checks, schedules and runs as of that text."""

import numpy as np
import pytest

import cp2
import operations


def axpy(machine=None):
    k = cp2.Kernel("axpy", machine=machine)
    n = k.argument("n", min=16, multiple=4)
    x = k.array("x", "in", "float32", "16*n", words=1024)
    y = k.array("y", "inout", "float32", "16*n", words=1024)
    k.disjoint(x, y)
    k.even(x, y)
    a = k.constant(0.5)
    with k.loop(n):
        x0, x1 = x.load2()
        y0, y1 = y.load2()
        y.store2((k.psmadd(a, x0, y0), k.psmadd(a, x1, y1)))
    return k


def test_the_loop_is_that_of_the_example(examples):
    k = axpy()
    body = [line.strip() for line in k.text().split(".loop")[1].splitlines()]
    assert body[1:7] == [
        "ldo %v1:%v2, (r0)+2",
        "ldo %v3:%v4, (r1)+0",
        "psmadd  %v3, %v0, %v1",
        "psmadd  %v4, %v0, %v2",
        "sdo %v3:%v4, (r1)+2",
        ".endloop",
    ]
    example = cp2.load(examples / "axpy.s").schedule()
    assert (k.schedule().interval, k.schedule().bound) == (example.interval, example.bound) == (3, 3)


def test_a_checked_run_gives_what_numpy_gives():
    x = np.arange(1024, dtype=np.float32)
    run = axpy().run({"x": x, "y": np.ones(1024, np.float32)}, check=True)
    np.testing.assert_array_equal(run["y"], 1 + np.float32(0.5) * x)
    assert run.findings == []


def test_a_kernel_for_another_core_is_scheduled_for_it():
    slow = cp2.Machine(set={"core.arithmetic_latency": 12})
    given = {"x": np.ones(1024, np.float32), "y": np.ones(1024, np.float32)}
    assert axpy(slow).run(given).cycles > axpy().run(given).cycles


def test_a_promise_that_does_not_hold_is_an_exception():
    with pytest.raises(cp2.Error, match="n"):
        axpy().run({"x": np.ones(16 * 17, np.float32), "y": np.ones(16 * 17, np.float32)}, check=True)


def matvec(rows, columns):
    """y = A x, a row at a time: a loop over rows with one over columns."""
    k = cp2.Kernel("matvec")
    a = k.array("a", "in", "float32", 4 * rows, columns, layout="blocks", words=rows * columns // 2)
    x = k.array("x", "in", "float32", columns, layout="all", words=columns // 2)
    y = k.array("y", "out", "float32", 4 * rows, layout="blocks", pack="both", words=rows)
    k.disjoint(a, x, y)
    with k.loop(rows):
        x.rewind()
        [total] = k.zeros(1)
        with k.loop(columns // 2):
            total = k.psmadd(a.load(), x.load(), total)
        y.store(k.psadd(total, k.swaphl(total)))
    return k


def test_loops_nest_and_values_go_from_iteration_to_iteration():
    rng = np.random.default_rng(3)
    a = rng.normal(size=(16, 64)).astype(np.float32)
    x = rng.normal(size=64).astype(np.float32)
    k = matvec(4, 64)
    run = k.run({"a": a, "x": x}, check=True)
    np.testing.assert_allclose(run["y"], a @ x, rtol=1e-4, atol=1e-4)
    assert run.findings == [] and k.schedule().interval == k.schedule().bound


def test_into_keeps_a_value_in_its_register():
    k = cp2.Kernel("sum")
    x = k.array("x", "in", "float32", 64, pack="both", words=16)
    y = k.array("y", "out", "float32", 4, pack="both", words=1)
    [total] = k.zeros(1)
    with k.loop(16):
        total = k.psadd(total, x.load(), into=total)
    y.store(total)
    given = np.arange(64, dtype=np.float32)
    assert k.run({"x": given})["y"].tolist() == given.reshape(4, 16).sum(axis=1).tolist()


def test_operations_with_two_results_halves_and_numbers():
    k = cp2.Kernel("mixed")
    x = k.array("x", "in", "complex64", 4, words=1)
    y = k.array("y", "out", "complex64", 4, 4, words=4)
    z = x.load()
    both, difference = k.psaddsub(z, k.constant(1.0, 2.0))
    root = k.rsqrt(z.hi)
    k.rsqrt(z.lo, into=root.value.lo)
    for value in (both, difference, k.addi(z, 1), k.cmul(z, k.constant(1j))):
        y.store(value)
    given = np.full(4, 4 + 16j, np.complex64)
    rows = k.run({"x": given})["y"][0].tolist()
    assert {5 + 18j, 3 + 14j} == {rows[0], rows[1]} and rows[3] == -16 + 4j


def test_sections_in_which_a_condition_holds_do_an_operation():
    k = cp2.Kernel("clamp")
    x = k.array("x", "in", "float32", 64, pack="low", words=16)
    y = k.array("y", "out", "float32", 64, pack="low", words=16)
    [zero] = k.zeros(1)
    with k.loop(16):
        value = x.load()
        [is_negative] = k.compare("lt", "s", value, zero)
        with k.when(is_negative):
            value = k.copy(zero, into=value)
        y.store(value)
    given = np.random.default_rng(2).normal(size=64).astype(np.float32)
    run = k.run({"x": given}, check=True)
    np.testing.assert_array_equal(run["y"], np.maximum(given, 0))
    low, high = k.compare("le", "ps", zero, zero)
    assert low._number + 1 == high._number


def test_a_value_that_was_replaced_is_refused():
    k = cp2.Kernel("k")
    a, b = k.zeros(2)
    old = k.copy(a)
    new = k.psmadd(a, b, old)
    with pytest.raises(cp2.UsageError, match="was replaced by the result of a later operation"):
        k.psadd(old, b)
    k.psadd(new, b)


def less(k, value):
    """Returns a condition."""
    [condition] = k.compare("lt", "s", value, value)
    return condition


def within(context, work):
    """Does work within a context."""
    with context:
        work()


WRONG = {
    "a value of the kernel is needed": lambda k, v: k.psadd(v, 3),
    "not of `k`": lambda k, v: k.psadd(v, cp2.Kernel("other").constant(1.0)),
    "a whole number is needed": lambda k, v: k.addi(v, 1.5),
    "half of a value is needed": lambda k, v: k.rsqrt(v),
    "two values are needed": lambda k, v: k.array("q", "in", "float32", 4, words=4).store2(v),
    "`into` has no place": lambda k, v: k.psmadd(v, v, k.copy(v), into=v),
    "a name has letters": lambda k, v: k.argument("1st"),
    "the direction is in, out or inout": lambda k, v: k.array("q", "both", "float32", 4, words=4),
    "give `into`": lambda k, v: within(k.when(k.compare("lt", "s", v, v)[0]), lambda: k.copy(v)),
    "a condition of the kernel": lambda k, v: k.when(3).__enter__(),
    "conditions do not nest": lambda k, v: within(k.when(less(k, v)), lambda: within(k.when(less(k, v)), int)),
    "was set anew": lambda k, v: within(k.when([less(k, v) for _ in range(8)][0]), lambda: k.copy(v, into=v)),
    "missing 1 required positional argument": lambda k, v: k.psadd(v),
    "no loop is open": lambda k, v: k._text.end_loop(),
    "a loop is still open": lambda k, v: within(k.loop(3), k.text),
    "address set 99": lambda k, v: k._text.access("lwo", "%a", 99, 0, ""),
    "a loop runs 0: from 1 to": lambda k, v: k.loop(0).__enter__(),
    "a loop runs -3: from 1": lambda k, v: k.loop(-3).__enter__(),
    "a loop runs: a whole number is needed, and this is 2.5": lambda k, v: k.loop(2.5).__enter__(),
    "a loop runs: a whole number is needed, and this is True": lambda k, v: k.loop(True).__enter__(),
    "a loop runs: a whole number is needed, and this is 'n'": lambda k, v: k.loop("n").__enter__(),
    "is of the kernel `other`, not of `k`": lambda k, v: k.loop(cp2.Kernel("other").argument("n")).__enter__(),
    "is of the kernel `o`, not of `k`": lambda k, v: k.disjoint(cp2.Kernel("o").address_set()),
    "arrays of the kernel are needed": lambda k, v: k.even("x"),
    "an argument has its own": lambda k, v: k.loop(k.argument("n"), min=3).__enter__(),
    "words 0: from 1": lambda k, v: k.array("q", "in", "float32", 4, words=0),
    "has an array q already": lambda k, v: [k.array("q", "in", "float32", 4, words=4) for _ in range(2)],
    "has to be one line": lambda k, v: k.array("q", "in", "float32", "4\n stopi 0", words=4),
    "a layout .* has to be one line": lambda k, v: k.array("q", "in", "float32", 4, words=4, layout="all\n"),
    "beyond the range of float32": lambda k, v: k.constant(1e300),
    "a complex number are needed": lambda k, v: k.constant("1"),
    "relation 'lt.s cc1": lambda k, v: k.compare("lt.s cc1", "s", v, v),
    "is done in all sections": lambda k, v: within(k.when(less(k, v)), lambda: k.lwo(k.address_set().plus(0), into=v)),
    "a general register, such as": lambda k, v: k.mxfpr(k.index(1), v.hi),
    "an address that goes on by n": lambda k, v: k.lwnp(k.address_set().backward),
    "an address with an offset": lambda k, v: k.updaddr(k.array("q", "in", "float32", 4, words=4).at(1)),
    "would change the argument n": lambda k, v: k.move(k.argument("n"), k.general()),
    "a word is 0 to 3": lambda k, v: k.psprmsgn((v, k.copy(v)), 0, 1, 2, 4),
    "section 4: from 0 to 3": lambda k, v: k.mffpr(k.general(), v, 4),
    "linear code has `fccr` only": lambda k, v: k.mfc("fcsr"),
    "the kernel moves its set r0 itself": lambda k, v: (lambda q: (q.set, q.load()))(k.array("q", "in", "float32", 4, words=4)),
    "is walked over": lambda k, v: (lambda q: (q.load(), q.set))(k.array("q", "in", "float32", 4, words=4)),
    "at most 12 arguments and general": lambda k, v: [k.general() for _ in range(13)],
    "at most 16 arrays and address sets": lambda k, v: [k.address_set() for _ in range(17)],
    "a displacement 2000000": lambda k, v: k.array("q", "in", "float32", 4, words=4).load(2000000),
    "n: multiple 0: from 1": lambda k, v: k.argument("n", multiple=0),
}


@pytest.mark.parametrize("told", WRONG)
def test_what_is_wrong_is_said_where_it_is_built(told):
    k = cp2.Kernel("k")
    value = k.constant(1.0)
    with pytest.raises((cp2.UsageError, TypeError), match=told):
        WRONG[told](k, value)


def test_what_the_assembler_finds_is_said_with_its_place():
    k = cp2.Kernel("k")
    k.line("wrong %a")
    with pytest.raises(cp2.AssemblyError, match="there is no operation `wrong`") as told:
        k.assemble()
    assert told.value.file == "k.s"


def test_an_exception_in_a_loop_is_passed_on():
    k = cp2.Kernel("k")
    with pytest.raises(ZeroDivisionError):
        with k.loop(3):
            raise ZeroDivisionError
    with pytest.raises(cp2.UsageError, match="a loop is still open"):
        k.text()


def test_the_source_is_a_program_of_its_own(tmp_path):
    file = tmp_path / "axpy.s"
    axpy().save(file)
    assert cp2.load(file).schedule().interval == 3


def test_the_methods_are_those_of_the_table_of_operations():
    import inspect

    assert inspect.getsource(cp2._operations) == operations.text()


def given_for(k, kind):
    """Returns an argument of a kind for an operation of a kernel."""
    a, b = k.zeros(2)
    s = k.address_set()
    given = {
        "register": a,
        "pair": (a, b),
        "half": a.hi,
        "conditions": "fccr",
        "general": k.general(),
        "countable": k.index(3),
        "settable": s.n,
        "movable": k.control("rind"),
        "set": s,
        "place": s.plus(1),
        "offset": s.plus(-1),
        "forward": s.forward,
        "backward": s.backward,
        "section": 3,
        "sections": "all",
        "selector": "-0",
    }
    return given.get(kind, 1)


OPERATIONS = {operation["name"]: operation for operation in cp2._native._operations()}


def test_the_operations_are_those_of_the_set():
    text = operations.text()
    for name in ("psmadd", "lwo", "ldnp", "lhgnm", "mswsa", "csdi", "seti", "move", "mtfpr", "amtsa", "psprmsgn", "sqso", "lwfa"):
        assert name in OPERATIONS and f'"{name}", (' in text
    assert len(OPERATIONS) > 160 and not {"nop", "jumpi", "do", "stop", "sync", "start_dma", "c"} & set(OPERATIONS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_can_be_built(name):
    operation = OPERATIONS[name]
    switches = [f"{e}=128" if e == "more-fprs" else e for e in operation["extension"].split(" and ") if e]
    k = cp2.Kernel("one", machine=cp2.Machine(enable=[s for all in switches for s in all.split(", ")]))
    arguments = [given_for(k, kind) for _, kind in operations.arguments(operation)]
    before = len(k.text().splitlines())
    result = getattr(k, operations.method_name(operation))(*arguments)
    assert (result is not None) == any(operations.is_result(o) for o in operation["operands"])
    assert len(k.text().splitlines()) == before + 1
    assert k.assemble().bundles > 2


def test_half_words_are_walked_over_like_words():
    """Two floats of each section become their sums, by operations of an extension on the places of arrays."""
    k = cp2.Kernel("halves", machine=cp2.Machine(enable="word-access"))
    x = k.array("x", "in", "float32", 32, words=4)
    y = k.array("y", "out", "float32", 32, words=4)
    k.disjoint(x, y)
    with k.loop(4):
        first, second = k.zeros(2)
        first = k.lho(x.at(0), 0, into=first.hi).value
        second = k.lho(x.at(0), 1, into=second.hi).value
        total = k.psadd(first, second)
        k.sho(total.hi, y.at(0), 1)
        k.sho(total.hi, y.at(0), 0)
        x.advance(1)
        y.advance(1)
    given = np.arange(32, dtype=np.float32)
    expected = np.repeat(given.reshape(16, 2).sum(axis=1), 2)
    np.testing.assert_array_equal(k.run({"x": given}, check=True)["y"], expected)


def test_a_set_of_its_own_steps_by_its_registers():
    """y has every second word of x, by loads that step by n."""
    k = cp2.Kernel("second")
    x = k.array("x", "in", "complex64", 4, 32, words=32)
    y = k.array("y", "out", "complex64", 4, 16, words=16)
    k.disjoint(x, y)
    s, g = x.set, k.general()
    k.seti(g, 16)
    k.seti(s.a, x)
    k.seti(s.n, 2)
    with k.loop(g, min=16, multiple=16):
        y.store(k.lwnp(s.forward))
    given = (np.arange(128) + 1j).astype(np.complex64).reshape(4, 32)
    np.testing.assert_array_equal(k.run({"x": given}, check=True)["y"], given[:, ::2])


def clamped(enable):
    k = cp2.Kernel("clamp", machine=cp2.Machine(enable=enable))
    x = k.array("x", "in", "float32", 64, pack="low", words=16)
    y = k.array("y", "inout", "float32", 64, pack="low", words=16)
    [zero] = k.zeros(1)
    with k.loop(16):
        value = x.load()
        [is_negative] = k.compare("lt", "s", value, zero)
        with k.when(is_negative):
            y.store(value)
    return k


def test_a_store_under_a_condition_is_done_where_it_holds():
    given = np.random.default_rng(2).normal(size=64).astype(np.float32)
    run = clamped("conditional-memory").run({"x": given, "y": np.full(64, 9, np.float32)})
    np.testing.assert_array_equal(run["y"], np.where(given < 0, given, 9))


def test_a_store_under_a_condition_without_the_extension_is_refused():
    with pytest.raises(cp2.AssemblyError, match="conditional-memory"):
        clamped([]).assemble()


def test_a_load_under_a_condition_takes_the_place_of_a_value():
    k = cp2.Kernel("k", machine=cp2.Machine(enable="conditional-memory"))
    x = k.array("x", "in", "float32", 8, words=2)
    with k.when(less(k, k.constant(1.0))):
        with pytest.raises(cp2.UsageError, match="give `into`"):
            x.load()
        value = k.constant(2.0)
        x.load(into=value)
    assert "if(cc1) clwo %v1, (r0)+1" in k.text()


def test_constants_are_told_apart_by_their_bits():
    k = cp2.Kernel("signs")
    y = k.array("y", "out", "complex64", 16, words=4)
    values = [0.0, -0.0, 0.1, float("-inf")]
    for value in values:
        y.store(k.constant(value, 0))
    rows = k.run()["y"].reshape(4, 4)[0].real
    assert rows.tobytes() == np.array(values, np.float32).tobytes()
    assert np.isnan(np.float32(k.run()["y"][0].real)) == np.False_


def test_conditions_of_a_register_are_named_by_their_numbers():
    k = cp2.Kernel("k")
    [old] = k.compare("lt", "s", k.constant(1.0), k.constant(2.0))
    codes = k.mfc("fccr")
    k.mtc(codes, "fccr")
    with pytest.raises(cp2.UsageError, match="was set anew by a later comparison or `mtc`"):
        k.when(old).__enter__()
    with k.when(k.condition(1)):
        k.copy(codes, into=codes)
    assert k.assemble().bundles > 4
