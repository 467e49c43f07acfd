import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CodedError } from "../../generator/diagnostics/coded-error.js";
import {
  type Lock,
  type LockedRevision,
  type RevisionStatus,
  changedLock,
  lockText,
  readVocabulary,
  vocabularyIn,
} from "../../generator/revision/lock.js";
import { keptVocabulary } from "../../generator/revision/identify.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const locked = (status: RevisionStatus): LockedRevision => ({
  status,
  dialect: "2020-12",
  upstream: { sha256: "0".repeat(64) },
  canonical: "0".repeat(64),
  descriptions: true,
});

const lockOf = (revisions: Readonly<Record<string, RevisionStatus>>): Lock =>
  new Map(Object.entries(revisions).map(([name, status]) => [name, locked(status)]));

const revisions = lockOf({ "2030-01-01": "released", "2031-01-01": "handwritten", next: "draft" });

/** A schema folder whose lock has this vocabulary. */
function folderWith(vocabulary: unknown): string {
  const text = JSON.parse(lockText({ revisions, extensions: new Map() })) as object;
  return temporaryFolder({ "lock.json": JSON.stringify({ ...text, vocabulary }) });
}

test("the lock names the vocabulary; by default it is the newest finished revision", () => {
  expect(readVocabulary(folderWith("2030-01-01"))).toBe("2030-01-01");
  expect(readVocabulary(folderWith(undefined))).toBeUndefined();
  expect(readVocabulary(temporaryFolder())).toBeUndefined();
  expect(vocabularyIn({ revisions, vocabulary: "2030-01-01" })).toBe("2030-01-01");
  expect(vocabularyIn({ revisions })).toBe("2031-01-01");
  expect(vocabularyIn({ revisions: new Map() })).toBeUndefined();
});

test.each([["2029-01-01"], ["next"], [""], [7], [null], [["2030-01-01"]], [{ id: "2030-01-01" }]])(
  "the vocabulary %j is refused at its place, with the valid values",
  (vocabulary) => {
    const folder = folderWith(vocabulary);
    const read = (): unknown => readVocabulary(folder);
    expect(read).toThrow(CodedError);
    try {
      read();
    } catch (error) {
      const { code, place, next } = error as CodedError;
      expect({ code, place }).toEqual({
        code: "MG1204",
        place: { file: join(folder, "lock.json"), pointer: "/vocabulary" },
      });
      expect(next).toContain("2030-01-01, 2031-01-01");
      expect(next).toContain("mcpgen revision vocabulary 2031-01-01");
    }
  },
);

describe("a new revision", () => {
  const one = lockOf({ "2030-01-01": "released" });
  const two = lockOf({ "2030-01-01": "released", "2031-01-01": "released" });

  test("pins the previous vocabulary if it would change it", () => {
    expect(keptVocabulary({ revisions: one }, two)).toBe("2030-01-01");
    expect(keptVocabulary({ revisions: two, vocabulary: "2030-01-01" }, revisions)).toBe("2030-01-01");
  });

  test("does not pin it if there is nothing to keep", () => {
    expect(keptVocabulary({ revisions: new Map() }, one)).toBeUndefined();
    expect(keptVocabulary({ revisions: two }, two)).toBeUndefined();
    // It was added last.
    const older = lockOf({ "2030-01-01": "released", "2029-01-01": "released" });
    expect(keptVocabulary({ revisions: one }, older)).toBeUndefined();
    const draft = lockOf({ "2030-01-01": "released", next: "draft" });
    expect(keptVocabulary({ revisions: one }, draft)).toBeUndefined();
    // Nothing is written in a draft.
    expect(keptVocabulary({ revisions: lockOf({ a: "draft" }) }, lockOf({ a: "draft", b: "released" }))).toBe(
      undefined,
    );
  });
});

test("another change of the lock keeps the vocabulary", () => {
  const folder = folderWith("2030-01-01");
  writeFileSync(join(folder, "lock.json"), changedLock(folder, { extensions: new Map() }));
  expect(readVocabulary(folder)).toBe("2030-01-01");
  writeFileSync(join(folder, "lock.json"), changedLock(folder, { vocabulary: "2031-01-01" }));
  expect(readVocabulary(folder)).toBe("2031-01-01");
  expect(Object.keys(JSON.parse(readFileSync(join(folder, "lock.json"), "utf8")) as object)).toEqual([
    "format",
    "vocabulary",
    "revisions",
  ]);
});
