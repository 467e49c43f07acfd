import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadJson, parseJson } from "../../generator/files/json-file.js";
import { temporaryFolder } from "../support/temporary-folder.js";

/** The error for text that is not JSON, with line and column. */
async function problem(text: string): Promise<{ message: string; line?: number; column?: number }> {
  const error = await parseJson(text, "f.json").then(
    () => undefined,
    (reason: unknown) => reason as { code: string; message: string; place: object },
  );
  expect(error?.code, text.slice(0, 80)).toBe("MG1002");
  return { message: error!.message, ...error!.place };
}

test("a file is read as its text and its value", async () => {
  const file = join(temporaryFolder({ "a.json": '\ufeff{"__proto__": 1}\n' }), "a.json");
  const read = await loadJson(file);
  expect(read.text).toBe('{"__proto__": 1}\n');
  expect(Object.keys(read.value as object)).toEqual(["__proto__"]);
  expect(read.file).toBe(file);
});

describe("invalid JSON is reported with line and column", () => {
  test.each<[string, string, number, number, RegExp]>([
    ["an empty file", "", 1, 1, /empty file/],
    ["a blank file", "\n \n", 1, 1, /empty file/],
    ["text that breaks off", '{\n  "a": [1,\n', 2, 11, /end of the file/],
    ["a string that breaks off", '{\n  "a": "b', 2, 8, /end of string/],
    ["a trailing comma", '{\n  "a": 1,\n}', 3, 1, /got "}"/],
    ["a comment", '{\n // why\n "a": 1 }', 2, 2, /comment/],
    ["single quotes", "{ 'a': 1 }", 1, 3, /got "'a'/],
    ["a missing comma", '{"a": 1\n "b": 2}', 2, 2, /comma expected/],
    ["two values", '{"a": 1}\r\n{"b": 2}', 2, 1, /end of file expected/],
    ["a web page", "<!DOCTYPE html>", 1, 1, /got "</],
    ["undefined", '{"a": undefined}', 1, 7, /got "undefined/],
    ["a control character", '{"a": "\u0000"}', 1, 7, /invalid character/],
  ])("%s", async (_, text, line, column, message) => {
    const said = await problem(text);
    expect(said).toMatchObject({ line, column });
    expect(said.message).toMatch(message);
    expect(said.message).not.toMatch(/[\u0000-\u001f]/);
  });

  test("a file that breaks off at any place", async () => {
    const whole = '{"a": [1, {"b": "c\\n", "d": [true, null, -1.5e3]}],\n"e": {}}';
    for (let end = 1; end < whole.length; end++) {
      const text = whole.slice(0, end);
      const { line, column } = await problem(text);
      const offset = (line === 1 ? 0 : text.indexOf("\n") + 1) + column! - 1;
      // The place is the end, or the start of the token that is cut in two.
      expect(text.slice(offset), text).toMatch(/^\s*(?:"[^"]*|[-\w.]*)$/);
    }
  });

  test("text nested deeper than recursive parsers can go", async () => {
    const open = "[".repeat(200_000);
    expect(await problem(open)).toMatchObject({ line: 1, column: 200_001 });
    expect(await problem(`${open}\n1 2`)).toMatchObject({ line: 2, column: 3 });
  });
});

test("nesting itself does not make JSON invalid", async () => {
  const { value } = await parseJson("[".repeat(100_000) + "]".repeat(100_000), "f");
  expect(Array.isArray(value)).toBe(true);
});
