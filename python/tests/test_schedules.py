"""Schedules as data, tables and pictures."""

import xml.etree.ElementTree as xml

import pytest

import cp2


def test_the_interval_is_at_its_bound(matvec):
    schedule = matvec.schedule()
    assert (schedule.interval, schedule.bound) == (8, 8)
    assert schedule.cycles == {"matvec": "1 + 8*g2*g3 + 65*g3"}
    assert schedule.predict({"g2": 2, "g3": 4}) == 1 + 8 * 2 * 4 + 65 * 4


def test_the_prediction_is_what_runs(examples):
    program = cp2.load(examples / "axpy.s")
    # Four bundles before the region, and the `stop`.
    assert program.schedule().predict({"g2": 512}) + 5 == program.run().cycles


def test_blocks_and_operations_are_tables(matvec):
    blocks = matvec.schedule().blocks
    assert blocks["kind"] == ["straight", "loop", "straight"]
    assert blocks[1]["interval"] == 8 and blocks[0]["interval"] is None
    operations = matvec.schedule().operations
    assert len(operations) == blocks[1]["arithmetic"] + blocks[1]["exchange"]
    assert {row["slot"] for row in operations.rows()} == {"arithmetic", "exchange"}


def test_pictures_are_well_formed_and_know_light_and_dark(matvec):
    schedule = matvec.schedule()
    picture = schedule._repr_svg_()
    xml.fromstring(picture)
    assert "prefers-color-scheme: dark" in picture and "psmadd" in picture
    xml.fromstring(schedule._repr_html_())
    assert "stage" in schedule.listing()


def test_a_program_without_linear_code_has_no_loops():
    schedule = cp2.schedule(".kernel k\n stopi 0\n")
    assert schedule.interval is None and len(schedule.blocks) == 0
    assert schedule._repr_svg_() is None


def test_a_name_that_is_no_register_is_refused(matvec):
    with pytest.raises(cp2.UsageError, match="`n` is no general register"):
        matvec.schedule().predict({"n": 3})
