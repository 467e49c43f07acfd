import { expect, test } from "vitest";
import { parseStdioSource } from "../../../runtime/core/stdio/command.js";

test.each([
  ["stdio:npx -y server", ["npx", "-y", "server"]],
  ["  npx   server\t--x ", ["npx", "server", "--x"]],
  [`stdio:"C:\\Program Files\\a b.exe" 'x y'`, ["C:\\Program Files\\a b.exe", "x y"]],
  ["stdio:C:\\tools\\server.exe \\\\host\\share", ["C:\\tools\\server.exe", "\\\\host\\share"]],
  [`stdio:run --name="a b"c '' ""`, ["run", "--name=a bc", "", ""]],
  [`stdio:run "say \\"hi\\"" \\"x 'a\\"b'`, ["run", 'say "hi"', '"x', 'a\\"b']],
  ["stdio:run $HOME `id` $(id) ; rm * | x > y && z", "run $HOME `id` $(id) ; rm * | x > y && z".split(" ")],
  ["stdio:run 'it\"s'", ["run", 'it"s']],
  ["stdio:stdio:x", ["stdio:x"]],
])("%s is split into program and arguments", (source, command) => {
  expect(parseStdioSource(source)).toEqual(command);
});

test.each([
  ["stdio:", "there is no command"],
  ["stdio:   ", "there is no command"],
  ["stdio:'' x", "there is no command"],
  ["stdio:run 'x", "a quote (') is not closed"],
  ['stdio:run "x\\"', 'a quote (") is not closed'],
  ["stdio:run x\0y", "it contains NUL"],
])("%j is refused", (source, why) => {
  expect(() => parseStdioSource(source)).toThrow(
    expect.objectContaining({
      code: "spawn-failed",
      message: expect.stringContaining(why) as string,
    }) as Error,
  );
});
