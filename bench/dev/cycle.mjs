// Measures the time that `mcpgen dev` takes from saving a contract to a restarted server, with 20 and with
// 300 tools. node bench/dev/cycle.mjs [--edits 7] [tools …]; needs `npm run build`.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "dist/generator/cli.js");
const { values, positionals } = parseArgs({
  options: { edits: { type: "string", default: "7" } },
  allowPositionals: true,
});
const edits = Number(values.edits);
const sizes = positionals.length > 0 ? positionals.map(Number) : [20, 300];

/** Returns a typical tool of a service: some properties, an enumeration, an object, and a result. */
function tool(index, extra) {
  return {
    name: `find_order_${index}`,
    description: `Finds the orders of a customer, in the list ${index}.`,
    inputSchema: {
      type: "object",
      properties: {
        customer: { type: "string", minLength: 1, description: "Id of the customer" },
        state: { enum: ["open", "paid", "sent"] },
        limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
        between: {
          type: "object",
          properties: { from: { type: "string" }, to: { type: "string" } },
          required: ["from"],
        },
        ...Object.fromEntries(extra.map((name) => [name, { type: "boolean" }])),
      },
      required: ["customer"],
    },
    outputSchema: {
      type: "object",
      properties: {
        orders: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "string" }, total: { type: "number" } },
            required: ["id", "total"],
          },
        },
      },
      required: ["orders"],
    },
  };
}

/**
 * Returns the contract after `count` edits that each add a property to the first tool, and `added` edits that
 * each add a tool. It is JSON, which is also YAML.
 */
function contract(tools, count, added) {
  const extra = Array.from({ length: count }, (_, index) => `extra_${index}`);
  const all = Array.from({ length: tools + added }, (_, index) => tool(index, index === 0 ? extra : []));
  return JSON.stringify({ name: "orders", version: "1.0.0", tools: all }, null, 2);
}

/** Starts `dev` with a client, and returns functions that wait for its notifications and lines. */
function start(folder) {
  const program = spawn(process.execPath, [cli, "dev", "--stdio", "--verbose"], { cwd: folder });
  const read = { stdout: "", stderr: "" };
  const seen = { stdout: 0, stderr: 0 };
  let wake = () => {};
  for (const stream of ["stdout", "stderr"])
    program[stream].setEncoding("utf8").on("data", (chunk) => {
      read[stream] += chunk;
      wake();
    });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  /** Waits for the next match in the text of a stream; skips the text before it. */
  const next = async (stream, pattern) => {
    for (;;) {
      const match = pattern.exec(read[stream].slice(seen[stream]));
      if (match) {
        seen[stream] += match.index + match[0].length;
        return match;
      }
      if (program.exitCode !== null || /the running server was kept|no server was started/.test(read.stderr))
        throw new Error(read.stderr);
      await Promise.race([new Promise((resolve) => (wake = resolve)), ended]);
    }
  };
  const send = (message) => program.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  return { next, send, end: () => (program.stdin.end(), ended) };
}

/**
 * Makes a project with `init server`; its contract gets `tools` tools, for which `dev` inserts the handlers.
 */
function project(above, tools) {
  const folder = join(above, "orders");
  const init = spawnSync(process.execPath, [cli, "init", "server", "orders", "--yes"], { cwd: above });
  if (init.status !== 0) throw new Error(String(init.stderr));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  // The contract that `init` writes has a tool that the benchmark's contract lacks.
  const handlers = "export const handlers: Handlers = {\n  tools: {},\n};\n";
  const text = `import type { Handlers } from "./generated/server.js";\n\n${handlers}`;
  writeFileSync(join(folder, "src/handlers.ts"), text);
  writeFileSync(join(folder, "mcp.contract.yaml"), contract(tools, 0, 0));
  return folder;
}

const initialize = {
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  },
};

/**
 * Milliseconds from each save to the notification that the client gets from the restarted server, and the
 * durations that the steps report.
 */
async function measured(tools) {
  const above = mkdtempSync(join(tmpdir(), "mcpgen-dev-"));
  try {
    const folder = project(above, tools);
    const loop = start(folder);
    const rows = new Map();
    const add = (kind, step, time) => {
      const row = rows.get(step) ?? { "property added": [], "tool added": [] };
      row[kind].push(time);
      rows.set(step, row);
    };
    const edit = async (kind, text) => {
      const began = performance.now();
      writeFileSync(join(folder, "mcp.contract.yaml"), text);
      await loop.next("stdout", /"notifications\/tools\/list_changed"/);
      add(kind, "save to restarted server", performance.now() - began);
      const [, steps] = await loop.next("stderr", /^(generate .*)$/m);
      for (const [, step, time] of steps.matchAll(/(\w+) ([\d.]+) s/g)) add(kind, step, Number(time) * 1000);
      await loop.next("stderr", / \([\d.]+ s\)\n/);
      add(kind, "save to checked types", performance.now() - began);
    };
    try {
      loop.send(initialize);
      await loop.next("stdout", /"protocolVersion"/);
      loop.send({ method: "notifications/initialized" });
      await loop.next("stderr", /server started.*\n/);
      // The first two edits warm the process up, and are not counted.
      for (let count = 1; count <= edits + 2; count++) {
        await edit("property added", contract(tools, count, 0));
        if (count === 2) rows.clear();
      }
      for (let count = 1; count <= edits; count++)
        await edit("tool added", contract(tools, edits + 2, count));
    } finally {
      await loop.end();
    }
    return rows;
  } finally {
    rmSync(above, { recursive: true, force: true });
  }
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

for (const tools of sizes) {
  const rows = await measured(tools);
  console.log(
    `\n${tools} tools, medians of ${edits} edits in ms`.padEnd(40) +
      "property added".padStart(16) +
      "tool added".padStart(16),
  );
  for (const [step, kinds] of rows)
    console.log(
      step.padEnd(39) +
        Object.values(kinds)
          .map((times) => median(times).toFixed(0).padStart(16))
          .join(""),
    );
}
