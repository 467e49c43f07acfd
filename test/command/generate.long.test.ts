import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";
import { smallProject, smallSchema, smallSchemaText } from "../support/small-protocol.js";

const generated = (folder: string, path: string): string => join(folder, "generated", path);
const read = (folder: string, path: string): string => readFileSync(generated(folder, path), "utf8");

test("generate writes all files and a manifest; the next run changes no file that is up to date", async () => {
  const folder = await smallProject();
  const first = await mcpgen(folder, ["generate"]);
  expect(first.code).toBe(0);
  expect(first.stdout).toMatch(/CREATE +generated\/2030-01-01\/types\.ts +[\d.]+ (B|KiB)/);
  expect(read(folder, "2030-01-01/types.ts")).toContain("EchoParams");
  const manifest = JSON.parse(read(folder, "manifest.json")) as { files: Record<string, string> };
  expect(Object.keys(manifest.files)).toContain("2030-01-01/types.ts");

  const before = statSync(generated(folder, "2030-01-01/types.ts"));
  const again = await mcpgen(folder, ["generate"]);
  expect(again.stdout).toMatch(/^2030-01-01: 0 created, 0 updated, 0 deleted, \d+ unchanged\n$/);
  const after = statSync(generated(folder, "2030-01-01/types.ts"));
  expect([after.mtimeMs, after.ino]).toEqual([before.mtimeMs, before.ino]);
  expect(readdirSync(generated(folder, ".")).filter((name) => name.startsWith("."))).toEqual([]);
});

test("--dry-run shows the plan and writes nothing", async () => {
  const folder = await smallProject();
  const { code, stdout } = await mcpgen(folder, ["generate", "--dry-run"]);
  expect(code).toBe(0);
  expect(stdout).toContain("CREATE");
  expect(stdout).toContain("nothing was written");
  expect(readdirSync(folder)).not.toContain("generated");
});

test("a file edited by hand is refused without --force, and nothing else is written", async () => {
  const folder = await smallProject();
  await mcpgen(folder, ["generate"]);
  const types = generated(folder, "2030-01-01/types.ts");
  writeFileSync(types, "mine\n");
  rmSync(generated(folder, "2030-01-01/validators.ts"));

  const refused = await mcpgen(folder, ["generate"]);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain(
    "generated/2030-01-01/types.ts: error MG3001: the file was edited by hand",
  );
  expect(refused.stdout.trimEnd().split("\n").at(-1)).toBe("Run: mcpgen generate --force");
  expect(readFileSync(types, "utf8")).toBe("mine\n");
  expect(readdirSync(generated(folder, "2030-01-01"))).not.toContain("validators.ts");

  expect((await mcpgen(folder, ["generate", "--force"])).code).toBe(0);
  expect(readFileSync(types, "utf8")).toContain("EchoParams");
});

test("a file that mcpgen never wrote is not overwritten, and a file beside the output is ignored", async () => {
  const folder = await smallProject();
  await mcpgen(folder, ["generate", "--only", "validators"]);
  writeFileSync(generated(folder, "2030-01-01/types.ts"), "mine\n");
  writeFileSync(generated(folder, "2030-01-01/notes.txt"), "mine, too\n");
  const refused = await mcpgen(folder, ["generate"]);
  expect(refused.stdout).toContain(
    "types.ts: error MG3001: the file differs from the output, and the manifest does not have it",
  );
  expect(refused.stdout).toContain("e.g. --out generated/mcpgen, or move the file away");
  // The output proposes no command that would destroy the file.
  expect(refused.stdout).not.toContain("Run:");
  expect((await mcpgen(folder, ["check"])).stdout).not.toContain("--force");
  expect((await mcpgen(folder, ["generate", "--force"])).code).toBe(0);
  expect(read(folder, "2030-01-01/notes.txt")).toBe("mine, too\n");
});

test("files that are no longer generated are deleted unless they were edited", async () => {
  const folder = await smallProject({ "other/schema.json": smallSchemaText });
  await mcpgen(folder, ["revision", "add", "other/schema.json", "--name", "other"]);
  await mcpgen(folder, ["generate"]);
  writeFileSync(join(folder, "mcpgen.config.json"), '{"revisions":["2030-01-01"]}');
  writeFileSync(generated(folder, "other/explain.ts"), "mine\n");
  const refused = await mcpgen(folder, ["generate"]);
  expect(refused.stdout).toContain("other/explain.ts: error MG3001: the file is no longer generated");
  expect(readdirSync(generated(folder, "other"))).toContain("types.ts");

  await mcpgen(folder, ["generate", "--force"]);
  expect(readdirSync(generated(folder, "."))).not.toContain("other");
});

