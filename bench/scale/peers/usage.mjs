// Loaded into the process of a node: answers its parent with what the process has used.
process.on("message", (message) => {
  if (message === "used")
    process.send({ used: { cpu: process.cpuUsage(), memory: process.memoryUsage.rss() } });
});
