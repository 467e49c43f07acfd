import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LoadContract } from "../../generator/contract/read-contract.js";
import { loadContract } from "../../generator/contract/read-contract.js";
import { type CommandContext, Arguments } from "../../generator/command/command.js";
import { Console } from "../../generator/command/console.js";
import { Preparation } from "../../generator/command/dev/preparation.js";
import { Trust } from "../../generator/command/trust/trust.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const handlers = `import type { Handlers } from "./generated/server.js";

export const handlers = {
  tools: {},
} satisfies Handlers;
`;

/** A contract with a tool of each name. */
function contract(names: readonly string[]): string {
  const tools = names.map((name) => `  - name: ${name}\n    inputSchema: { type: object }\n`);
  return `name: example\nversion: 1.0.0\ntools:\n${tools.join("")}`;
}

interface Example {
  readonly folder: string;
  readonly file: string;
  readonly reads: () => number;
  readonly preparation: Preparation;
  readonly generated: () => string;
  readonly handlers: () => string;
}

/** A project without tsconfig.json. `afterRead` runs after each read of the contract. */
async function example(names: readonly string[], afterRead: (file: string) => void): Promise<Example> {
  const folder = temporaryFolder();
  const file = join(folder, "mcp.contract.yaml");
  mkdirSync(join(folder, "src"));
  writeFileSync(file, contract(names));
  writeFileSync(join(folder, "src/handlers.ts"), handlers);
  const configured = [{ file: "mcp.contract.yaml", out: "src/generated", role: "server" }];
  writeFileSync(join(folder, "mcpgen.config.json"), JSON.stringify({ contracts: configured }));
  const silent = { write: () => true };
  const console = new Console({ format: "text", quiet: true, verbose: false } as never, {
    stdout: silent,
    stderr: silent,
    env: {},
  });
  const surroundings = { console, directory: folder, env: {} };
  const trust = new Trust(surroundings, new Arguments({}));
  const context = { ...surroundings, words: ["dev"], trust } as unknown as CommandContext;
  let reads = 0;
  const read: LoadContract = async (path, shown) => {
    reads++;
    const document = await loadContract(path, shown);
    afterRead(file);
    return document;
  };
  return {
    folder,
    file,
    reads: () => reads,
    preparation: await Preparation.open(new Arguments({}), context, read),
    generated: () => readFileSync(join(folder, "src/generated/server.ts"), "utf8"),
    handlers: () => readFileSync(join(folder, "src/handlers.ts"), "utf8"),
  };
}

test("a contract that is saved during a run gets its handlers with its types, in the next run", async () => {
  const it = await example(["first"], (file) => writeFileSync(file, contract(["first", "second"])));
  const run = await it.preparation.run(undefined);
  expect(run.ready).toBe(true);
  expect(it.reads()).toBe(1);
  expect(it.handlers()).toContain("first");
  expect([it.generated(), it.handlers()].filter((text) => text.includes("second"))).toEqual([]);

  // A change of code alone does not read the contract, either.
  await it.preparation.run([join(it.folder, "src/handlers.ts")]);
  expect(it.reads()).toBe(1);
  expect(it.handlers()).not.toContain("second");

  await it.preparation.run([it.file]);
  expect(it.reads()).toBe(2);
  expect([it.generated(), it.handlers()].filter((text) => text.includes("second"))).toHaveLength(2);
});

test("after a run that could not generate, a change of code generates again", async () => {
  const it = await example(["first"], () => {});
  await it.preparation.run(undefined);
  const path = join(it.folder, "src/generated/server.ts");
  writeFileSync(path, it.generated() + "// edited\nexport {};\n");
  writeFileSync(it.file, contract(["first", "second"]));
  const code = join(it.folder, "src/handlers.ts");
  for (const changed of [it.file, code]) {
    const refused = await it.preparation.run([changed]);
    expect(refused.ready).toBe(false);
    expect(it.handlers()).not.toContain("second");
  }
});

test("a line names the first of many inserted handlers, and counts the others", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `tool_${index}`);
  const it = await example(names, () => {});
  const { done } = await it.preparation.run(undefined);
  expect(done).toContain("tool_0, tool_1, tool_2 and 27 other handlers inserted into src/handlers.ts");
});
