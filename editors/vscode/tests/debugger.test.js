// The debugger under the client with which Microsoft tests the debug adapters of VS Code, without a window: `CP2` names the program.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { DebugClient } = require("@vscode/debugadapter-testsupport");

const KERNEL = `        .macro  count r
        updaddr (\\r)+1
        .endm
        .kernel k
        .array  x, in, float32, 4
        seti    a0, x
        count   r1
        count   r2
        psadd   f1, f1, f2
        nop
        stopi   0
        .lmem   all
x:      .complex 0.5, -2, 3, 4
`;

test("breakpoints, steps back, variables, data breakpoints, the end", { skip: !process.env.CP2 }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "cp2-debug-"));
  const program = path.join(folder, "k.s");
  fs.writeFileSync(program, KERNEL);
  // The client starts a program with one word.
  const adapter = path.join(folder, "adapter");
  fs.writeFileSync(adapter, `exec "${process.env.CP2}" debug --dap\n`);
  const client = new DebugClient("sh", adapter, "cp2");
  client.defaultTimeout = 60000;
  await client.start();
  // Line 7 calls a macro.
  await client.hitBreakpoint({ program, stopOnEntry: false }, { path: program, line: 7 }, { path: program, line: 2 });
  const { body: { stackFrames } } = await client.stackTraceRequest({ threadId: 1 });
  assert.deepStrictEqual(stackFrames.map(({ line }) => line), [2, 7]);
  await Promise.all([client.nextRequest({ threadId: 1 }), client.waitForEvent("stopped")]);
  await Promise.all([client.stepBackRequest({ threadId: 1 }), client.waitForEvent("stopped")]);
  const { body: { scopes } } = await client.scopesRequest({ frameId: stackFrames[0].id });
  const reference = scopes.find(({ name }) => name === "Arrays").variablesReference;
  const { body: { variables: [x] } } = await client.variablesRequest({ variablesReference: reference });
  const { body: { variables } } = await client.variablesRequest({ variablesReference: x.variablesReference });
  assert.deepStrictEqual(variables.map(({ value }) => value), ["0.5", "-2", "3", "4"]);
  const section = scopes[0].variablesReference;
  const { body: { dataId } } = await client.send("dataBreakpointInfo", { variablesReference: section, name: "f1" });
  await client.send("setDataBreakpoints", { breakpoints: [{ dataId }] });
  await client.setBreakpointsRequest({ source: { path: program }, breakpoints: [] });
  const stops = (reason) => client.waitForEvent("stopped").then(({ body }) => assert.strictEqual(body.reason, reason));
  await Promise.all([client.continueRequest({ threadId: 1 }), stops("data breakpoint")]);
  await Promise.all([client.continueRequest({ threadId: 1 }), stops("end")]);
  const exits = client.waitForEvent("exited").then(({ body }) => assert.strictEqual(body.exitCode, 0));
  await Promise.all([client.continueRequest({ threadId: 1 }), exits, client.waitForEvent("terminated")]);
  await client.stop();
  fs.rmSync(folder, { recursive: true });
});
