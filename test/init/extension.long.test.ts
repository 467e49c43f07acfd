import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { trustOf } from "../support/trust.js";
import { addTickets, ticketsFolder, ticketsId } from "../support/tickets-extension.js";

const read = (folder: string, file: string): string => readFileSync(join(folder, file), "utf8");

/** A folder in which the extension was added. */
async function withTickets(...more: string[]): Promise<string> {
  const folder = ticketsFolder();
  expect((await mcpgen(folder, [...addTickets, ...more])).code).toBe(0);
  return folder;
}

const init = (folder: string, ...words: string[]) => mcpgen(folder, ["init", "server", ...words]);

test("init server --extension: handlers, a client, a test, and what generate would make", async () => {
  const folder = await withTickets();
  const { code, stdout } = await init(folder, "--extension", ticketsId);
  expect([code, stdout]).toEqual([0, expect.stringContaining("CREATE  src/extensions/tickets.ts\n")]);
  expect(read(folder, "src/extensions/tickets.ts")).toContain(
    '"tickets/list": async (params, context) => {\n    throw new Error("tickets/list is not written yet");',
  );
  expect(read(folder, "src/server.ts")).toContain("extensions: [tickets] });");
  expect(read(folder, "src/client.ts")).toContain('createTicket(client, { title: "title" })');
  expect(JSON.parse(read(folder, "mcpgen.config.json"))).toMatchObject({ out: "src/generated/protocol" });
  expect(JSON.parse(read(folder, "package.json"))).toMatchObject({
    scripts: { client: "tsc && node dist/client.js" },
  });
  const checked = await mcpgen(folder, ["check"], { env: { CI: "1" } });
  expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining("output is up to date")]);
});

test("files of the author are never overwritten", async () => {
  const folder = await withTickets();
  await init(folder, "--extension", ticketsId);
  writeFileSync(join(folder, "src/extensions/tickets.ts"), "// mine\n");
  const { code, stdout } = await init(folder, "--extension", ticketsId);
  expect([code, stdout]).toEqual([0, expect.stringContaining("SKIP  src/extensions/tickets.ts\n")]);
  expect(read(folder, "src/extensions/tickets.ts")).toBe("// mine\n");
});

test("a project in another folder gets the schema; a folder may be named in place of the id", async () => {
  const folder = await withTickets();
  const stored = `schema/extensions/${ticketsId}/1.0.0`;
  for (const [dir, named] of [
    ["one", ticketsId],
    ["two", `${ticketsId}@1.0.0`],
    ["three", stored],
  ] as const) {
    expect((await init(folder, dir, "--extension", named)).code).toBe(0);
    for (const file of ["extension.json", "schema.json", "notes.json"])
      expect(read(folder, `${dir}/${stored}/${file}`)).toBe(read(folder, `${stored}/${file}`));
    expect(read(folder, `${dir}/schema/lock.json`)).toBe(read(folder, "schema/lock.json"));
    expect((await mcpgen(join(folder, dir), ["check"])).code).toBe(0);
  }
});

test("an extension of @mcpgen/protocol is imported from there", async () => {
  const folder = ticketsFolder();
  const skills = "io.modelcontextprotocol/skills";
  expect((await init(folder, "library", "--extension", skills)).code).toBe(0);
  expect(read(folder, "library/src/extensions/skills.ts")).toContain(
    `import { skills as extension } from "@mcpgen/protocol/extensions/${skills}/server";`,
  );
  // It needs a capability, which the contract declares.
  expect(read(folder, "library/mcp.contract.yaml")).toContain('capabilities: {"resources":{}}');
  expect(existsSync(join(folder, "library/schema"))).toBe(false);
  expect((await mcpgen(join(folder, "library"), ["check"])).code).toBe(0);
});

test("errors give the correction", async () => {
  const folder = await withTickets();
  const misspelt = await init(folder, "a", "--extension", "com.acme/ticket");
  expect([misspelt.code, misspelt.stderr]).toEqual([
    2,
    expect.stringMatching(/MG1306: .*\n.*Did you mean com\.acme\/tickets\?/),
  ]);
  const unknown = await init(folder, "a", "--extension", "org.other/thing");
  expect(unknown.stderr).toContain("mcpgen extension add FILE --id org.other/thing");
  const silent = await init(folder, "a", "--extension", ticketsId, "--revision", "2025-06-18");
  expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining("Add --revision 2026-07-28")]);
  expect(existsSync(join(folder, "a"))).toBe(false);
  cpSync("schema/lock.json", join(folder, "b/schema/lock.json"));
  const other = await init(folder, "b", "--extension", ticketsId);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("Name another folder")]);
});

test("the project compiles, its test runs, and its client calls the server", async () => {
  const folder = await withTickets("--base", "2025-11-25", "--base", "2026-07-28");
  const skills = "io.modelcontextprotocol/skills";
  expect((await init(folder, "--extension", ticketsId, "--extension", skills)).code).toBe(0);
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", stdio: "pipe", env: {} });
  const tsc = resolve("node_modules/typescript/bin/tsc");
  run(tsc);
  // Handlers that are not written are skipped, at each base of both extensions.
  expect(run("--test", "--test-reporter=tap", "test/")).toMatch(/^# fail 0\n# cancelled 0\n# skipped 10$/m);
  const file = join(folder, "src/extensions/tickets.ts");
  const written = read(folder, "src/extensions/tickets.ts")
    .replace('throw new Error("tickets/list is not written yet");', "return { tickets: [] };")
    .replace(
      'throw new Error("tickets/create is not written yet");',
      'return { ticket: { id: "1", title: params.title } };',
    );
  writeFileSync(file, written);
  run(tsc);
  expect(run("--test", "--test-reporter=tap", "test/")).toMatch(/^# skipped 6$/m);
  const client = join(folder, "src/client.ts");
  writeFileSync(client, read(folder, "src/client.ts").replace(/^await show\("skills.*\n/gm, ""));
  run(tsc);
  expect(run("dist/client.js")).toMatch(/^tickets\/create: \{.*"title":"title"/);
  // The built code judges recorded messages.
  const message = { jsonrpc: "2.0", id: 1, method: "tickets/create", params: { title: 5 } };
  writeFileSync(join(folder, "wire.jsonl"), JSON.stringify({ from: "client", message }));
  const judge = ["validate", "wire.jsonl", "--revision", "2025-11-25", "--extension", ticketsId];
  expect(await mcpgen(folder, judge)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("MG2105") as string,
  });
  const judged = await mcpgen(folder, judge, { env: await trustOf(folder, judge) });
  expect([judged.code, judged.stdout]).toEqual([1, expect.stringContaining("params.title: expected string")]);
});
