import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { mostBytes, pictures, picturesFolder, storedPictures } from "../../scripts/pictures/pictures.js";
import { documentsOf } from "../../scripts/site/documents.js";

/** The pictures that a document names, by their path in the repository. */
function namedIn(file: string): string[] {
  const names = /(?:\bsrc(?:set)?="|!\[[^\]]*\]\()([^"\s)]+)/g;
  return [
    ...readFileSync(file, "utf8")
      .replace(/^```[^]*?^```/gm, "")
      .matchAll(names),
  ]
    .map(([, name]) => name!)
    .filter((name) => !/^https?:/.test(name))
    .map((name) => posix.join(posix.dirname(file), name));
}

test("the script takes the pictures of the folder, and they are small", () => {
  const stored = storedPictures();
  expect([...stored.keys()]).toEqual(pictures.map(({ file }) => `${picturesFolder}/${file}`).sort());
  // RIFF….WEBP
  for (const [file, bytes] of stored)
    expect([file, bytes.toString("latin1", 0, 4), bytes.toString("latin1", 8, 12)]).toEqual([
      file,
      "RIFF",
      "WEBP",
    ]);
  expect([...stored.values()].reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(mostBytes);
});

test("documents name each picture and no other, and README.md shows the page of dev in both themes", () => {
  const stored = storedPictures();
  const named = documentsOf(".").flatMap(({ file }) => namedIn(file));
  expect([...new Set(named)].sort()).toEqual([...stored.keys()]);
  expect(namedIn("README.md")).toEqual([`${picturesFolder}/dev-dark.webp`, `${picturesFolder}/dev.webp`]);
});
