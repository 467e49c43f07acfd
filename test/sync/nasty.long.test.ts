import fc from "fast-check";
import { expect, test } from "vitest";
import type { SyncContract } from "../../generator/sync/file-work.js";
import { noExports, serverExports } from "../../generator/sync/meanings.js";
import { syncFile } from "../../generator/sync/sync-file.js";
import type { Wanted } from "../../generator/sync/wanted.js";
import { nastyFile, offered } from "./nasty-file.js";
import { cases } from "../support/cases.mjs";

const contracts: readonly SyncContract[] = [
  {
    file: "nasty.yaml",
    wanted: new Map(Object.entries(offered)) as Wanted,
    lookIn: (specifier) => (specifier === "./generated/server.js" ? serverExports : noExports),
    anywhere: `import("./generated/server.js").Handlers`,
  },
  {
    file: "other.yaml",
    wanted: new Map([["tools", offered.tools]]) as Wanted,
    lookIn: (specifier) => (specifier === "./other/server.js" ? serverExports : noExports),
    anywhere: `import("./other/server.js").Handlers`,
  },
];

/** `text` without the inserted ranges. */
function withoutInsertions(text: string, insertions: readonly { at: number; text: string }[]): string {
  let result = "";
  let from = 0;
  let shift = 0;
  for (const { at, text: inserted } of insertions) {
    result += text.slice(from, at + shift);
    expect(text.slice(at + shift, at + shift + inserted.length)).toBe(inserted);
    shift += inserted.length;
    from = at + shift;
  }
  return result + text.slice(from);
}

// A file costs as much as fifty of the small values that other properties draw.
const runs = cases(1000);

test(`${runs} nasty files: all missing code is inserted once, and nothing else`, () => {
  fc.assert(
    fc.property(nastyFile, ({ file, text, missing, open, strays }) => {
      const synced = syncFile(text, file, contracts);
      expect(synced.missing.map(({ section, name }) => `${section} ${name}`).sort()).toEqual(missing);
      expect(synced.findings.filter(({ code }) => code === "MG6503").length).toBe(open);
      const named = synced.findings.filter(({ code }) => code === "MG6502");
      expect(
        named.map(({ message }) => JSON.parse(message.slice(message.indexOf('"'))) as string).sort(),
      ).toEqual(strays);
      expect(synced.findings.length).toBe(open + strays.length);
      expect(withoutInsertions(synced.text, synced.insertions)).toBe(text);
      expect(synced.insertions.length > 0).toBe(missing.length > 0);
      const again = syncFile(synced.text, file, contracts);
      expect([again.text, again.insertions]).toEqual([synced.text, []]);
      expect(again.findings.length).toBe(synced.findings.length);
    }),
    { numRuns: runs },
  );
});

test("a file that breaks off anywhere is completed, or not changed", () => {
  fc.assert(
    fc.property(nastyFile, fc.double({ min: 0.3, max: 1, noNaN: true }), ({ file, text }, part) => {
      const cut = text.slice(0, Math.floor(text.length * part));
      const synced = syncFile(cut, file, contracts);
      expect(withoutInsertions(synced.text, synced.insertions)).toBe(cut);
      if (synced.findings.some(({ code }) => code === "MG6504")) expect(synced.text).toBe(cut);
      expect(syncFile(synced.text, file, contracts).insertions).toEqual([]);
    }),
    { numRuns: Math.ceil(runs / 4) },
  );
});
