"""Recordings: any cycle, values, events, accounts; files that are gone or damaged."""

import signal
import threading
import time
import xml.etree.ElementTree as xml

import pytest

import cp2


@pytest.fixture
def recording(tmp_path, examples):
    path = tmp_path / "run.cp2rec"
    cp2.load(examples / "axpy.s").run(record=path)
    return cp2.Recording(path)


def test_any_cycle_forward_and_back(recording):
    assert recording.cycles == (0, 1580) and recording.is_whole and recording.cycle == 0
    assert recording.seek(1000) == 1000 == recording.cycle
    later = recording.state()
    assert recording.seek(10) == 10
    assert recording.value("g2") == 512 and recording.value("a1") == 4096
    recording.seek(1000)
    assert recording.state() == later
    memory = recording.local_memory()
    assert memory.shape == (4, 8192) and memory.dtype == "uint64"
    assert memory[0, 2048] == 0x3F0000003F000000


def test_events_are_the_operations_that_issued(recording):
    rows = recording.events(0, 4).rows()
    assert [row["operation"] for row in rows][:2] == ["lwi f0, 2048", "seti a0, 0"]
    assert {"cycle", "file", "line", "slot", "write_cycle"} <= set(rows[0])
    assert recording.cycle == 0


def test_counts_add_up(recording):
    counts = recording.counts(16)
    assert counts["begin"][0] == 0 and counts["end"][-1] == 1580
    causes = ["both_slots", "arithmetic_only", "exchange_only", "empty", "nullified", "sync_hold"]
    for row in counts.rows():
        assert sum(row[cause] for cause in causes) <= row["end"] - row["begin"]


def test_the_account_has_lines_and_a_picture(recording):
    account = recording.account()
    assert sum(account.table["cycles"]) > 0
    xml.fromstring(account._repr_svg_())
    assert recording.page().lstrip().lower().startswith("<!doctype html")


def test_a_procedure_is_recorded_too(tmp_path):
    path = tmp_path / "fft.cp2rec"
    run = cp2.run("fft256", machine="vm9", vectors=4, record=path)
    recording = cp2.Recording(path)
    assert recording.cycles[1] >= run.cycles
    assert len(recording.memory(0, 64)) == 64
    assert sum(recording.counts(8)["dma_beat"]) > 0
    beats = recording.beats()
    assert set(beats["direction"]) == {"get", "put"} and beats["bytes"][0] == 16
    assert sum(recording.counts(1)["dma_beat"]) == len(beats)


def test_a_recording_that_was_deleted_is_read_or_refused(recording, tmp_path):
    (tmp_path / "run.cp2rec").unlink()
    assert recording.seek(1500) == 1500
    with pytest.raises(cp2.InputError, match="No such file"):
        cp2.Recording(tmp_path / "run.cp2rec")


@pytest.mark.parametrize("keep", [0, 1, 100, 0.5, 0.99])
def test_a_file_that_was_cut_is_refused_or_ends_earlier(recording, tmp_path, keep):
    path = tmp_path / "run.cp2rec"
    whole = path.read_bytes()
    length = keep if isinstance(keep, int) else int(len(whole) * keep)
    with open(path, "r+b") as file:
        file.truncate(length)
    for use in [lambda: recording.seek(1500), recording.account, lambda: cp2.Recording(path).seek(0)]:
        try:
            use()
        except cp2.Error as error:
            assert not isinstance(error, cp2.InternalError) and len(str(error)) > 10


@pytest.mark.parametrize("byte", range(0, 3000, 97))
def test_a_damaged_file_is_no_panic(recording, tmp_path, byte):
    path = tmp_path / "damaged.cp2rec"
    whole = bytearray((tmp_path / "run.cp2rec").read_bytes())
    whole[byte % len(whole)] ^= 0x41
    path.write_bytes(whole)
    try:
        damaged = cp2.Recording(path)
        damaged.seek(damaged.cycles[1])
        damaged.events(0, 10)
    except cp2.Error as error:
        assert not isinstance(error, cp2.InternalError), error


