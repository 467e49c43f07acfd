import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WriteRoot } from "../../generator/files/held-folder.js";
import { writeFileSets, writeFiles } from "../../generator/files/writer.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { contents } from "./contents.js";

const before = { "a.txt": "old a", "b.txt": "old b", "deep/c.txt": "old c" };
const changes = [
  { path: "a.txt", content: "new a" },
  { path: "deep/er/new.txt", content: "new" },
  { path: "deep/c.txt", content: null },
  { path: "b.txt", content: "new b" },
];
const after = { "a.txt": "new a", "b.txt": "new b", "deep/er/new.txt": "new" };

const write = (folder: string, all = changes as readonly { path: string; content: string | null }[]): void =>
  writeFiles(WriteRoot.project(folder), all);
const coded = (code: string) => expect.objectContaining({ code }) as Error;

test("all changes are made, and nothing else is left behind", () => {
  const folder = temporaryFolder(before);
  write(folder);
  expect(contents(folder)).toEqual(after);
  write(folder, [{ path: "deep/er/new.txt", content: null }]);
  expect(readdirSync(folder).sort()).toEqual(["a.txt", "b.txt"]);
});

test("a failure in the middle leaves every file unchanged, in all folders", () => {
  const folder = temporaryFolder(before);
  const other = temporaryFolder(before);
  mkdirSync(join(other, "taken/x"), { recursive: true });
  const sets = [
    { root: WriteRoot.project(folder), changes },
    { root: WriteRoot.project(other), changes: [...changes, { path: "taken", content: "x" }] },
  ];
  expect(() => writeFileSets(sets)).toThrow(coded("MG3002"));
  expect(contents(folder)).toEqual(before);
  expect(contents(other)).toEqual(before);
  expect(readdirSync(folder).sort()).toEqual(["a.txt", "b.txt", "deep"]);
});

test("a file in the place of a folder is reported, and nothing is changed", () => {
  const folder = temporaryFolder({ ...before, file: "in the way" });
  expect(() => write(folder, [...changes, { path: "file/below", content: "x" }])).toThrow(coded("MG3002"));
  expect(contents(folder)).toEqual({ ...before, file: "in the way" });
});

