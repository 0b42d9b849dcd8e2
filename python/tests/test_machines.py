"""Machines by the words of the command line."""

import pickle

import pytest

import cp2


def test_names_settings_and_extensions():
    machine = cp2.Machine("vm9", enable=["word-access", "more-fprs=128"], set={"core.load_latency": 4})
    assert machine.name == "vm9" and not machine.is_alone
    assert machine["core.load_latency"] == 4
    assert machine == cp2.Machine("vm9", enable="word-access,more-fprs=128", set="core.load_latency=4")
    assert machine != cp2.Machine("vm9")
    assert cp2.Machine.from_text(machine.to_text()).to_dict() == machine.to_dict()
    assert machine.to_dict()["core"]["load_latency"] == {"value": 4, "origin": "set by hand"}


def test_cp2_alone_takes_numbers_of_the_core_only():
    alone = cp2.Machine(set={"core.arithmetic_latency": 12})
    assert alone.is_alone and alone.changes == ["core.arithmetic_latency = 12 (CP2: 8)"]
    with pytest.raises(cp2.UsageError, match="without a machine only numbers of the core"):
        cp2.Machine(set={"memory.outstanding": 3})
    with pytest.raises(cp2.UsageError, match="needs a machine"):
        cp2.Machine(enable="memory-controller")


def test_what_there_is_not_is_named(tmp_path):
    with pytest.raises(cp2.InputError, match="neither a machine nor a file `vm10`.*vm7, vm9"):
        cp2.Machine("vm10")
    with pytest.raises(cp2.UsageError, match="the extensions are word-access"):
        cp2.Machine("vm9", enable="nonsense")
    with pytest.raises(cp2.UsageError, match="set core.load_latency=-1"):
        cp2.Machine("vm9", set={"core.load_latency": -1})
    with pytest.raises(KeyError, match="is not a key"):
        cp2.Machine("vm9")["core.nonsense"]
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("name = 'x'\nnonsense = 1\n")
    with pytest.raises(cp2.InputError, match="wrong.toml"):
        cp2.Machine(wrong)


def test_a_machine_file_is_a_machine(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(cp2.Machine("vm7").to_text().replace('"vm7"', '"mine"', 1))
    assert cp2.Machine(file).name == cp2.Machine(str(file)).name == "mine"


def test_a_program_for_another_core_has_other_cycles(examples):
    text = (examples / "axpy.s").read_text()
    plain = cp2.assemble(text).run().cycles
    slow = cp2.assemble(text, machine=cp2.Machine(set={"core.arithmetic_latency": 12})).run().cycles
    assert slow > plain
    assert cp2.assemble(text, machine="vm9").run().cycles == plain
    assert cp2.Machine.names()[:2] == ["vm7", "vm9"]


def test_machines_survive_pickling():
    for machine in [cp2.Machine(), cp2.Machine("vm9", set={"core.load_latency": 4})]:
        assert pickle.loads(pickle.dumps(machine)) == machine


def test_switches_are_objects():
    table = cp2.switches()
    assert len(table) == 10 and table["name"][0] == "word-access" and table["adds"][0]
    with_size = {row["name"]: row["least_size"] for row in table.rows()}
    all = [cp2.Switch(name, size) for name, size in with_size.items()]
    machine = cp2.Machine("vm9", enable=all)
    assert machine.switches == all and cp2.Machine("vm9").switches == [] == cp2.Machine().switches
    assert cp2.Machine("vm9", enable=[all[0], "dma-words"]).switches == [all[0], cp2.Switch("dma-words")]
    assert cp2.Machine.from_text(cp2.Machine("vm9", enable=all[:8]).to_text()).switches == all[:8]
    assert [s.is_of_core for s in all].count(False) == 2 and len({*all, *all}) == 10
    study = cp2.whatif("axpy", enable=cp2.Switch("word-access"))
    assert study.table["changes"][1] == "word-access"
    assert pickle.loads(pickle.dumps(all)) == all


@pytest.mark.parametrize("given", [("steam",), ("more-fprs",), ("more-fprs", 3), ("word-access", 3), ("more-fprs=128", 256)])
def test_a_switch_that_there_is_not_is_refused(given):
    with pytest.raises(cp2.UsageError, match="extension|takes"):
        cp2.Switch(*given)
