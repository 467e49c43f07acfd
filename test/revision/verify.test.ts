import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { smallProject, smallSchema, smallSchemaText } from "../support/small-protocol.js";

const verify = (folder: string, ...args: string[]) => mcpgen(folder, ["revision", "verify", ...args]);

test("the stored revisions of this repository are canonical and equal to the lock", async () => {
  const { code, stdout } = await verify(process.cwd());
  expect([code, stdout]).toEqual([0, "5 revisions: canonical and equal to the lock\n"]);
});

test("a stored schema that was edited or reformatted", async () => {
  const folder = await smallProject();
  const file = join(folder, "schema/2030-01-01/schema.json");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('"text"', '"texts"'));
  expect((await verify(folder)).stdout).toContain("MG3105: the schema was changed since it was imported");
  writeFileSync(file, JSON.stringify(JSON.parse(text)));
  const { code, stdout } = await verify(folder);
  expect(stdout).toContain("since it was imported, and is not in canonical form");
  expect(code).toBe(1);
});

test("a revision that is missing, and one that is not in the lock", async () => {
  const folder = await smallProject();
  mkdirSync(join(folder, "schema/extra"));
  renameSync(join(folder, "schema/2030-01-01/schema.json"), join(folder, "schema/extra/schema.json"));
  const { code, stdout } = await verify(folder);
  expect(stdout).toContain("MG3106: revision 2030-01-01 is in the lock, but its folder has no schema");
  expect(stdout).toContain("MG3106: revision extra is not in the lock");
  expect(code).toBe(1);
});

test("a lock that is malformed exits with 3", async () => {
  const folder = await smallProject();
  for (const text of ["", "{}", '{"format":1,"revisions":{"x":{"status":"final"}}}']) {
    writeFileSync(join(folder, "schema/lock.json"), text);
    const { code, stderr } = await verify(folder);
    expect(stderr).toContain("lock.json");
    expect(stderr).toContain("error MG1204");
    expect(code).toBe(3);
  }
});

test("a file is compared with a revision's source: same file, same meaning, other content", async () => {
  const folder = await smallProject({ "other/schema.json": '{"$defs":{"A":{"type":"string"}}}' });
  const file = "2030-01-01/schema.json";
  const same = await verify(folder, "2030-01-01", file);
  expect([same.code, same.stdout]).toEqual([0, "2030-01-01: same file\n"]);

  writeFileSync(join(folder, file), JSON.stringify(smallSchema, null, 4));
  const layout = await verify(folder, "2030-01-01", file);
  expect([layout.code, layout.stdout]).toEqual([
    1,
    expect.stringContaining("its canonical form equals that of 2030-01-01"),
  ]);

  const { EchoResult: _, ...rest } = smallSchema.$defs;
  const $defs = { ...rest, ServerResult: { type: "object" }, Extra: {} };
  writeFileSync(join(folder, file), JSON.stringify({ ...smallSchema, $defs }));
  const changed = await verify(folder, "2030-01-01", file);
  expect(changed.stdout).toContain(
    "its canonical form differs from that of 2030-01-01 (1 definition added, 1 removed)",
  );
  expect(changed.stdout).toMatch(/- EchoResult\n +\+ Extra/);
  expect(changed.code).toBe(1);
});

test("a file that is another revision's is recognised", async () => {
  const folder = await smallProject({ "other/schema.json": '{"$defs":{"A":{"type":"string"}}}' });
  await mcpgen(folder, ["revision", "add", "other/schema.json", "--name", "other"]);
  const { stdout } = await verify(folder, "2030-01-01", "other/schema.json");
  expect(stdout).toContain("not the file of 2030-01-01: its content is that of other");
});

test("a revision that does not exist, and a file that is not named", async () => {
  const folder = await smallProject();
  const unknown = await verify(folder, "2030-01-02", "2030-01-01/schema.json");
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Did you mean 2030-01-01?")]);
  expect((await verify(folder, "2030-01-01")).stderr).toContain("error MG2003");
});

test("revision list shows the data of the lock", async () => {
  const folder = await smallProject();
  expect((await mcpgen(folder, ["revision", "list"])).stdout).toMatch(
    /^revision .*\n2030-01-01 +released +2020-12\n\nvocabulary: 2030-01-01 \(the newest released revision; not pinned\)\n$/,
  );
  rmSync(join(folder, "schema"), { recursive: true });
  expect((await mcpgen(folder, ["revision", "list"])).stdout).toContain("no revisions");
  expect(smallSchemaText).toContain("echo");
});
