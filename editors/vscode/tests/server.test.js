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
