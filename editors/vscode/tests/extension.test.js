// The extension with stand-ins for the editor: what it registers, what its commands start, what it tells of errors.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const { test } = require("node:test");

/** Makes stand-ins for `vscode` and the language client, and loads the extension with them. */
function loaded({ settings = {}, fails = false, open } = {}) {
  const seen = { commands: {}, tasks: [], debugged: [], errors: [], servers: [], stopped: 0, changed: null };
  const text = (path, languageId, content = "") => ({ isUntitled: false, isDirty: false, languageId, uri: { fsPath: path }, getText: () => content, save: async () => true });
  const document = text("/k/axpy.s", "cp2");
  class LanguageClient {
    constructor(id, name, server, client) {
      seen.servers.push({ server, client });
    }
    async start() {
      if (fails) throw new Error("spawn cp2 ENOENT");
    }
    async stop() {
      seen.stopped += 1;
    }
  }
  const vscode = {
    Uri: { parse: (text) => ({ text }) },
    TaskScope: { Workspace: 2 },
    ProcessExecution: class {
      constructor(program, words) {
        Object.assign(this, { program, words });
      }
    },
    Task: class {
      constructor(definition, scope, name, source, execution) {
        Object.assign(this, { definition, name, execution });
      }
    },
    DebugAdapterExecutable: class {
      constructor(program, words) {
        Object.assign(this, { program, words });
      }
    },
    commands: { registerCommand: (name, run) => ((seen.commands[name] = run), { dispose() {} }) },
    debug: {
      registerDebugAdapterDescriptorFactory: (type, factory) => ((seen.factory = { type, factory }), { dispose() {} }),
      startDebugging: async (folder, wish) => seen.debugged.push(wish),
    },
    tasks: { executeTask: async (task) => seen.tasks.push(task) },
    window: { activeTextEditor: { document }, showErrorMessage: (text) => seen.errors.push(text) },
    workspace: {
      getConfiguration: () => ({ get: (name, usual) => settings[name] ?? usual }),
      onDidChangeConfiguration: (run) => ((seen.changed = run), { dispose() {} }),
      onDidOpenTextDocument: (run) => ((seen.opened = run), { dispose() {} }),
      textDocuments: open ?? [document],
      openTextDocument: async () => document,
    },
  };
  const load = Module._load;
  Module._load = (name, ...rest) => {
    if (name === "vscode") return vscode;
    if (name === "vscode-languageclient/node") return { LanguageClient };
    return load(name, ...rest);
  };
  try {
    const path = require.resolve("../source/extension.js");
    delete require.cache[path];
    return { extension: require(path), seen, document, text };
  } finally {
    Module._load = load;
  }
}

const context = () => ({ subscriptions: [] });

test("the server is started with the machine of the settings", async () => {
  const { extension, seen } = loaded({ settings: { path: "/opt/cp2", machine: ["--machine", "vm9"] } });
  await extension.activate(context());
  assert.deepStrictEqual(seen.servers[0].server, { command: "/opt/cp2", args: ["lsp", "--machine", "vm9"] });
  await seen.changed({ affectsConfiguration: (name) => name === "cp2" });
  assert.strictEqual(seen.servers.length, 2);
  await extension.deactivate();
  assert.strictEqual(seen.stopped, 2);
});

test("a server that does not start is told with what to do", async () => {
  const { extension, seen } = loaded({ fails: true });
  await extension.activate(context());
  assert.match(seen.errors[0], /did not start: spawn cp2 ENOENT\. Set `cp2\.path`/);
  await extension.deactivate();
});

test("the server starts for the texts that it tells of, and once", async () => {
  const { extension, seen, text } = loaded({ open: [] });
  await extension.activate(context());
  const others = [
    text("/k/Cargo.toml", "toml", "[package]\nname = 1\n"),
    text("/k/main.c", "c", "#include <stdio.h>\nint main(void) {}\n"),
    text("/k/notes.txt", "plaintext", "[core]\n"),
    text("/k/main.s", "cp2", "        .text\n        .globl main\nmain:   ret\n"),
  ];
  for (const other of others) await seen.opened(other);
  assert.strictEqual(seen.servers.length, 0);
  const ours = [
    text("/k/vm7.toml", "toml", "name = 1\n[core]\nfprs = 64\n"),
    text("/k/work.toml", "toml", "[[variant]]\nsource = 'k.s'\n"),
    text("/k/new.toml", "toml", "[extensions]\nword_access = true\n"),
    text("/k/both.s", "cp2", "        .file \"k.c\"\n        .kernel k\n"),
    text("/k/nest.c", "c", "for (int i = 0; i < 8; i++)\n  a[i] = 0;\n"),
    text("/k/paths.star", "cp2-star"),
    text("/k/axpy.s", "cp2"),
  ];
  for (const [count, one] of ours.entries()) {
    const fresh = loaded({ open: [one] });
    await fresh.extension.activate(context());
    assert.strictEqual(fresh.seen.servers.length, 1, one.uri.fsPath);
    await seen.opened(one);
    assert.strictEqual(seen.servers.length, 1, `${count}`);
  }
});

test("lenses run, debug and test", async () => {
  const { extension, seen, document } = loaded({ settings: { machine: ["--machine", "vm7"] } });
  await extension.activate(context());
  await seen.commands["cp2.run"]("file:///k/axpy.s", "axpy");
  await seen.commands["cp2.test"]();
  const words = seen.tasks.map((task) => [task.execution.program, ...task.execution.words].join(" "));
  assert.deepStrictEqual(words, ["cp2 run /k/axpy.s --machine vm7 --entry axpy", "cp2 test /k/axpy.s"]);
  await seen.commands["cp2.debug"]("file:///k/axpy.s", "axpy");
  const args = ["--entry", "axpy"];
  assert.deepStrictEqual(seen.debugged[0], { type: "cp2", request: "launch", name: "CP2", program: "/k/axpy.s", args });
  const adapter = seen.factory.factory.createDebugAdapterDescriptor();
  assert.deepStrictEqual([seen.factory.type, adapter.program, adapter.words], ["cp2", "cp2", ["debug", "--dap", "--machine", "vm7"]]);
  document.isUntitled = true;
  await seen.commands["cp2.run"]();
  assert.match(seen.errors[0], /Save the text in a file first/);
  assert.strictEqual(seen.tasks.length, 2);
});

test("the manifest starts the extension for every language of the server", async () => {
  const { activationEvents, contributes } = require("../package.json");
  for (const language of ["cp2", "cp2-star", "toml", "c"]) {
    assert.ok(activationEvents.includes(`onLanguage:${language}`), language);
    const isBuiltIn = language === "c";
    assert.ok(isBuiltIn || contributes.languages.some(({ id }) => id === language), language);
  }
});

test("the manifest offers every command and setting that the extension knows", async () => {
  const { contributes } = require("../package.json");
  const { extension, seen } = loaded();
  await extension.activate(context());
  const offered = contributes.commands.map(({ command }) => command).sort();
  assert.deepStrictEqual(offered, Object.keys(seen.commands).sort());
  assert.deepStrictEqual(Object.keys(contributes.configuration.properties), ["cp2.path", "cp2.machine"]);
});
