import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { exitCodes } from "../../generator/command/command.js";
import { commands, globalOptions, groups, parserCommands } from "../../generator/command/commands.js";
import { parseCommandLine } from "../../generator/command/main.js";
import { mcpgen } from "../support/in-process.js";

interface Value {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly type: string;
  readonly required?: true;
  readonly repeatable?: true;
  readonly choices?: readonly string[];
  readonly default?: string;
  readonly conflicts?: readonly string[];
  readonly implies?: readonly string[];
  readonly description: string;
}

interface Help {
  readonly commands: readonly {
    readonly name: string;
    readonly path: readonly string[];
    readonly usage: string;
    readonly purpose: string;
    readonly positionals: readonly Value[];
    readonly options: readonly Value[];
    readonly examples: readonly { readonly line: string; readonly description: string }[];
  }[];
  readonly options: readonly Value[];
  readonly exitCodes: readonly { readonly code: number; readonly codes: readonly string[] }[];
}

const matches = new Ajv2020({ strict: true, strictRequired: false }).compile(
  JSON.parse(readFileSync("docs/help.schema.json", "utf8")) as object,
);

/** The document of a command line, which is all of standard output. */
async function helpOf(...words: readonly string[]): Promise<Help> {
  const { code, stdout, stderr } = await mcpgen(".", [...words, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  const help: unknown = JSON.parse(stdout);
  expect(matches(help), JSON.stringify(matches.errors)).toBe(true);
  return help as Help;
}

/** The text of a help, where each row of its tables is one line. */
async function textOf(...words: readonly string[]): Promise<string> {
  const { stdout } = await mcpgen(".", [...words, "--help"]);
  return stdout.replace(/\n {12,}(?=\S)|\n +(?=\[)/g, " ");
}

/** What a text says of its options: the names, the letters, the type and the choices, by name. */
function optionsIn(text: string): Map<string, object> {
  const rows = text.matchAll(/^ +(?:(-\w), )?(--[\w-]+) (.*)$/gm);
  return new Map(
    [...rows].map(([, letter, name, rest]) => {
      const [, type, choices] = /\[(boolean|string|array)\](?: \[required\])?(?: \[choices: (.*)\])?/.exec(
        rest!,
      )!;
      const aliases = letter === undefined ? [] : [letter];
      return [
        name!,
        {
          aliases,
          type,
          choices: [...(choices ?? "").matchAll(/"(.*?)"/g)].map(([, c]) => c!).sort(),
          required: rest!.includes("[required]"),
        },
      ];
    }),
  );
}

const everyCommand = [...commands, ...parserCommands];
const all = await helpOf("--help");

test("--help --json describes every command, group option and exit code", () => {
  expect(all.commands.map(({ name }) => name)).toEqual(everyCommand.map(({ name }) => name));
  expect(all.options.map(({ name }) => name)).toEqual(
    [...Object.keys(globalOptions), "help", "version"].map((name) => `--${name}`),
  );
  expect(all.exitCodes.map(({ code }) => code)).toEqual([...exitCodes.keys()]);
  expect(all.exitCodes.find(({ code }) => code === 4)!.codes).toContain("MG4102");
});

describe.each(everyCommand.map(({ name }) => name))("%s", (name) => {
  const path = name.split(" ");
  const command = all.commands.find((each) => each.name === name)!;

  test("its help is that of --help --json, and its alone", async () => {
    for (const words of [
      [...path, "--help"],
      [...path, "-h", "--format=json"],
      ["help", ...path],
      // Options may stand before and after each word.
      ["--quiet", "help", ...path],
      ["--color", "never", "help", "--format", "json", ...path],
      ["-v", "--color=never", ...path, "--config", "x", "--help"],
    ])
      expect(await helpOf(...words)).toEqual(name === "help" ? all : { ...all, commands: [command] });
  });

  test("its JSON has the options, arguments, examples and texts of the help for people", async () => {
    const text = await textOf(...path);
    const options = new Map([...all.options, ...command.options].map((each) => [each.name, each]));
    const facts = [...options].map(([option, { aliases = [], type, repeatable, choices = [], required }]) => [
      option,
      {
        aliases,
        type: repeatable ? "array" : type,
        choices: [...choices].sort(),
        required: required === true,
      },
    ]);
    expect(Object.fromEntries(optionsIn(text))).toEqual(Object.fromEntries(facts));
    const words = text.replace(/\s+/g, " ");
    // The help of `help` is that of the program.
    for (const { description } of [...(name === "help" ? [] : command.positionals), ...options.values()])
      expect(words).toContain(description);
    expect(words).toContain(command.usage);
    expect(words).toContain(command.purpose);
    for (const { line, description } of command.examples)
      expect(text).toContain(`  # ${description}\n  ${line}\n`);
  });

  test("its examples are command lines that it reads", async () => {
    for (const { line } of command.examples) {
      const words = [...line.matchAll(/'([^']*)'|((?:"[^"]*"|[^\s"'])+)/g)].map(
        ([, single, plain]) => single ?? plain!.replaceAll('"', ""),
      );
      const read = await parseCommandLine(words.slice(1), "", () => {});
      expect([words[0], read?.command.name], line).toEqual(["mcpgen", name]);
    }
  });

  test("options that exclude or need each other are refused as its JSON says", async () => {
    const every = [...all.options, ...command.options];
    const given = (name: string): string[] =>
      every.find((each) => each.name === name)!.type === "boolean" ? [name] : [`${name}=${valueOf(name)}`];
    const valueOf = (name: string): string => every.find((each) => each.name === name)!.choices?.[0] ?? "x";
    const required = [
      ...command.positionals.filter((each) => each.required).map(({ choices = ["x"] }) => choices[0]!),
      ...command.options.filter((each) => each.required).flatMap(({ name: option }) => given(option)),
    ];
    const refused = async (words: readonly string[]): Promise<string> => {
      const { code, stderr } = await mcpgen(".", [...path, ...required, ...words]);
      expect(code).toBe(2);
      return stderr;
    };
    // `help` prints the help whatever the options.
    for (const { name: one, conflicts = [], implies = [] } of name === "help" ? [] : every) {
      for (const other of conflicts) {
        const words = new Set([one, other]);
        // The set grows while it is read: options that are needed may need others.
        for (const each of words)
          for (const needed of every.find(({ name: own }) => own === each)!.implies ?? []) words.add(needed);
        expect(await refused([...words].flatMap(given))).toMatch(
          new RegExp(`MG2005: (?:${one} and ${other}|${other} and ${one}) exclude each other`),
        );
      }
      for (const other of implies)
        expect(await refused(given(one))).toContain(
          `MG2005: ${one} needs ${other}\n  → Give ${other}, too, or leave ${one} out.`,
        );
    }
  });

  test("a default and a variable that a description names have members", () => {
    for (const { description, default: fallback, ...rest } of [...command.positionals, ...command.options]) {
      expect(fallback !== undefined, description).toBe(/\bdefault\b/.test(description));
      expect("variable" in rest, description).toBe(description.includes("(MCPGEN_"));
    }
  });
});

