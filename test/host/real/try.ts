import { build } from "esbuild";
import { run, stdioProbe } from "./run.js";
import { cases } from "./cases.js";
await build({ entryPoints: ["test/host/real/stdio.ts"], outfile: stdioProbe, bundle: true, platform: "node", format: "esm", target: "node20.19", conditions: ["mcpgen-source"], logLevel: "error" });
const [name, kind, bin, ...rest] = process.argv.slice(2);
const r = await run({ name: name as never, file: bin!, ...(process.env.N24 && { node: process.env.N24 }) }, { script: rest.map((t) => { const [tool, a] = t.split("="); return { tool: tool!, arguments: a ? JSON.parse(a) : {} }; }), ...(kind === "cases" && { cases }), ...(kind !== "stdio" && kind !== "cases" && { http: { sessions: kind as never } }) });
console.log(JSON.stringify({ ...r, output: r.output.slice(-1500), tools: r.tools.map((t) => ({ n: t.name, o: t.offered?.name, c: t.name === "broad" ? t.changes.map((x) => x.rule) : t.changes.length })), calls: r.calls.map((c) => ({ ...c, result: JSON.stringify(c.result)?.slice(0, 300) })) }, null, 1));
