import { runProgram } from "../../generator/capture/process-group.js";

// Runs a program in a group that does not end, and hands on what it prints.
await runProgram(process.execPath, ["-e", "console.log(process.pid); setInterval(() => {}, 1000)"], {
  signal: new AbortController().signal,
  heard: (text) => process.stdout.write(text),
});
console.log("went on");
