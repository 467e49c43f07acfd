import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { seed } from "../support/cases.mjs";
import { generate, releasedSource } from "../support/generated-output.js";
import { revisions } from "../support/revisions.js";
import { conversationOf } from "./conversation.js";
import { stored } from "./models.js";
import { randomCount, randomExtension } from "./random-extension.js";
import type { Outcome } from "./talking-client.js";

// Two processes talk through the generated tables and functions of random extensions. The programs are the same for all
// extensions.

const extensions = Array.from({ length: randomCount }, (_, number) => randomExtension(seed, number));

/** A folder with the two programs, bundled with the output for the extensions. */
async function builtPrograms(): Promise<string> {
  const { files } = await generate(revisions.map(releasedSource), { extensions: extensions.map(stored) });
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync(resolve("node_modules/.cache/mcpgen-talking-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const programs: [string, string][] = [
    ["conversation.json", JSON.stringify(await conversationOf(extensions))],
    ["serve.ts", program("server", "serve", "talking-server")],
    ["talk.ts", program("client", "talk", "talking-client")],
  ];
  for (const [path, content] of [...files, ...programs]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  await build({
    entryPoints: [join(folder, "serve.ts"), join(folder, "talk.ts")],
    outdir: join(folder, "out"),
    outExtension: { ".js": ".mjs" },
    conditions: ["mcpgen-source"],
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "error",
  });
  return join(folder, "out");
}

/** The main module of a side: it imports the output for all extensions. */
function program(role: "client" | "server", main: string, file: string): string {
  const imports = extensions.map(
    ({ id }, number) => `import * as e${number} from "./extensions/${id}/${role}.js";`,
  );
  const modules = extensions.map(({ id }, number) => `${JSON.stringify(id)}: e${number}`);
  return [
    ...imports,
    `import { ${role}Revisions } from "./${role}.js";`,
    `import conversation from "./conversation.json";`,
    `import { ${main} } from ${JSON.stringify(resolve(`test/extension/${file}.ts`))};`,
    `await ${main}({ ${modules.join(", ")} }, ${role}Revisions, conversation);`,
  ].join("\n");
}

/** The output of a program: all of it, or its first line if the program continues to run. */
function printed(cwd: string, words: readonly string[], running?: AbortSignal): Promise<string> {
  return new Promise((done, reject) => {
    const child = spawn(process.execPath, words, {
      cwd,
      stdio: ["ignore", "pipe", "inherit"],
      ...(running && { signal: running }),
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (running && text.includes("\n")) done(text.trim());
    });
    child.on("error", (error) => (running?.aborted ? undefined : reject(error)));
    child.on("close", () => done(text.trim()));
  });
}

/** The actions that the programs count. */
const whatIsDone = [
  "added results",
  "added results refused",
  "announced",
  "asks",
  "filters",
  "gates",
  "heard by the server",
  "notices",
  "notifications heard",
  "notifications sent",
  "requests",
  "requests without gates",
  "settings",
  "switched off",
  "switched off, unknown",
];

const bases = revisions.filter((base) => extensions.some((one) => one.bases.includes(base)));

/** The outcome of the client with one transport and one base. */
async function outcomeOf(programs: string, base: string, wire: string): Promise<Outcome> {
  const stop = new AbortController();
  try {
    const source =
      wire === "stdio"
        ? `stdio:${process.execPath} serve.mjs stdio`
        : await printed(programs, ["serve.mjs", "http"], stop.signal);
    return JSON.parse(await printed(programs, ["talk.mjs", base, source])) as Outcome;
  } finally {
    stop.abort();
  }
}

test(`two processes talk through ${randomCount} random extensions`, async () => {
  const programs = await builtPrograms();
  const done: { [what: string]: number } = {};
  for (const base of bases) {
    for (const wire of ["stdio", "HTTP"]) {
      const outcome = await outcomeOf(programs, base, wire);
      expect([base, wire, outcome.wrong]).toEqual([base, wire, []]);
      for (const [what, count] of Object.entries(outcome.done)) done[what] = (done[what] ?? 0) + count;
    }
  }
  // A small number of extensions may not have each feature.
  const expected = randomCount < 100 ? ["notifications sent", "requests", "settings"] : whatIsDone;
  expect(Object.keys(done)).toEqual(expect.arrayContaining(expected));
  if (randomCount >= 100) console.log(done);
});
