import { expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";
import { smallSchemaText } from "../support/small-protocol.js";

const schema = JSON.stringify({ $defs: { A: { type: "string" } } });
const generate = (text: string, ...more: string[]) =>
  mcpgen(temporaryFolder({ "s.json": text }), ["generate", "--schema", "s.json", "--name", "next", ...more]);

test("output is generated from a schema without messages, and a warning names the empty parts", async () => {
  const { code, stdout, stderr } = await generate(schema);
  expect(code).toBe(0);
  expect(stdout + stderr).toMatch(/s\.json.* warning MG1111.* next: no definition describes a message/);
});

test("a schema with messages, or --only without methods, causes no warning", async () => {
  for (const given of [
    await generate(schema, "--only", "types,validators,explain"),
    await generate(smallSchemaText),
  ]) {
    expect(given.code).toBe(0);
    expect(given.stdout + given.stderr).not.toContain("MG1111");
  }
});

test("check repeats it, whether or not it has to generate for that", async () => {
  const folder = temporaryFolder({ "2030-01-01/s.json": schema });
  const run = async (...words: string[]) => mcpgen(folder, words);
  expect((await run("revision", "add", "2030-01-01/s.json")).code).toBe(0);
  expect((await run("generate")).code).toBe(0);
  for (const words of [["check", "--full"], ["check"], ["check"]]) {
    const { code, stdout, stderr } = await run(...words);
    expect(code).toBe(0);
    expect(stdout + stderr).toContain("MG1111");
  }
});
