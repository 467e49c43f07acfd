// Preloaded into every process under test. To SIGUSR2 it answers with the CPU time spent so far (microseconds), to
// SIGHUP with the heap in use (bytes), on descriptor 3: signals and descriptor stay clear of standard input and
// output, which belong to the protocol.
const { writeSync } = require("node:fs");

process.on("SIGUSR2", () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${user + system}\n`);
});

process.on("SIGHUP", async () => {
  // Not before they are needed: the start is measured, too.
  require("node:v8").setFlagsFromString("--expose-gc");
  const collect = require("node:vm").runInNewContext("gc");
  // What a collection frees may have held more.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  writeSync(3, `${process.memoryUsage().heapUsed}\n`);
});