test.each([...groups.keys()])("the help of the group %s has its commands", async (group) => {
  const { commands: own } = await helpOf(group, "--help");
  expect(own).toEqual(all.commands.filter(({ path }) => path.length === 2 && path[0] === group));
  const text = await textOf(group);
  for (const { usage } of own) expect(text).toContain(`  ${usage} `);
});

test("the trust option has a variable", () => {
  expect(all.options.find(({ name }) => name === "--trust")).toMatchObject({ variable: "MCPGEN_TRUST" });
});

test.each([["--version"], ["completion"], ["completion", "fish"]])(
  "%s %s prints JSON where JSON is asked",
  async (...words) => {
    const { stdout } = await mcpgen(".", words);
    const { code, stdout: json } = await mcpgen(".", [...words, "--json"]);
    const value =
      words[0] === "completion"
        ? { command: "completion", script: stdout.trimEnd() }
        : { command: "version", version: stdout.trim() };
    const document = JSON.parse(json) as { readonly script?: string };
    expect({ ...document, ...(document.script && { script: document.script.trimEnd() }) }).toEqual({
      format: 1,
      exit: 0,
      findings: [],
      ...value,
    });
    expect(code).toBe(0);
  },
);

test("a shell that asks for completions of a line with --json gets words", async () => {
  const { stdout } = await mcpgen(".", ["--get-yargs-completions", "check", "--json", "--up"]);
  expect(stdout.split("\n")).toContain("--upstream");
});
