import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  expectExtension,
  extensionFolder,
  newestExtensions,
  storedExtensions,
  verifyExtensions,
  readStoredExtension,
} from "../../generator/extension/extension-store.js";
import { lockText, readExtensionLock, readLock, readVocabulary } from "../../generator/revision/lock.js";
import { failureOf } from "../support/failure-of.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const skills = storedExtensions("schema").find(({ id }) => id === "io.modelcontextprotocol/skills");

/** A schema folder with the stored extensions. */
function copied(): string {
  const folder = temporaryFolder();
  cpSync("schema/extensions", join(folder, "extensions"), { recursive: true });
  cpSync("schema/lock.json", join(folder, "lock.json"));
  return folder;
}

test("every stored extension is canonical, and matches the lock", async () => {
  expect(await verifyExtensions("schema")).toEqual([]);
  expect(storedExtensions("schema").length).toBe(readExtensionLock("schema").size);
});

test("the lock is written in the form that is read", () => {
  const text = readFileSync("schema/lock.json", "utf8");
  const revisions = readLock("schema");
  const content = {
    revisions,
    extensions: readExtensionLock("schema"),
    vocabulary: readVocabulary("schema"),
  };
  expect(lockText(content)).toBe(text);
  const least = lockText({ revisions, extensions: new Map() });
  expect(least).not.toContain("extensions");
  expect(least).not.toContain("vocabulary");
});

test("a changed, a missing and an unknown schema are found", async () => {
  const folder = copied();
  const place = extensionFolder(folder, skills!);
  const file = join(place, "schema.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"size"', '"bytes"'));
  expect(await verifyExtensions(folder)).toMatchObject([
    { code: "MG3105", message: /^the schema was changed since it was added/, place: { file } },
  ]);
  renameSync(place, join(place, "..", "9.0.0"));
  const findings = await verifyExtensions(folder);
  expect(findings.map(({ message }) => message)).toEqual([
    `the extension ${skills!.id}@${skills!.version} is in the lock, but not in the schema folder`,
    `the extension ${skills!.id}@9.0.0 is not in the lock`,
  ]);
});

test("an extension without a version means the newest one, and the nearest is suggested for an unknown one", async () => {
  const folder = copied();
  const place = extensionFolder(folder, skills!);
  for (const version of ["10.0.0", "9.0.0"]) cpSync(place, join(place, "..", version), { recursive: true });
  rmSync(place, { recursive: true });
  expect(newestExtensions(folder).find(({ id }) => id === skills!.id)?.version).toBe("10.0.0");
  expect(expectExtension(folder, skills!.id).version).toBe("10.0.0");
  expect(expectExtension(folder, `${skills!.id}@9.0.0`).version).toBe("9.0.0");
  const wrong = Promise.resolve().then(() => expectExtension(folder, "io.modelcontextprotocol/skils"));
  expect(await failureOf(wrong)).toMatchObject({
    code: "MG1306",
    next: "Did you mean io.modelcontextprotocol/skills?",
  });
});

test("the files of every stored extension are read", async () => {
  const revisions = [...readLock("schema").keys()];
  for (const stored of storedExtensions("schema")) {
    const { about, document } = await readStoredExtension(stored, revisions);
    expect([about.id, Object.keys(document)]).toEqual([stored.id, ["$defs", "$schema"]]);
  }
});

test.each<[string, (text: string) => string, object]>([
  [
    "a folder of another version",
    (text) => text.replace(`"${skills!.version}"`, '"1.0.0"'),
    { code: "MG1305", place: { pointer: "/version", line: 5 } },
  ],
  [
    "a base that is not stored",
    (text) => text.replace('"2025-06-18"', '"2025-06-81"'),
    { code: "MG1303", place: { pointer: "/bases/0", line: 7 }, next: "Did you mean 2025-06-18?" },
  ],
  [
    "settings without a definition",
    (text) => text.replace("SkillsSettings", "SkillSettings"),
    { code: "MG1303", place: { pointer: "/settings/server" }, next: "Did you mean #/$defs/SkillsSettings?" },
  ],
])("%s is refused with its place", async (_, change, error) => {
  const folder = copied();
  const file = join(extensionFolder(folder, skills!), "extension.json");
  writeFileSync(file, change(readFileSync(file, "utf8")));
  const stored = storedExtensions(folder).find(({ id }) => id === skills!.id)!;
  expect(await failureOf(readStoredExtension(stored, [...readLock(folder).keys()]))).toMatchObject(error);
});

test("a released base that is not stored is loaded by its name", async () => {
  expect(await failureOf(readStoredExtension(skills!, ["2026-07-28"]))).toMatchObject({
    code: "MG1303",
    next: expect.stringContaining("`mcpgen revision add 2025-06-18`") as string,
  });
});