describe("temporary files that runs have left", () => {
  test("of a dead process are removed, whatever they contain; others stay", () => {
    const dead = ".mcpgen-write-4194999-0123456789ab";
    const folder = temporaryFolder({
      ...before,
      [dead]: "left",
      ".mcpgen-write-4194999": "of an earlier version",
      [`deep/${dead}`]: "left",
    });
    mkdirSync(join(folder, ".mcpgen-write-4194998-0123456789ab"));
    symlinkSync("/etc/passwd", join(folder, ".mcpgen-write-4194997-0123456789ab"));
    write(folder);
    expect(contents(folder)).toEqual({ ...after, ".mcpgen-write-4194999": "of an earlier version" });
    expect(readFileSync("/etc/passwd", "utf8")).not.toBe("");
  });

  test("a run that is writing is waited for", async () => {
    const folder = temporaryFolder(before);
    const writing = `const file = ${JSON.stringify(folder)} + "/.mcpgen-write-" + process.pid + "-0123456789ab";
      fs.writeFileSync(file, "");
      console.log("writing");
      setTimeout(() => fs.rmSync(file), 50);`;
    const child = spawn(process.execPath, ["-e", writing], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    write(folder);
    expect(contents(folder)).toEqual(after);
  });

  test("a run that is still alive is not disturbed", () => {
    const folder = temporaryFolder({ ...before, [`.mcpgen-write-${process.ppid}-0123456789ab`]: "" });
    expect(() => write(folder)).toThrow(/another run of mcpgen \(process \d+\) is writing here/);
    expect(contents(folder)["a.txt"]).toBe("old a");
  });
});

test.skipIf(process.getuid?.() === 0)("a folder that may not be written is reported", () => {
  const folder = temporaryFolder(before);
  chmodSync(folder, 0o500);
  expect(() => write(folder)).toThrow(/cannot write/);
  chmodSync(folder, 0o700);
});

test.skipIf(process.platform === "win32")(
  "a file keeps its rights; only its user can access a private one",
  () => {
    const folder = temporaryFolder({ "run.ts": "old", "log.txt": "old" });
    chmodSync(join(folder, "run.ts"), 0o755);
    chmodSync(join(folder, "log.txt"), 0o644);
    writeFiles(WriteRoot.project(folder), [
      { path: "run.ts", content: "new" },
      { path: "log.txt", content: "new", isPrivate: true },
      { path: "new.txt", content: "new", isPrivate: true },
    ]);
    const modes = ["run.ts", "log.txt", "new.txt"].map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(modes).toEqual([0o755, 0o600, 0o600]);
  },
);

describe("only below the root", () => {
  test.each([
    "../x",
    "a/../../x",
    "/tmp/x",
    "a//b",
    "",
    ".",
    "a\\b",
    "c:x",
    "a\0b",
    ".git/config",
    "a/.GIT/x",
    "git~1/x",
    ".git./x",
    ".g\u200cit/x",
  ])("the path %j is refused", (path) => {
    const folder = temporaryFolder(before);
    for (const content of ["x", null])
      expect(() => write(folder, [{ path, content }])).toThrow(coded("MG3002"));
    expect(contents(folder)).toEqual(before);
  });

  test.each(["file", "folder", "dangling"])("a link is not followed: %s", (kind) => {
    const elsewhere = temporaryFolder({ "target.txt": "theirs", "sub/x.txt": "theirs" });
    const folder = temporaryFolder(before);
    const [target, path] = {
      file: ["target.txt", "link"],
      folder: ["sub", "link/x.txt"],
      dangling: ["none", "link"],
    }[kind] as [string, string];
    symlinkSync(join(elsewhere, target), join(folder, "link"));
    for (const content of ["ours", null])
      expect(() => write(folder, [...changes, { path, content }])).toThrow(/got a symbolic link/);
    expect(contents(elsewhere)).toEqual({ "target.txt": "theirs", "sub/x.txt": "theirs" });
    expect(existsSync(join(elsewhere, "none"))).toBe(false);
    expect(contents(folder)).toEqual(before);
  });
});

describe("the root", () => {
  test("of the project is the root of the Git repository, or the folder of the configuration", () => {
    const folder = temporaryFolder({ "repo/.git/config": "", "repo/packages/a/x": "" });
    const inside = join(folder, "repo/packages/a");
    expect(WriteRoot.ofProject(join(folder, "repo/packages/b"), inside).folder).toBe(
      join(folder, "repo/packages/b"),
    );
    for (const out of [join(folder, "repo2"), folder, "/"])
      expect(() => WriteRoot.ofProject(out, inside)).toThrow(coded("MG3009"));
    expect(WriteRoot.ofProject(join(folder, "repo2"), inside, { force: true }).folder).toBe(
      join(folder, "repo2"),
    );
    expect(() => WriteRoot.ofProject(join(folder, "repo/.git/hooks"), inside)).toThrow(coded("MG3002"));
    const alone = temporaryFolder({ "a/x": "", "b/x": "" });
    expect(() => WriteRoot.ofProject(join(alone, "b"), join(alone, "a"))).toThrow(coded("MG3009"));
  });

  test("named by the user allows links outside of the project, but not inside", () => {
    const elsewhere = temporaryFolder();
    const folder = temporaryFolder();
    mkdirSync(join(folder, "project"));
    symlinkSync(elsewhere, join(folder, "mine"));
    symlinkSync(elsewhere, join(folder, "project/theirs"));
    const project = join(folder, "project");
    writeFiles(WriteRoot.named(join(folder, "mine"), project), [{ path: "a.txt", content: "a" }]);
    expect(contents(elsewhere)).toEqual({ "a.txt": "a" });
    expect(() =>
      writeFiles(WriteRoot.named(join(project, "theirs"), project), [{ path: "b.txt", content: "b" }]),
    ).toThrow(coded("MG3002"));
    expect(() => WriteRoot.named(join(folder, "other/.git/hooks"), project)).toThrow(coded("MG3002"));
    expect(contents(elsewhere)).toEqual({ "a.txt": "a" });
  });
});
