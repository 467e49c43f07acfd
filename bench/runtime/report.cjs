// Preloaded into every process under test: on SIGUSR2 it writes the CPU time spent so far (microseconds) to
// descriptor 3. Signal and descriptor stay clear of standard input and output, which belong to the protocol.
const { writeSync } = require("node:fs");

process.on("SIGUSR2", () => {
  const { user, system } = process.cpuUsage();
  writeSync(3, `${user + system}\n`);
});
