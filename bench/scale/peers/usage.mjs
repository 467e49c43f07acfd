// Loaded into the process of a node: answers messages of the parent process with the resources that the node
// has used.
process.on("message", (message) => {
  if (message === "used")
    process.send({ used: { cpu: process.cpuUsage(), memory: process.memoryUsage.rss() } });
});