describe("--revision generates one revision and leaves the others unchanged", () => {
  /** A project with the output of two revisions, whose schemas have changed since. */
  async function changed(): Promise<string> {
    const folder = await smallProject({ "other/schema.json": smallSchemaText });
    await mcpgen(folder, ["revision", "add", "other/schema.json", "--name", "other"]);
    await mcpgen(folder, ["generate"]);
    const longer = JSON.stringify({
      ...smallSchema,
      $defs: { ...smallSchema.$defs, Extra: { type: "string" } },
    });
    writeFileSync(join(folder, "other/schema.json"), longer);
    for (const name of ["2030-01-01", "other"])
      await mcpgen(folder, ["revision", "add", "other/schema.json", "--name", name, "--replace"]);
    return folder;
  }

  test.each([[[]], [["--force"]]])("with %j", async (more) => {
    const folder = await changed();
    writeFileSync(generated(folder, "other/explain.ts"), "mine\n");
    const before = read(folder, "other/types.ts");
    const index = read(folder, "index.ts");
    const ran = await mcpgen(folder, ["generate", "--revision", "2030-01-01", ...more]);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringMatching(/^2030-01-01: .* 0 deleted/m)]);
    expect(read(folder, "2030-01-01/types.ts")).toContain("Extra");
    expect(read(folder, "other/types.ts")).toBe(before);
    expect(read(folder, "other/explain.ts")).toBe("mine\n");
    expect(read(folder, "index.ts")).toBe(index);
  });

  test("afterwards, check still finds the faults of the other files, and nothing else", async () => {
    const folder = await changed();
    await mcpgen(folder, ["generate", "--revision", "2030-01-01"]);
    const one = await mcpgen(folder, ["check"]);
    expect(one.code).toBe(1);
    expect(one.stdout).toContain("generated/other/types.ts: error MG3101");
    expect(one.stdout).not.toContain("generated/2030-01-01/");
    const alone = await mcpgen(folder, ["generate", "--check", "--revision", "2030-01-01"]);
    expect([alone.code, alone.stdout]).toEqual([0, expect.stringMatching(/^2030-01-01: schemas equal/)]);
    await mcpgen(folder, ["generate", "--revision", "other"]);
    expect((await mcpgen(folder, ["check"])).code).toBe(0);
  });

  test("shared files describe all revisions, even with --only", async () => {
    const folder = await changed();
    const index = read(folder, "index.ts");
    await mcpgen(folder, ["generate", "--revision", "2030-01-01", "--only", "index"]);
    expect(read(folder, "index.ts")).toBe(index);
    const { inputs } = JSON.parse(read(folder, "manifest.json")) as { inputs: object };
    expect(Object.keys(inputs)).toEqual(["2030-01-01", "other"]);
  });

  test("refuses to delete output whose schema is not stored", async () => {
    const folder = await smallProject({ "x.json": smallSchemaText });
    await mcpgen(folder, ["generate"]);
    const next = await mcpgen(folder, ["generate", "--schema", "x.json", "--name", "next"]);
    expect(next.code).toBe(0);
    expect(readdirSync(generated(folder, "."))).toEqual(expect.arrayContaining(["2030-01-01", "next"]));
    const { code, stderr } = await mcpgen(folder, ["generate", "--revision", "2030-01-01", "--force"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("MG3007: the output of next would be lost")]);
    expect(stderr).toContain("--out");
    expect(readdirSync(generated(folder, "."))).toContain("next");
  });
});

test("another output folder below this one is not changed, even with --force", async () => {
  const folder = await smallProject();
  await mcpgen(folder, ["generate"]);
  const before = read(folder, "2030-01-01/types.ts");
  const { code, stdout } = await mcpgen(folder, ["generate", "--out", ".", "--force"]);
  expect([code, stdout]).toEqual([0, expect.stringContaining(" 0 deleted")]);
  expect(stdout).not.toContain("generated/");
  expect(read(folder, "2030-01-01/types.ts")).toBe(before);
});

test("--only writes some files and keeps the record of all others", async () => {
  const folder = await smallProject();
  await mcpgen(folder, ["generate"]);
  const manifest = read(folder, "manifest.json");
  rmSync(generated(folder, "2030-01-01/types.ts"));
  const { stdout } = await mcpgen(folder, ["generate", "--only", "types"]);
  expect(stdout).toContain("2030-01-01: 1 created, 0 updated, 0 deleted, 0 unchanged");
  expect(read(folder, "manifest.json")).toBe(manifest);
  expect((await mcpgen(folder, ["generate", "--only", "typos"])).code).toBe(2);
});

test("--schema generates a revision that the schema folder does not have", async () => {
  const folder = temporaryFolder({ "new.json": smallSchemaText });
  const { code, stderr } = await mcpgen(folder, [
    "generate",
    "--schema",
    "new.json",
    "--name",
    "next",
    "--out",
    "src/next",
  ]);
  expect(code).toBe(0);
  expect(stderr).toContain("assumed (");
  expect(readFileSync(join(folder, "src/next/next/types.ts"), "utf8")).toContain("EchoParams");
});

test("--json reports the action on each file", async () => {
  const folder = await smallProject();
  const { stdout } = await mcpgen(folder, ["generate", "--json"]);
  const document = JSON.parse(stdout) as { files: object[]; out: string };
  expect(document.out).toBe("generated");
  expect(document.files).toContainEqual({
    path: "2030-01-01/types.ts",
    action: "CREATE",
    before: 0,
    after: read(folder, "2030-01-01/types.ts").length,
  });
});

test("an input that cannot be read exits with 3 and writes nothing", async () => {
  const folder = temporaryFolder({ "new.json": smallSchemaText.slice(0, -20) });
  const { code, stderr } = await mcpgen(folder, ["generate", "--schema", "new.json", "--name", "next"]);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/new\.json:1:\d+: error MG1002/)]);
  expect(readdirSync(folder)).toEqual(["new.json"]);
});

test("an output folder that cannot be made is reported", async () => {
  const folder = await smallProject({ generated: "a file" });
  const { code, stderr } = await mcpgen(folder, ["generate"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("generated: error MG3002")]);
});
