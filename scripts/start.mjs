// Checks the main path of the project from end to end. It generates and compiles the code of every revision
// in schema/, and runs each revision's validators on its test vectors. Then it runs a generated server over
// stdio, which a client calls in both eras. It prints one line for each revision and each era, and exits with
// 1 if anything fails.
import { spawn } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { join } from "node:path";

const root = fileURLToPath(new URL("..", import.meta.url));
const interactive = process.stderr.isTTY === true;

try {
  const started = performance.now();
  step("generating");
  const generated = JSON.parse(await run("dist/generator/cli.js", "generate", "--json"));
  const generatedIn = performance.now() - started;
  step("compiling");
  await run("scripts/build.mjs", "generated", "examples");
  step("judging vectors");
  const rows = [];
  for (const revision of generated.revisions) rows.push(await judged(revision));
  for (const { id, bases } of generated.extensions)
    for (const base of bases) rows.push(await judgedExtension(id, base));
  const whole = performance.now() - started;
  step("calling a server");
  const calls = [];
  for (const revision of await newestOfEachEra()) calls.push(await called(revision));
  done();
  print(rows, generatedIn, whole);
  printCalls(calls);
  if (rows.some(({ misjudged }) => misjudged.length > 0) || calls.some(({ right }) => !right))
    process.exitCode = 1;
} catch (error) {
  done();
  console.error(error.message);
  process.exitCode = error.exitCode ?? 70;
}

/** Runs a Node script of this repository; resolves with its output, rejects if it fails. */
function run(script, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, script), ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) return resolve(stdout);
      const failed = new Error(`${script} ${args.join(" ")} failed (exit code ${code})\n${stderr}${stdout}`);
      reject(Object.assign(failed, { exitCode: code }));
    });
  });
}

/** Returns the figures of a revision after running its validators on its vectors. */
async function judged(revision) {
  const { revision: server } = await import(built(revision, "server.js"));
  const { revision: client } = await import(built(revision, "client.js"));
  return judgedIn(revision, revision, [server.table, client.table]);
}

/** Does the same for an extension and one of the revisions that it extends. */
async function judgedExtension(id, base) {
  const folder = `extensions/${id}/${base}`;
  const { serverTable, clientTable } = await import(built(folder, "methods.js"));
  return judgedIn(`${id} ${base}`, folder, [serverTable, clientTable]);
}

function built(folder, file) {
  return pathToFileURL(join(root, "generated/dist", folder, file)).href;
}

/** Runs the built validators of a folder on its vectors, and returns the figures. */
async function judgedIn(revision, path, tables) {
  const folder = join(root, "generated", path);
  const started = performance.now();
  const validators = await import(built(path, "validators.js"));
  const { vectors } = JSON.parse(await readFile(join(folder, "vectors.json"), "utf8"));
  const misjudged = vectors.filter(
    ({ validator, valid, message }) => validators[`is${validator}`](message) !== valid,
  );
  const methods = new Set(
    tables.flatMap((table) => [...table.incomingRequests.keys(), ...table.incomingNotifications.keys()]),
  );
  const types = (await readFile(join(folder, "types.ts"), "utf8")).match(
    /^export (interface|type) /gm,
  ).length;
  return {
    revision,
    methods: methods.size,
    types,
    validators: Object.keys(validators).filter((name) => /^(is|accepts)[A-Z]/.test(name)).length,
    vectors: vectors.length,
    files: (await readdir(folder)).length,
    milliseconds: performance.now() - started,
    misjudged,
  };
}

async function newestOfEachEra() {
  const { clientRevisions } = await import("@mcpgen/protocol");
  return [...new Map(clientRevisions.map(({ era, id }) => [era, id])).values()];
}

/** Starts the weather server; lists its tools and calls one of them with the client of a revision. */
async function called(revision) {
  const { clientRevisions } = await import("@mcpgen/protocol");
  const { callTool, listTools } = await import(`@mcpgen/protocol/${revision}/client`);
  const { connect } = await import("@mcpgen/runtime");
  const { stdioClientChannel } = await import("@mcpgen/runtime/stdio");
  const { Recording } = await import("@mcpgen/testing");
  const started = performance.now();
  const wire = new Recording();
  const channel = stdioClientChannel([process.execPath, join(root, "dist/examples/weather/main.js")]);
  const client = await connect(wire.of(channel, "client"), { revisions: clientRevisions, revision });
  const { tools } = await listTools(client);
  const params = { name: "current_weather", arguments: { city: "bergen" } };
  const { content, structuredContent } = await callTool(client, params);
  await client.close();
  return {
    revision,
    sent: wire.messages("client").map(({ method }) => method),
    params,
    answer: content[0].text,
    right: tools[0].name === params.name && structuredContent.temperature === 9,
    milliseconds: performance.now() - started,
  };
}

function printCalls(calls) {
  console.log("\ndist/examples/weather, a server in a separate process, over stdio:");
  for (const { revision, sent, params, answer, right, milliseconds } of calls) {
    const call = `${params.name} ${JSON.stringify(params.arguments)}`;
    console.log(`${revision}  ${sent.join(", ")}`);
    console.log(`            ${call} → ${answer}${right ? "" : ": WRONG"}  (${milliseconds.toFixed(0)} ms)`);
  }
}

function print(rows, generatedIn, total) {
  const table = [
    ["revision, or extension over one", "methods", "types", "validators", "files", "vectors", "judged in"],
    ...rows.map((row) => [
      row.revision,
      ...[row.methods, row.types, row.validators, row.files].map(String),
      `${row.vectors - row.misjudged.length}/${row.vectors} right`,
      `${row.milliseconds.toFixed(0)} ms`,
    ]),
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)));
  for (const line of table) {
    console.log(
      line
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
        .join("  "),
    );
  }
  for (const { revision, misjudged } of rows) {
    for (const { validator, valid, message } of misjudged) {
      console.log(
        `${revision}: is${validator} should say ${valid} of ${JSON.stringify(message).slice(0, 200)}`,
      );
    }
  }
  console.log(`generated in ${seconds(generatedIn)}; with compiling and judging ${seconds(total)}`);
  console.log("next: npx mcpgen diff 2025-11-25 2026-07-28, or a server: docs/guides/first-server.md");
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

function step(text) {
  if (interactive) process.stderr.write(`\r\u001b[K${text}…`);
  else process.stderr.write(`${text}…\n`);
}

function done() {
  if (interactive) process.stderr.write("\r\u001b[K");
}
