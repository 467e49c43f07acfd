// Starts an engine, prints its address, and ends: node starts.mjs ENGINE returns|throws|"is killed"
import { writeSync } from "node:fs";
import { engines } from "../engines.mjs";

const [name, end] = process.argv.slice(2);
const { address } = await engines[name].start();
writeSync(1, `${address}\n`);
if (end === "throws") throw new Error("as the test wants it");
if (end === "is killed") process.kill(process.pid, "SIGKILL");
