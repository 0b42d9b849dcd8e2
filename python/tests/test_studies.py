"""Studies as reports: tables that other libraries take, pictures."""

import xml.etree.ElementTree as xml

import pytest

import cp2


@pytest.fixture(scope="module")
def study():
    return cp2.whatif("axpy", set=["core.arithmetic_latency=4", "core.load_latency=2"])


def test_what_if_has_a_row_for_each_combination(study):
    assert [row["changes"] for row in study.table.rows()] == [
        "baseline",
        "core.arithmetic_latency=4",
        "core.load_latency=2",
        "core.arithmetic_latency=4 + core.load_latency=2",
    ]
    assert study.table["cycles"][0] == 3107 and study["gains"]["change"][0] == "core.arithmetic_latency=4"
    assert study.to_dict()["workload"] == "axpy" and "speed-up" in study.text


def test_pictures_are_well_formed(study):
    xml.fromstring(study._repr_svg_())
    html = study._repr_html_()
    assert html.startswith("<div><img") and "<details>" in html and "<pre>" in html


def test_a_roofline_has_ceilings_and_points():
    report = cp2.roofline("vm9", ["fft64"])
    assert report.tables == ["roofline.ceilings", "roofline.points"]
    assert any(name.startswith("fft64") for name in report.table["name"])
    picture = report._repr_svg_()
    xml.fromstring(picture)
    assert "prefers-color-scheme: dark" in picture


def test_an_estimate_has_ten_steps():
    report = cp2.estimate("fft8192", system="vm7", set={"work.n": 8192}, alone=True)
    assert report.table["number"] == list(range(1, 11))
    assert report["estimate.inputs"]["origin"]


def test_sensitivity_has_a_row_for_each_number():
    report = cp2.sensitivity("fft256", "vm9", vectors=4)
    assert "host.page_cycles" in report.table["key"]


def test_a_sweep_has_a_row_for_each_point():
    told = []
    table = cp2.sweep(
        {"kernel": "axpy", "set": {"core.arithmetic_latency": [4, 8, 12]}},
        progress=lambda done, all: told.append((done, all)),
    )
    assert table["core_arithmetic_latency"] == [4, 8, 12] and table["cycles"][1] == 3107
    assert table["cycles"][2] > table["cycles"][0] and told[-1] == (3, 3)


def test_tables_go_to_other_libraries(study):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(study)
    assert table.column("cycles").to_pylist() == study.table["cycles"]
    assert table.schema.field("cycles").type == pyarrow.int64()
    assert table.schema.field("speed_up").type == pyarrow.float64()
    assert table.schema.field("is_used").type == pyarrow.bool_()
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(study.table)["cycles"].to_list() == study.table["cycles"]
    pandas = pytest.importorskip("pandas")
    frame = study.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["cycles"].tolist() == study.table["cycles"]
    assert pandas.DataFrame.from_arrow(study.table)["cycles"].tolist() == study.table["cycles"]
    duckdb = pytest.importorskip("duckdb")
    rows = study.table  # noqa: F841
    assert duckdb.sql("SELECT min(cycles) FROM rows").fetchall()[0][0] == min(study.table["cycles"])


def test_a_stream_outlives_its_table():
    pyarrow = pytest.importorskip("pyarrow")
    capsule = cp2.kernels().__arrow_c_stream__()
    reader = pyarrow.RecordBatchReader._import_from_c_capsule(capsule)
    assert len(reader.read_all()) == len(cp2.kernels())
    with pytest.raises(Exception):
        pyarrow.RecordBatchReader._import_from_c_capsule(capsule).read_all()
    # A stream that nobody takes is released with its capsule.
    del capsule
    cp2.kernels().__arrow_c_stream__(requested_schema=None)


def test_an_empty_table_is_a_table():
    pyarrow = pytest.importorskip("pyarrow")
    empty = cp2.schedule(".kernel k\n stopi 0\n").blocks
    assert len(empty) == 0 and pyarrow.table(empty).num_rows == 0
    with pytest.raises(IndexError):
        empty[0]
    with pytest.raises(KeyError):
        empty["cycles"]


POINTS = {"kernel": "axpy", "set": {"core.arithmetic_latency": [4, 6, 8, 10, 12]}}


def test_a_sweep_with_a_folder_goes_on_where_it_was_ended(tmp_path):
    class Enough(Exception):
        pass

    def stop(done, all):
        assert all == 5
        raise Enough

    with pytest.raises(Enough):
        cp2.sweep(POINTS, folder=tmp_path / "rows", threads=1, progress=stop)
    partly = cp2.sweep(POINTS, folder=tmp_path / "rows", threads=1, limit=1)
    assert 1 <= sum(cycles is not None for cycles in partly["cycles"]) < 5
    told = []
    whole = cp2.sweep(POINTS, folder=tmp_path / "rows", progress=lambda done, all: told.append(done))
    assert whole["cycles"] == cp2.sweep(POINTS)["cycles"] and told[-1] == 5
    told.clear()
    again = cp2.sweep(POINTS, folder=tmp_path / "rows", progress=lambda done, all: told.append(done))
    assert again.rows() == whole.rows() and told == [5]
    assert sorted(path.suffix for path in (tmp_path / "rows").iterdir())[-1] == ".toml"


def test_a_sweep_waits_for_the_points_of_one_that_was_ended_before(tmp_path):
    """Points that take long are under way when the first call returns; the second one finds their rows."""
    long = {"procedure": "ft", "machine": "vm9", "options": {"class": ["W"]}, "set": {"memory.turn_clocks": [0, 1, 2, 3]}}

    class Enough(Exception):
        pass

    def stop(done, all):
        raise Enough

    with pytest.raises(Enough):
        cp2.sweep(long, folder=tmp_path, threads=2, progress=stop)
    rest = cp2.sweep(long, folder=tmp_path, threads=2, limit=1)
    assert 1 <= sum(cycles is not None for cycles in rest["cycles"]) <= 3


def test_shares_of_a_sweep_make_the_whole(tmp_path):
    first = cp2.sweep(POINTS, folder=tmp_path, shard="1/2")
    assert [cycles is not None for cycles in first["cycles"]] == [True, False, True, False, True]
    second = cp2.sweep(POINTS, folder=tmp_path, shard="2/2")
    assert second["cycles"] == cp2.sweep(POINTS)["cycles"]


def test_what_is_wrong_with_the_folder_of_a_sweep_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(cp2.InputError, match="file"):
        cp2.sweep(POINTS, folder=tmp_path / "file")
    with pytest.raises(cp2.UsageError, match="need a folder"):
        cp2.sweep(POINTS, shard="1/2")
    with pytest.raises(cp2.UsageError, match="a share is K/N with K from 1 to N"):
        cp2.sweep(POINTS, folder=tmp_path, shard="3/2")


def test_what_changes_are_worth_is_drawn_at_their_own_scale():
    picture = cp2.whatif("axpy", set="core.arithmetic_latency=4")._repr_svg_()
    assert "1.001" in picture and ">\n0.2\n<" not in picture
