import fc from "fast-check";
import { expect, test } from "vitest";
import { batchArguments } from "../../../runtime/core/stdio/command.js";
import { throughBatchFile } from "./cmd-exe.js";
import { cases } from "../../support/cases.mjs";

const variables = { CD: "C:\\work", PATH: "C:\\secret", CMDCMDLINE: "cmd" };

test.each([
  ["plain"],
  [""],
  ["two words"],
  ["C:\\my dir\\"],
  ["a&calc"],
  ['"&calc'],
  ['"&calc&"'],
  ['\\"&calc'],
  ['x" & calc & "y'],
  ["a|b>c<d^e(f)g"],
  ["%PATH%"],
  ["%CMDCMDLINE:~-1%&calc"],
  ['%PATH%" & calc %'],
  ["100%"],
  ["%%"],
  ["%cd:~,%"],
  ["!PATH!"],
  ["^&"],
  ["a\\\\b\\\\"],
  ['{"json":"a\\"b"}'],
])("%s arrives unchanged through cmd.exe", (argument) => {
  const args = batchArguments("C:\\Program Files\\npx.cmd", [argument, "next"]);
  expect(throughBatchFile(args, variables)).toEqual([argument, "next"]);
});

test("any text without a line end arrives unchanged, and has no operators", () => {
  const nasty = fc.string({ unit: fc.constantFrom(...'""\\\\%%&|<>^()! aPATHcd:~,') });
  fc.assert(
    fc.property(fc.array(nasty), (words) => {
      expect(throughBatchFile(batchArguments("C:\\100% & x\\npx.cmd", words), variables)).toEqual(words);
    }),
    { numRuns: cases(2000) },
  );
});

test("quoting only arguments with spaces lets operators through", () => {
  expect(() => throughBatchFile(["/s", "/c", '""npx.cmd" "a" & calc"'], variables)).toThrow("operator &");
  expect(throughBatchFile(["/s", "/c", '""npx.cmd" "%PATH%""'], variables)).toEqual(["C:\\secret"]);
});

test.each(["a\nb", "a\r", "\0", "x".repeat(9000)])(
  "an argument that cmd.exe cannot read is refused: %j",
  (argument) => {
    expect(() => batchArguments("npx.cmd", [argument])).toThrow(
      expect.objectContaining({ code: "spawn-failed" }) as Error,
    );
  },
);
