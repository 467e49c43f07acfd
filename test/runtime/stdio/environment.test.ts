import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { childEnvironment, safeVariables } from "../../../runtime/core/stdio/client-options.js";

const from = { PATH: "/bin", HOME: "/home/a", API_KEY: "secret", SHELL: "() { :; }; evil", LANG: undefined };

test("only safe variables are inherited, but not functions of a shell", () => {
  expect(childEnvironment({ platform: "linux", from, inherit: "safe" })).toEqual({
    PATH: "/bin",
    HOME: "/home/a",
  });
});

test("`all` inherits every variable", () => {
  expect(childEnvironment({ platform: "linux", from, inherit: "all" })).toEqual({
    PATH: "/bin",
    HOME: "/home/a",
    API_KEY: "secret",
    SHELL: "() { :; }; evil",
  });
});

test("added variables replace inherited ones, and undefined removes them", () => {
  expect(
    childEnvironment({
      platform: "linux",
      from,
      inherit: "safe",
      add: { PATH: "/mine", HOME: undefined, Path: "other" },
    }),
  ).toEqual({ PATH: "/mine", Path: "other" });
});

test("on Windows names are the same in any case", () => {
  expect(
    childEnvironment({
      platform: "win32",
      from: { Path: "C:\\bin", AppData: "C:\\data", Api_Key: "secret", TEMP: "C:\\tmp" },
      inherit: "safe",
      add: { PATH: "C:\\mine", temp: undefined },
    }),
  ).toEqual({ PATH: "C:\\mine", AppData: "C:\\data" });
});

test("the manual lists the inherited variables", () => {
  const manual = readFileSync("docs/stdio.md", "utf8");
  const named = (platform: string): string[] =>
    new RegExp(`^- ${platform}: ((?:.|\\n )+)$`, "m").exec(manual)![1]!.split(/,\s+/);
  expect(named("POSIX")).toEqual(safeVariables.posix);
  expect(named("Windows")).toEqual(safeVariables.windows);
});
