"""A session of the Debug Adapter Protocol with `cp2 debug --dap`, every message held against the protocol's own JSON schema, which the
package debugpy brings: `client.py CP2`."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import jsonschema

ROOT = pathlib.Path(importlib.util.find_spec("debugpy").origin).parent
SCHEMA = json.loads(next(ROOT.rglob("debugProtocol.json")).read_text())
EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "examples" / "axpy.s"


def check(message, name):
    """Validates a message as one of the schema's definitions."""
    schema = {"$ref": f"#/definitions/{name}", "definitions": SCHEMA["definitions"]}
    jsonschema.Draft4Validator(schema).validate(message)


def upper(name):
    return name[0].upper() + name[1:]


class Client:
    def __init__(self, *command):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def read(self):
        length = None
        while (line := self.server.stdout.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self.server.stdout.read(length))

    def send(self, command, arguments):
        self.number += 1
        message = {"seq": self.number, "type": "request", "command": command, "arguments": arguments}
        check(message, upper(command) + "Request")
        data = json.dumps(message).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.server.stdin.flush()

    def ask(self, command, **arguments):
        """Sends a request and returns the body of its answer, which has to be a success."""
        self.send(command, arguments)
        answer = self.read()
        check(answer, upper(command) + "Response")
        assert answer["success"] and answer["request_seq"] == self.number, answer
        return answer.get("body", {})

    def refused(self, command, **arguments):
        """Sends a request that has to be refused and returns the sentence."""
        self.send(command, arguments)
        answer = self.read()
        check(answer, "ErrorResponse")
        assert not answer["success"], answer
        return answer["message"]

    def event(self, name):
        event = self.read()
        check(event, upper(name) + "Event")
        assert event["event"] == name, event
        return event.get("body", {})


def session(cp2):
    client = Client(cp2, "debug", "--dap")
    can = client.ask("initialize", adapterID="cp2", linesStartAt1=True, columnsStartAt1=True)
    assert can["supportsStepBack"] and can["supportsDataBreakpoints"], can
    missing = client.refused("launch", program="gone.s")
    assert "gone.s" in missing, missing
    assert "--sideways" in client.refused("launch", program=str(EXAMPLE), args=["--sideways"])
    client.ask("launch", program=str(EXAMPLE), args=["--machine", "vm9"])
    client.event("initialized")
    source = {"path": str(EXAMPLE)}
    lines = [{"line": 14, "condition": "a0 > 100"}, {"line": 19}, {"line": 900}]
    found = client.ask("setBreakpoints", source=source, breakpoints=lines)["breakpoints"]
    assert [b["verified"] for b in found] == [True, True, False], found
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "@40"}])
    client.ask("setExceptionBreakpoints", filters=[])
    client.ask("configurationDone")
    assert client.event("stopped")["reason"] == "entry"
    client.ask("threads")
    client.ask("continue", threadId=1)
    assert client.event("stopped")["reason"] == "breakpoint"
    frames = client.ask("stackTrace", threadId=1, startFrame=0, levels=20)["stackFrames"]
    assert frames[0]["source"]["path"] == str(EXAMPLE), frames
    for scope in client.ask("scopes", frameId=frames[0]["id"])["scopes"]:
        variables = client.ask("variables", variablesReference=scope["variablesReference"])
        for variable in variables["variables"]:
            if reference := variable["variablesReference"]:
                client.ask("variables", variablesReference=reference, start=0, count=4)
    for command in ("next", "stepIn", "stepOut", "stepBack"):
        client.ask(command, threadId=1)
        client.event("stopped")
    client.ask("next", threadId=1, granularity="instruction")
    client.event("stopped")
    info = client.ask("dataBreakpointInfo", name="f1", variablesReference=2)
    client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
    client.ask("reverseContinue", threadId=1)
    assert client.event("stopped")["reason"] == "data breakpoint"
    client.ask("evaluate", expression="f1.s1", context="hover")
    client.ask("evaluate", expression="f1.lo.s1:int > 5", context="watch")
    client.refused("exceptionInfo", threadId=1)
    client.refused("setVariable", variablesReference=5, name="g1", value="3")
    client.ask("evaluate", expression="pipeline", context="repl")
    client.ask("evaluate", expression="last-write f1.s1", context="repl")
    client.event("stopped")
    client.refused("evaluate", expression="nothing", context="watch")
    client.ask("pause", threadId=1)
    client.ask("disconnect")
    client.event("terminated")
    assert client.server.wait(timeout=60) == 0


def combined(cp2):
    """Options of the adapter's command line hold for what the editor launches, and a run is named in one place."""
    client = Client(cp2, "debug", "--dap", "--max-cycles", "20")
    client.ask("initialize", adapterID="cp2")
    assert "standard input" in client.refused("launch", program="-")
    client.ask("launch", program=str(EXAMPLE), args=["--arg", "g2=16"], stopOnEntry=False)
    client.event("initialized")
    client.ask("configurationDone")
    assert "before a `stop`, in cycle 20" in client.event("output")["output"]
    assert client.event("stopped")["reason"] == "end"
    frames = client.ask("stackTrace", threadId=1)["stackFrames"]
    assert frames[0]["name"].startswith("cycle 20 "), frames
    client.ask("disconnect")
    assert client.event("exited")["exitCode"] == 5
    client.event("terminated")
    client = Client(cp2, "debug", "--dap", str(EXAMPLE))
    client.ask("initialize", adapterID="cp2")
    assert "name one of them" in client.refused("launch", program="other.s")
    client.ask("disconnect")
    client.event("terminated")


def killed(cp2):
    """An editor that is gone ends the debugger."""
    client = Client(cp2, "debug", "--dap", str(EXAMPLE))
    client.ask("initialize", adapterID="cp2")
    client.ask("launch")
    client.event("initialized")
    client.server.stdin.close()
    assert client.server.wait(timeout=60) == 0


session(sys.argv[1])
combined(sys.argv[1])
killed(sys.argv[1])
print("every message is as the schema says")
