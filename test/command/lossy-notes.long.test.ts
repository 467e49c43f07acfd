import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { smallProject, smallSchema } from "../support/small-protocol.js";

const EchoResult = {
  type: "object",
  properties: { texts: { type: "array", items: { type: "string" } } },
  required: ["texts"],
};
const next = JSON.stringify({ ...smallSchema, $defs: { ...smallSchema.$defs, EchoResult } });

/** A project of two revisions: results of the second have a list of texts, and this note. */
async function project(ways: object): Promise<string> {
  const folder = await smallProject({ "2031-01-01/schema.json": next });
  expect((await mcpgen(folder, ["revision", "add", "2031-01-01/schema.json"])).code).toBe(0);
  const note = {
    ...{ kind: "reshaped", target: "/$defs/EchoResult", previous: "2030-01-01", reason: "A list.", link: "" },
    ...ways,
  };
  writeFileSync(
    join(folder, "schema/2031-01-01/notes.json"),
    JSON.stringify({ format: 1, notes: [note] }, null, 2),
  );
  return folder;
}

const lower = { text: { $or: [{ $: "/texts/0" }, "none"] } };

test("a lossless note is generated without a warning", async () => {
  const folder = await project({ lift: { texts: [{ $: "/text" }] }, lower });
  const { code, stdout, stderr } = await mcpgen(folder, ["generate"]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(stdout + stderr).not.toMatch(/MG12/);
});

test("a lossy note causes a warning with a value, in generate and check", async () => {
  const folder = await project({ lift: { texts: [{ $json: { $: "/text" } }] }, lower });
  for (const words of [["generate"], ["check", "--full"], ["check"]]) {
    const { code, stdout, stderr } = await mcpgen(folder, words);
    expect([words, code]).toEqual([words, 0]);
    expect(stdout + stderr).toMatch(
      /schema\/2031-01-01\/notes\.json.*warning MG1208: .*\{"text":""\} comes back from this revision as \{"text":"\\"\\""\}/,
    );
  }
  const types = await mcpgen(folder, ["generate", "--only", "types"]);
  expect(types.stdout + types.stderr).not.toContain("MG1208");
});

test("a note that makes invalid values is refused with the smallest one", async () => {
  const folder = await project({ lift: { texts: [{ $: "/text" }] }, lower: { text: { $: "/texts/0" } } });
  const { code, stdout, stderr } = await mcpgen(folder, ["generate"]);
  expect(code).toBe(3);
  expect(stdout + stderr).toMatch(/notes\.json.*MG1206.*\{"texts":\[\]\} has no form: text is required/s);
});
