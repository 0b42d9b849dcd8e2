// The extension: the language server and the debugger of `cp2`, and commands of the lenses.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

/** Tables of machine files and of workload files. */
const TABLES = /^\s*\[+\s*(control|core|cpu|dma|extensions|host|memory|variant)\b/m;
/** Directives that sources of CP2 alone have, and those that sources of GNU assemblers alone have; the server tells the two apart by the same. */
const OF_CP2 = /^\s*\.(kernel|linear|lmem|dmabank)\b/m;
const OF_GNU = /^\s*\.(text|section|globl|type|size|file|cfi_startproc|p2align|syntax|intel_syntax|ident|arch)\b/m;

/** Whether a text is one that the server tells of. Other TOML files, C programs, which include files, and sources of other assemblers do not start it. */
function isOurs(document) {
  const path = document.uri.fsPath ?? "";
  if (path.endsWith(".star")) return true;
  if (document.languageId === "cp2") return OF_CP2.test(document.getText()) || !OF_GNU.test(document.getText());
  if (path.endsWith(".toml")) return TABLES.test(document.getText());
  return path.endsWith(".c") && !/^\s*#\s*include\b/m.test(document.getText());
}

/** Returns the program cp2 and the options that name the machine. */
function settings() {
  const all = vscode.workspace.getConfiguration("cp2");
  return { path: all.get("path", "cp2"), machine: all.get("machine", []) };
}

async function start() {
  const { path, machine } = settings();
  const server = { command: path, args: ["lsp", ...machine] };
  client = new LanguageClient("cp2", "CP2", server, { documentSelector: [{ language: "cp2" }, { pattern: "**/*.star" }, { pattern: "**/*.c" }, { pattern: "**/*.toml" }] });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const advice = "Set `cp2.path` to a cp2 that is built with `--features lsp`.";
    vscode.window.showErrorMessage(`The language server of CP2 did not start: ${error.message}. ${advice}`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

/** Returns the path of the file that a lens names, else of the one that is shown; undefined for a text that is no file. */
async function file(uri) {
  const document = uri
    ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri))
    : vscode.window.activeTextEditor?.document;
  if (!document || document.isUntitled) {
    vscode.window.showErrorMessage("Save the text in a file first: it is run from there.");
    return undefined;
  }
  return (await document.save()) || !document.isDirty ? document.uri.fsPath : undefined;
}

/** Runs a command of cp2 on a file as a task, whose output is shown. */
async function execute(command, uri, extra) {
  const path = await file(uri);
  if (!path) return;
  const { path: program, machine } = settings();
  const options = command === "test" ? [] : machine;
  const execution = new vscode.ProcessExecution(program, [command, path, ...options, ...extra]);
  const task = new vscode.Task({ type: "cp2", command }, vscode.TaskScope.Workspace, command, "cp2", execution);
  await vscode.tasks.executeTask(task);
}

async function debug(uri, kernel) {
  const path = await file(uri);
  if (!path) return;
  const args = kernel ? ["--entry", kernel] : [];
  const wish = { type: "cp2", request: "launch", name: "CP2", program: path, args };
  await vscode.debug.startDebugging(undefined, wish);
}

async function activate(context) {
  const commands = {
    "cp2.run": (uri, kernel) => execute("run", uri, kernel ? ["--entry", kernel] : []),
    "cp2.debug": debug,
    "cp2.test": (uri) => execute("test", uri, []),
    "cp2.restart": async () => {
      await stop();
      await start();
    },
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  const adapter = {
    createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(settings().path, ["debug", "--dap", ...settings().machine]),
  };
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory("cp2", adapter));
  const changed = vscode.workspace.onDidChangeConfiguration(async (event) => {
    if (client && event.affectsConfiguration("cp2")) await commands["cp2.restart"]();
  });
  context.subscriptions.push(changed);
  const starts = async (document) => {
    if (!client && isOurs(document)) await start();
  };
  context.subscriptions.push(vscode.workspace.onDidOpenTextDocument(starts));
  for (const document of vscode.workspace.textDocuments) await starts(document);
}

module.exports = { activate, deactivate: stop };
