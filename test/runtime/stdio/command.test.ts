import { expect, test } from "vitest";
import { invocationOf } from "../../../runtime/core/stdio/command.js";

const files = [
  "C:\\node\\node.exe",
  "C:\\node\\npx",
  "C:\\node\\npx.cmd",
  "C:\\Program Files\\Tool\\run.bat",
  "C:\\tools\\uvx.exe",
  "C:\\work\\local.cmd",
  "C:\\work\\npx.exe",
  "C:\\work\\sub\\server.cmd",
  "C:\\tools\\x.bat. ",
];

function onWindows(command: string, args: readonly string[] = [], environment = {}): unknown {
  return invocationOf({
    command,
    args,
    platform: "win32",
    environment: {
      Path: 'C:\\node;"C:\\Program Files\\Tool";.;;C:\\tools',
      PathExt: ".COM;.EXE;.BAT;.CMD",
      SystemRoot: "D:\\Windows",
      ...environment,
    },
    directory: "C:\\work",
    exists: (path) => files.some((file) => file.toLowerCase() === path.toLowerCase()),
  });
}

const cmd = (line: string) => ({
  file: "D:\\Windows\\System32\\cmd.exe",
  args: ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`],
  verbatim: true,
});

test.each([
  ["npx", ["-y", "a b"], cmd('"C:\\node\\npx.cmd" "-y" "a b"')],
  ["NPX.CMD", [], cmd('"C:\\node\\NPX.CMD"')],
  ["run", ["x"], cmd('"C:\\Program Files\\Tool\\run.bat" "x"')],
  ["node", ["a&b"], { file: "C:\\node\\node.exe", args: ["a&b"], verbatim: false }],
  ["uvx", [], { file: "C:\\tools\\uvx.exe", args: [], verbatim: false }],
  ["sub\\server", [], cmd('"C:\\work\\sub\\server.cmd"')],
  ["./local.cmd", [], cmd('"C:\\work\\local.cmd"')],
  ["C:/tools/uvx.exe", [], { file: "C:\\tools\\uvx.exe", args: [], verbatim: false }],
  // Not from the working directory, which no entry of PATH names by an absolute path.
  ["local", [], { file: "local", args: [], verbatim: false }],
  ["missing", ["a"], { file: "missing", args: ["a"], verbatim: false }],
  // Windows ignores dots and spaces at the end of names.
  ["C:\\tools\\x.bat. ", [], cmd('"C:\\tools\\x.bat. "')],
  // cmd.exe would look for it in the working directory.
  ["local.cmd", [], { file: "local.cmd", args: [], verbatim: false }],
])("%s on Windows", (command, args, invocation) => {
  expect(onWindows(command, args)).toEqual(invocation);
});

test("the extensions of PATHEXT are tried in their order, and no others", () => {
  expect(onWindows("npx", [], { PathExt: ".EXE" })).toMatchObject({ file: "npx" });
});

test("on other systems, the system searches itself, and arguments are not quoted", () => {
  const exists = (): boolean => {
    throw new Error("not asked");
  };
  expect(
    invocationOf({
      command: "npx",
      args: ["$HOME", "a b"],
      platform: "linux",
      environment: {},
      directory: "/",
      exists,
    }),
  ).toEqual({ file: "npx", args: ["$HOME", "a b"], verbatim: false });
});