def test_a_recording_is_closed_at_the_end_of_with(recording, tmp_path):
    with cp2.Recording(tmp_path / "run.cp2rec") as other:
        assert other.seek(10) == 10
    for use in (lambda: other.seek(3), other.events, other.account, lambda: other.value("g2"), lambda: other.cycles):
        with pytest.raises(cp2.UsageError, match="run.cp2rec: the recording is closed"):
            use()
    assert repr(other).endswith("closed>")
    other.close()


def test_a_table_of_events_has_numbers_and_texts_with_gaps(recording):
    table = recording.events()
    assert len(table["cycle"]) == len(table) > 2000
    assert {type(value) for value in table["cycle"]} == {int} and {type(value) for value in table["slot"]} == {str}
    assert {type(value) for value in table["word"]} == {int, type(None)}
    row = table[-1]
    assert row["operation"] == table["operation"][-1] and row["cycle"] == table["cycle"][-1]
    pandas = pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["word"].isna().any() and frame["cycle"].dtype == "int64"


WRONG = {
    "cycle 1000000000000: the recording has cycles 0 to 1580": lambda r: r.seek(10**12),
    "cycle -1: the recording has cycles 0 to 1580": lambda r: r.seek(-1),
    "in section -1": lambda r: r.value("f0", -1),
    "in section 300": lambda r: r.value("f0", 300),
    "there is no register `q9`": lambda r: r.value("q9"),
    "in section 7": lambda r: r.value("f0", 7),
    "system memory has": lambda r: r.memory(2**60, 4),
    "cycles 5 to 2": lambda r: r.events(5, 2),
    "from 1 to 65536": lambda r: r.counts(0),
}


@pytest.mark.parametrize("told", WRONG)
def test_what_is_wrong_is_said(recording, told):
    with pytest.raises((cp2.UsageError, KeyError), match=told):
        WRONG[told](recording)


def test_a_recording_does_not_replace_what_the_run_is_made_of(tmp_path):
    (tmp_path / "part.s").write_text(" seti g1, 5\n")
    source = tmp_path / "whole.s"
    source.write_text('.kernel k\n.include "part.s"\n stopi 7\n')
    program = cp2.load(source)
    for file in (source, tmp_path / "part.s"):
        before = file.read_text()
        with pytest.raises(cp2.UsageError, match="is an input of the run and would be replaced"):
            program.run(record=file)
        assert file.read_text() == before
    work = tmp_path / "k.toml"
    work.write_text('name = "k"\n[[variant]]\nsource = "whole.s"\n')
    with pytest.raises(cp2.UsageError, match="would be replaced"):
        cp2.run(work, record=work)
    assert work.read_text().startswith("name")


def test_what_is_no_recording_is_refused(tmp_path):
    path = tmp_path / "text"
    path.write_text("no recording")
    with pytest.raises(cp2.InputError, match="not a recording"):
        cp2.Recording(path)
    with pytest.raises(cp2.InputError, match="not a regular file"):
        cp2.Recording("/dev/null")


def test_threads_share_a_recording(recording):
    errors = []

    def work(cycle):
        try:
            for _ in range(10):
                recording.seek(cycle)
                assert len(recording.events(cycle, cycle + 5)) > 0
                assert recording.value("g2") in (0, 512) and recording.cycle >= 0 and repr(recording)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(100 * k,)) for k in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not errors


def test_control_c_ends_a_long_look(tmp_path, endless):
    path = tmp_path / "long.cp2rec"
    with pytest.raises(cp2.LimitError):
        endless.run(max_cycles=10**6, record=path)
    recording, cycles = cp2.Recording(path), 1 << 18

    def handler(*_):
        raise ZeroDivisionError("from the handler")

    start = time.monotonic()
    recording.events(0, cycles)
    whole = time.monotonic() - start
    before = signal.signal(signal.SIGALRM, handler)
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, whole / 10)
    try:
        with pytest.raises(ZeroDivisionError, match="from the handler"):
            recording.events(0, cycles)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 0.7 * whole
    assert recording.seek(1000) == 1000
