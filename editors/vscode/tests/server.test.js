// A client without a window, made of the protocol library that VS Code itself uses, with the real server: `CP2` names the program.
"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const { test } = require("node:test");
const lsp = require("vscode-languageserver-protocol/node");

const TEXT = `        .kernel k
        .linear
        .loop   8
        ldo     %x, (r0)+1
        psadd   %y, %x, %x
        sdo     %y, (r1)+1
        .endloop
        .endlinear
        stopi   0
        psad    f1, f2, f3
`;
const uri = "untitled:k";

test("findings, hover, hints, lenses and renaming", { skip: !process.env.CP2 }, async () => {
  const server = spawn(process.env.CP2, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const reader = new lsp.StreamMessageReader(server.stdout);
  const writer = new lsp.StreamMessageWriter(server.stdin);
  const client = lsp.createProtocolConnection(reader, writer);
  const found = new Promise((resolve) => client.onNotification(lsp.PublishDiagnosticsNotification.type, resolve));
  client.listen();
  const { capabilities } = await client.sendRequest(lsp.InitializeRequest.type, {
    processId: null, rootUri: null, capabilities: {}, workspaceFolders: null,
  });
  assert.ok(capabilities.codeLensProvider && capabilities.inlayHintProvider);
  await client.sendNotification(lsp.InitializedNotification.type, {});
  const document = { uri, languageId: "cp2", version: 1, text: TEXT };
  await client.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: document });
  const { diagnostics } = await found;
  assert.ok(diagnostics.some(({ message }) => message.includes("psad")), JSON.stringify(diagnostics));
  const at = (line, character) => ({ textDocument: { uri }, position: { line, character } });
  const hover = await client.sendRequest(lsp.HoverRequest.type, at(4, 9));
  assert.match(JSON.stringify(hover.contents), /psadd/);
  const lenses = await client.sendRequest(lsp.CodeLensRequest.type, { textDocument: { uri } });
  assert.deepStrictEqual(lenses.map(({ command }) => command.command), ["cp2.run", "cp2.debug"]);
  const edit = await client.sendRequest(lsp.RenameRequest.type, { ...at(4, 17), newName: "%sum" });
  assert.strictEqual(edit.changes[uri].length, 2);
  await client.sendRequest(lsp.ShutdownRequest.type);
  await client.sendNotification(lsp.ExitNotification.type);
  const code = await new Promise((resolve) => server.on("exit", resolve));
  assert.strictEqual(code, 0);
});

/** Starts the server, sends it bytes, and returns how it ended with what it wrote. */
function ended(bytes) {
  const server = spawn(process.env.CP2, ["lsp"]);
  const told = { out: "", err: "" };
  server.stdout.on("data", (data) => (told.out += data));
  server.stderr.on("data", (data) => (told.err += data));
  server.stdin.on("error", () => {});
  server.stdin.end(bytes);
  return new Promise((resolve) => server.on("close", (code) => resolve({ code, ...told })));
}

const message = (content) => {
  const text = typeof content === "string" ? content : JSON.stringify({ jsonrpc: "2.0", ...content });
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};
const BEGIN = message({ id: 1, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } });

test("what is no message is told in a sentence, and the end has the code of the protocol", { skip: !process.env.CP2 }, async () => {
  const huge = await ended("Content-Length: 99999999999\r\n\r\n{}");
  assert.deepStrictEqual([huge.code, huge.err.split("\n").length], [3, 2], huge.err);
  assert.match(huge.err, /announces 99999999999 bytes; a message has 0 to 268435456/);
  const exit = message({ method: "exit" });
  const early = await ended(BEGIN + exit);
  assert.strictEqual(early.code, 1);
  assert.match(early.err, /`exit` without `shutdown`/);
  const broken = await ended(BEGIN + message("{bad}") + message({ id: 2, method: "shutdown" }) + exit);
  assert.strictEqual(broken.code, 0, broken.err);
  assert.match(broken.out, /"code":-32700.*a message is no JSON: key must be a string at line 1 column 2/);
  const gone = await ended(BEGIN);
  assert.strictEqual(gone.code, 1);
  assert.match(gone.err, /the client is gone/);
});
