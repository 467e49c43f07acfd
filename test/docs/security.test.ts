import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../../generator/command/commands.js";

const page = readFileSync("docs/security.md", "utf8");

/** The rows of a table by its heading: cells as they are written. */
function rowsOf(heading: string): string[][] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const lines = section
    .split(/\n## /)[0]!
    .split("\n")
    .filter((line) => /^\|[^-]/.test(line));
  return lines.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const [header, ...rows] = rowsOf("What each command does");
/** The commands of a row, with the options that it is about. */
const named = rows.map(([cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, words]) => words!));
const names = commands.map(({ name }) => name);
const commandOf = (words: string): string | undefined =>
  names.find((name) => words === name || words.startsWith(`${name} --`));

test("the table has a row for each command, and its cells are filled", () => {
  expect(header).toEqual(["command", "reads", "runs", "sends", "writes", "needs trust for"]);
  const described = named.flat().map(commandOf);
  for (const name of names) expect(described).toContain(name);
  for (const row of rows) {
    expect(row).toHaveLength(6);
    for (const cell of row) expect(cell).not.toBe("");
  }
});

test("options in the table are options of their command", () => {
  for (const words of named.flat()) {
    const command = commands.find(({ name }) => name === commandOf(words));
    for (const [, option] of words.matchAll(/--([\w-]+)/g))
      expect(Object.keys(command?.options ?? {})).toContain(option);
  }
  const cells = rows.map(([first = "", ...more]) => [first, more.join(" ")] as const);
  for (const [first, more] of cells) {
    const allowed = [...first.matchAll(/`([^`]+)`/g)].flatMap(([, words]) =>
      Object.keys(commands.find(({ name }) => name === commandOf(words!))?.options ?? {}),
    );
    for (const [, option] of more.matchAll(/`--([\w-]+)`/g))
      expect([first, allowed]).toEqual([first, expect.arrayContaining([option])]);
  }
});

test("SECURITY.md says how to report, and which versions are supported", () => {
  const text = readFileSync("SECURITY.md", "utf8");
  const { version, repository } = JSON.parse(readFileSync("package.json", "utf8")) as {
    version: string;
    repository: { url: string };
  };
  expect(text).toContain(`${version.replace(/\.\d+$/, "")}.x`);
  expect(text).toContain(`${repository.url.replace(/^git\+|\.git$/g, "")}/security/advisories/new`);
});

test("the row of an option that writes nothing shows that", () => {
  const alone = commands.flatMap(({ name, options = {} }) =>
    Object.entries(options).flatMap(([option, { description }]) =>
      description?.endsWith("write nothing") ? [`${name} --${option}`] : [],
    ),
  );
  const described = rows.filter(([first = ""]) => alone.some((words) => first.includes(words)));
  expect(described.map(([first]) => first)).toContain("`upgrade --try`");
  for (const row of described) expect(row[4]).toBe("–");
});
