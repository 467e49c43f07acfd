#!/usr/bin/env node
// npm create mcpgen [DIR] [-- OPTIONS]: `mcpgen init server` of the version that this package has, with the same questions.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("dist/generator/cli.js", import.meta.resolve("mcpgen/package.json")));
const words = process.argv.slice(2);
const child = spawn(process.execPath, [cli, "init", "server", ...words], { stdio: "inherit" });
// Ctrl-C reaches the child, too, which ends by itself.
process.on("SIGINT", () => {});
child.on("exit", (code) => process.exit(code ?? 130));
