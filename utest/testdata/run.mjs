// Runs emitted modules in the engine of Node.js. Usage: node run.mjs JOBS.json
//
// JOBS is a list of {module, kernel, image, pages, contexts, out, abi}: instantiate
// the file module over a memory of so many pages that starts with the file
// image, call kernel with each of contexts, and write the memory to out. The module
// must tell that the kernel is called as abi says.
import assert from "node:assert";
import { readFileSync, writeFileSync } from "node:fs";

for (const job of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const memory = new WebAssembly.Memory({ initial: job.pages, maximum: 65536 });
  new Uint8Array(memory.buffer).set(readFileSync(job.image));
  const module = new WebAssembly.Module(readFileSync(job.module));
  const [section] = WebAssembly.Module.customSections(module, "simtc");
  assert.deepEqual(JSON.parse(new TextDecoder().decode(section))[job.kernel], job.abi);
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  for (const context of job.contexts) instance.exports[job.kernel](context);
  writeFileSync(job.out, new Uint8Array(memory.buffer));
}
