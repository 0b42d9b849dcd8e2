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
    assert html.startswith("<img") and "<pre>" in html


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
