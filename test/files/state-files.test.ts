import { chmodSync, chownSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { StateFiles, stateFolder } from "../../generator/files/state-files.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

function state(): {
  readonly base: string;
  readonly env: { XDG_STATE_HOME: string };
  readonly files: StateFiles;
} {
  const base = temporaryFolder();
  const env = { XDG_STATE_HOME: base };
  return { base, env, files: new StateFiles(env, "trust") };
}

test("a written value can be read, by this user only, and removed", () => {
  const { base, files } = state();
  expect(files.read("a.json")).toBeUndefined();
  expect(files.names()).toEqual([]);
  files.delete("a.json");
  expect(readdirSync(base)).toEqual([]);
  files.write("a.json", "one");
  files.write("a.json", "two");
  files.in("deep").write("b.json", "three");
  expect(files.read("a.json")).toBe("two");
  expect(files.in("deep").read("b.json")).toBe("three");
  expect(files.names().sort()).toEqual(["a.json", "deep"]);
  expect(readFileSync(join(base, "mcpgen/trust/a.json"), "utf8")).toBe("two");
  if (process.platform !== "win32") {
    for (const folder of ["mcpgen", "mcpgen/trust", "mcpgen/trust/deep"])
      expect(modeOf(join(base, folder))).toBe("700");
    expect(modeOf(join(base, "mcpgen/trust/a.json"))).toBe("600");
  }
  files.delete("a.json");
  expect(files.read("a.json")).toBeUndefined();
});

describe.skipIf(process.platform === "win32")("files that other users could have written are refused", () => {
  const unsafe = expect.objectContaining({ code: "MG3008" }) as Error;

  test("a link in the place of a folder", () => {
    const { base, files } = state();
    const elsewhere = temporaryFolder({ "trust/a.json": "planted" });
    symlinkSync(elsewhere, join(base, "mcpgen"));
    for (const act of [() => files.read("a.json"), () => files.write("a.json", "x"), () => files.names()])
      expect(act).toThrow(unsafe);
    expect(readFileSync(join(elsewhere, "trust/a.json"), "utf8")).toBe("planted");
  });

  test("a link in the place of a file is not read, and replaced when written", () => {
    const { base, files } = state();
    const elsewhere = temporaryFolder({ "a.json": "planted" });
    files.write("b.json", "b");
    symlinkSync(join(elsewhere, "a.json"), join(base, "mcpgen/trust/a.json"));
    expect(() => files.read("a.json")).toThrow(expect.objectContaining({ code: "MG1001" }) as Error);
    files.write("a.json", "ours");
    expect(files.read("a.json")).toBe("ours");
    expect(readFileSync(join(elsewhere, "a.json"), "utf8")).toBe("planted");
  });

  test("a file that every user may change", () => {
    const { base, files } = state();
    files.write("a.json", "a");
    chmodSync(join(base, "mcpgen/trust/a.json"), 0o666);
    expect(() => files.read("a.json")).toThrow(unsafe);
  });

  test("a folder above that every user may change", () => {
    const { base, files } = state();
    chmodSync(base, 0o777);
    expect(() => files.write("a.json", "a")).toThrow(unsafe);
    chmodSync(base, 0o1777);
    files.write("a.json", "a");
  });

  test.skipIf(process.getuid?.() !== 0)("the folder of another user; only root can give one away", () => {
    const { base, files } = state();
    files.write("a.json", "planted");
    chownSync(join(base, "mcpgen/trust"), 65534, 65534);
    for (const act of [() => files.read("a.json"), () => files.write("a.json", "x"), () => files.names()])
      expect(act).toThrow(unsafe);
    chownSync(join(base, "mcpgen/trust"), 0, 0);
    chownSync(join(base, "mcpgen/trust/a.json"), 65534, 65534);
    expect(() => files.read("a.json")).toThrow(unsafe);
  });
});

test("relative paths in variables count as absent", () => {
  const home = temporaryFolder();
  expect(stateFolder({ XDG_STATE_HOME: "state", HOME: home })).toBe(join(home, ".local/state/mcpgen"));
  expect(stateFolder({ XDG_STATE_HOME: "/s", HOME: "h" })).toBe("/s/mcpgen");
});
