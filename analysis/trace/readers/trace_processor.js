// Runs Perfetto's trace processor, as the viewer's page carries it, outside of a browser: a worker's surroundings
// for its bundle, and its protocol on standard input and output.
//
//   node trace_processor.js FOLDER   (with engine_bundle.js and trace_processor*.wasm)

"use strict";
const fs = require("fs");
const path = require("path");
const folder = process.argv[2];

// What the bundle asks of a worker.
globalThis.self = globalThis;
globalThis.WorkerGlobalScope = class {};
globalThis.location = { href: "http://localhost/worker.js" };
delete globalThis.process;
globalThis.XMLHttpRequest = class {
  open(_method, url) { this.url = url; }
  send() {
    const bytes = fs.readFileSync(path.join(folder, path.basename(this.url)));
    this.status = 200;
    this.response = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    if (this.onload) this.onload();
  }
};
globalThis.fetch = async (url) => {
  const bytes = fs.readFileSync(path.join(folder, path.basename(String(url))));
  return new Response(bytes, { headers: { "Content-Type": "application/wasm" } });
};
console.log = console.warn;

require(path.resolve(folder, "engine_bundle.js"));

const port = {
  onmessage: null,
  postMessage(bytes) {
    for (let done = 0; done < bytes.length;) done += fs.writeSync(1, bytes, done);
  },
};
globalThis.onmessage({ data: port });

// The module is ready some turns of the loop later.
setTimeout(() => {
  const bytes = Buffer.alloc(1 << 20);
  for (;;) {
    const got = fs.readSync(0, bytes);
    if (got === 0) return;
    port.onmessage({ data: new Uint8Array(bytes.subarray(0, got)) });
  }
}, 1000);
