"""Makes every report and file that `reports.txt` lists, reads those in Parquet, and holds those in JSON against their
schemas in `specs/schemas/`: every schema has a report, and says what each of its values is.

Usage: validate.py CP2 FOLDER, in the root of the repository. Needs the packages jsonschema and pyarrow.
"""

import json
import pathlib
import shutil
import subprocess
import sys

import jsonschema
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent


def make(cp2, out):
    """Runs what `reports.txt` lists, in its order."""
    for line in (HERE / "reports.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        target, arguments = line.split(": ", 1)
        name, _, code = target.partition(" =")
        command = [cp2, *arguments.replace("OUT", str(out)).split()]
        done = subprocess.run(command, capture_output=True)
        if done.returncode != int(code or 0):
            sys.stderr.buffer.write(done.stdout + done.stderr)
            sys.exit(f"{' '.join(command)}: code {done.returncode}, expected {code or 0}")
        if name != "-":
            (out / name).write_bytes(done.stdout)


def read_parquet(out):
    """Rows as a reader of Parquet that is not ours sees them."""
    table = pq.read_table(out / "trace.parquet")
    assert table.num_rows == 16, table.num_rows
    assert table.column("operation")[0].as_py() == "seti"
    assert table.column("value_s3")[14].as_py() == "c140000041200000"
    print(table.num_rows, "rows:", ", ".join(table.column_names))
    beats = pq.read_table(out / "beats.parquet")
    assert beats.num_rows == json.loads((out / "dma.json").read_text())["beats"], beats.num_rows
    assert beats.column("sections")[512].as_py() == 15
    sweep = pq.read_table(out / "sweep.parquet")
    assert sweep.num_rows == 6 and sweep.column("memory_outstanding").to_pylist() == [1, 1, 2, 2, 4, 4]
    assert all(cycles > 0 for cycles in sweep.column("cycles").to_pylist())


def described(place, schema):
    """Every value of a schema says what it is."""
    if isinstance(schema, list):
        for item in schema:
            described(place, item)
    elif isinstance(schema, dict):
        for name, value in schema.get("properties", {}).items():
            is_tag = isinstance(value, dict) and "const" in value
            assert is_tag or "description" in value, f"{place}: {name} has no description"
        for value in schema.values():
            described(place, value)


def validate(out):
    """Every report against the schema of its name, and every schema against what a schema is."""
    for path in sorted(pathlib.Path("specs/schemas").glob("*.schema.json")):
        schema = json.loads(path.read_text())
        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        described(path.name, schema)
        name = path.name.split(".")[0]
        reports = sorted(out.glob(f"{name}.json")) + sorted(out.glob(f"{name}.*.json"))
        assert reports, f"no report for {path.name}: add a line to {HERE / 'reports.txt'}"
        for report in reports:
            validator(schema).validate(json.loads(report.read_text()))
        print(f"{path.name}: {len(reports)} reports")


def main():
    cp2, out = sys.argv[1], pathlib.Path(sys.argv[2])
    # What an earlier run made would be held against the schemas of this one.
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    shutil.copy(HERE / "state.single.json", out)
    shutil.copy("programs/golden/cycles.json", out / "bench.golden.json")
    make(cp2, out)
    profile = json.loads((out / "run.profile.json").read_text())["profile"]
    (out / "profile.json").write_text(json.dumps(profile))
    read_parquet(out)
    validate(out)


main()
