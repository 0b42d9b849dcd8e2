"""Programs and their runs: arrays in and out, diagnostics, ends of runs."""

import numpy as np
import pytest

import cp2


def test_a_matrix_times_a_vector(matvec, numbers):
    a, x = numbers
    run = matvec.run({"a": a, "x": x})
    np.testing.assert_allclose(run["y"], a @ x, rtol=1e-5)
    assert run["y"].dtype == np.float32 and run["y"].shape == (16,)
    assert run["y"].flags.owndata or run["y"].base is not None
    assert run.cycles == 328 and run.code == 0
    assert run.statistics["cycles"] == run.cycles
    assert run.flops == sum(run.statistics["flops"]) > 0


def test_what_numpy_can_make_an_array_of_is_taken(double):
    assert double.run({"x:as=float32": [1.0, 2.0, 3.0, 4.0]})["x"].tolist() == [2, 4, 6, 8]


def test_arrays_that_are_not_contiguous_are_read_as_they_are(matvec, numbers):
    a, x = numbers
    plain = matvec.run({"a": a, "x": x})["y"]
    fortran = matvec.run({"a": np.asfortranarray(a), "x": np.repeat(x, 2)[::2]})["y"]
    assert plain.tobytes() == fortran.tobytes()


def test_the_input_is_not_changed(double):
    x = np.arange(8, dtype=np.float32)
    x.flags.writeable = False
    run = double.run({"x": x})
    assert x.tolist() == list(range(8)) and run["x"].tolist() == [2 * v for v in range(8)]


def test_every_type_of_numbers_goes_in_and_comes_out():
    program = cp2.assemble(".kernel k\n stopi 0\n.lmem all\nbuf: .zero 64\n")
    for name in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
        given = np.array([1, 2, 3, 4], dtype=name)
        run = program.run({"buf:as=int64:s0": given}, store="buf:s0:int64:shape=4")
        assert run["buf"].tolist() == [1, 2, 3, 4], name
    z = np.array([1 + 2j, -0.5j], dtype=np.complex64)
    run = program.run({"buf:s1": z}, store=["buf:s1:complex64:shape=2"])
    assert run["buf"].tolist() == z.tolist()


def test_arguments_are_those_of_the_kernel(double):
    assert double.run({"x": np.ones(8, np.float32)}, arg={"n": 2})["x"].tolist() == [2] * 8
    with pytest.raises(cp2.InputError, match="n"):
        double.run({"x": np.ones(8, np.float32)}, arg={"n": 0})


def test_errors_of_the_assembler_have_places():
    with pytest.raises(cp2.AssemblyError) as told:
        cp2.assemble(".kernel k\n  wrong f1\n  seti g99, 1\n", name="my.s")
    error = told.value
    assert (error.file, error.line, error.column, error.code) == ("my.s", 2, 3, "C0301")
    assert [d.line for d in error.diagnostics] == [2, 3]
    assert str(error).startswith("my.s:2:3: error: there is no operation `wrong` [C0301]")
    assert "^^^^^ no such operation" in str(error)
    assert isinstance(error, ValueError) and isinstance(error, cp2.InputError)


def test_the_end_of_a_run_that_is_no_stop_is_an_exception(endless):
    with pytest.raises(cp2.LimitError, match="100 cycles") as told:
        endless.run(max_cycles=100)
    assert told.value.run.cycles == 100 and told.value.run.code is None
    with pytest.raises(cp2.GuestError, match="past bundle 8191"):
        cp2.assemble(".kernel k\n nop\n").run()


def test_a_checked_run_tells_what_it_found():
    early = cp2.assemble(".kernel k\n psadd f1, f2, f3\n seti a0, 0\n" + " nop\n" * 8 + " swo f1, (r0)\n nop\n nop\n stopi 0\n")
    findings = early.run(check=True).findings
    assert findings and {"code", "line"} <= {key for f in findings for key in f} | {"code", "line"}
    assert early.run().findings is None


def test_all_engines_give_the_same(matvec, numbers):
    a, x = numbers
    runs = [matvec.run({"a": a, "x": x}, engine=e) for e in ["fast", "portable", "reference"]]
    assert len({(run.cycles, run["y"].tobytes()) for run in runs}) == 1
    assert all(run.state() == runs[0].state() for run in runs)


def test_a_state_goes_into_the_next_run():
    first = cp2.assemble(".kernel k\n seti g1, 5\n stopi 0\n").run()
    assert int(first.state()["gpr"][1], 16) == 5
    plain = cp2.assemble(".kernel k\n stopi 0\n")
    assert int(plain.run(init=first.state()).state()["gpr"][1], 16) == 5
    with pytest.raises(cp2.InputError, match="at `gpr`"):
        plain.run(init={"gpr": "no"})
    with pytest.raises(TypeError):
        plain.run(init={"gpr": object()})


def test_programs_come_from_files(examples, tmp_path):
    assert cp2.load(examples / "twelve.s").kernels == ["twelve"]
    main = tmp_path / "main.s"
    main.write_text('.include "part.s"\n')
    (tmp_path / "part.s").write_text(".kernel k\n stopi 3\n")
    assert cp2.load(main).run().code == 3
    with pytest.raises(cp2.InputError, match="missing.s"):
        cp2.load(tmp_path / "missing.s")
    with pytest.raises(cp2.AssemblyError, match="no files can be included"):
        cp2.assemble('.include "part.s"\n')


def test_interface_tells_shapes_and_types(matvec):
    arrays = matvec.interface()["matvec"]["arrays"]
    assert [a["name"] for a in arrays] == ["a", "x", "y"]
    assert arrays[0]["shape"] == ["4*rows", "16*n"] and arrays[0]["type"] == "float32"


def test_representations_tell_what_there_is(matvec, numbers):
    assert repr(matvec) == "<cp2.Program matvec: 85 bundles for CP2 alone>"
    run = matvec.run({"a": numbers[0], "x": numbers[1]})
    assert repr(run) == "<cp2.Run stopped with code 0: 328 cycles, 1280 operations>"


def test_what_was_scheduled_once_is_not_scheduled_again():
    import time

    machine = cp2.Machine(set={"core.arithmetic_latency": 11, "core.load_latency": 4})
    text, times = cp2.source("resid", machine=machine), []
    for _ in range(2):
        start = time.monotonic()
        cp2.assemble(text, machine=machine)
        times.append(time.monotonic() - start)
    assert times[1] < times[0] / 2
