#!/usr/bin/env node
// npm create mcpgen [DIR] [-- OPTIONS]: `mcpgen init server` of the version that this package has, with the same questions.
process.argv.splice(2, 0, "init", "server");
await import(new URL("dist/generator/cli.js", import.meta.resolve("mcpgen/package.json")));
