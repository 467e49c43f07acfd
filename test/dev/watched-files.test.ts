import { mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WatchedFiles } from "../../generator/dev/watched-files.js";
import { temporaryFolder } from "../support/temporary-folder.js";

function watchedFolder(files: Record<string, string>): { folder: string; watched: WatchedFiles } {
  const folder = temporaryFolder(files);
  const list = (): { files: string[]; folders: string[] } => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const paths = entries.map((entry) => [entry, join(entry.parentPath, entry.name)] as const);
    return {
      files: paths.flatMap(([entry, path]) => (entry.isFile() && path.endsWith(".txt") ? [path] : [])),
      folders: [folder, ...paths.flatMap(([entry, path]) => (entry.isDirectory() ? [path] : []))],
    };
  };
  const watched = new WatchedFiles(list);
  onTestFinished(() => watched.close());
  return { folder, watched };
}

test("sees a file that is written, saved by rename, added in a new folder, and removed", async () => {
  const { folder, watched } = watchedFolder({ "a.txt": "1", "b.txt": "1" });
  const [a, b, c] = ["a.txt", "b.txt", "new/c.txt"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  let change = watched.changes();
  writeFileSync(a, "2");
  expect(await change).toEqual([a]);

  // Editors save like this: they rename the old file and put the new one in its place.
  change = watched.changes();
  renameSync(b, `${b}~`);
  writeFileSync(`${b}.new`, "2");
  renameSync(`${b}.new`, b);
  expect(await change).toEqual([b]);

  change = watched.changes();
  mkdirSync(join(folder, "new"));
  writeFileSync(c, "1");
  expect(await change).toEqual([c]);
  change = watched.changes();
  rmSync(c);
  expect(await change).toEqual([c]);
});

test("a file that is emptied before it is written is one change; one that stays empty is a change, too", async () => {
  const { folder, watched } = watchedFolder({ "a.txt": "1", "b.txt": "1" });
  const [a, b] = [join(folder, "a.txt"), join(folder, "b.txt")];
  writeFileSync(a, "");
  let change = watched.changes();
  writeFileSync(a, "2");
  expect(await change).toEqual([a]);
  change = watched.changes();
  writeFileSync(b, "");
  expect(await change).toEqual([b]);
});

test("a touched file and files that the program wrote itself do not count as changes; close ends the wait", async () => {
  const { folder, watched } = watchedFolder({ "a.txt": "1", "b.txt": "1" });
  const [a, b] = [join(folder, "a.txt"), join(folder, "b.txt")];
  utimesSync(a, new Date(0), new Date(0));
  writeFileSync(b, "own");
  watched.accept([b]);
  const change = watched.changes();
  writeFileSync(a, "2");
  expect(await change).toEqual([a]);
  const last = watched.changes();
  watched.close();
  expect(await last).toEqual([]);
});
