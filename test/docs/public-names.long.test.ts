import { readFileSync, readdirSync } from "node:fs";
import { Node, Project } from "ts-morph";
import { expect, test } from "vitest";
import { commands, globalOptions } from "../../generator/command/commands.js";
import { documentsIn, readmes } from "./documents.js";

const read = (file: string): string => readFileSync(file, "utf8");
const pages = ["README.md", ...["docs", "docs/guides", "docs/tasks"].flatMap(documentsIn)]
  .map(read)
  .join("\n");

interface Entry {
  readonly folder: string;
  /** The specifier, such as `@mcpgen/tasks/client`. */
  readonly name: string;
  /** The path of the source. */
  readonly source: string;
}

/** The entries with code that the packages export. */
const entries: readonly Entry[] = [
  "engine",
  "generated",
  ...readdirSync("runtime").map((name) => `runtime/${name}`),
].flatMap((folder) => {
  const { name, exports } = JSON.parse(read(`${folder}/package.json`)) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string | { readonly "mcpgen-source": string }>>;
  };
  return Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === "string"
      ? []
      : [{ folder, name: `${name}${entry.slice(1)}`, source: `${folder}/${target["mcpgen-source"]}` }],
  );
});

/** An entry as tables write it: `/<revision>/types`. An extension is named as a whole. */
function written({ folder, name }: Entry): string {
  const [, extension] = /^(.+\/extensions\/[^/]+\/[^/]+)\//.exec(name) ?? [];
  if (extension !== undefined) return extension;
  const own = (JSON.parse(read(`${folder}/package.json`)) as { readonly name: string }).name;
  const rest = name.slice(own.length).replace(/\d{4}-\d\d-\d\d/, "<revision>");
  return rest === "" ? "." : `\`${rest}\``;
}

test("each entry of a package is named in its README, in a page, or in docs/versioning.md as one of mcpgen's own", () => {
  expect(entries.length).toBeGreaterThan(100);
  const missing = entries.filter((entry) => {
    const text = `${read(`${entry.folder}/README.md`)}\n${pages}`;
    const word = written(entry);
    return word !== "." && !text.includes(word) && !new RegExp(`${entry.name}(?![\\w/-])`).test(text);
  });
  expect([...new Set(missing.map(({ name }) => name))]).toEqual([]);
});

/** Values that no page names, with the reason. docs/versioning.md promises those of its READMEs for `base` and `engine`. */
const unnamed: readonly (readonly [reason: string, ...names: string[]])[] = [
  ["generated code of contracts calls it", "addToTools", "toolCheck", "withDefaults", "withoutNulls"],
  [
    "the class of a value that a documented function returns or passes",
    "CodeFirstServer",
    "ServerConnection",
  ],
  [
    "the class of a value that a documented function returns or passes",
    "StreamChannel",
    "RevisionView",
    "HttpSession",
  ],
  ["the default of a documented option", "MemoryReplayStore", "tokenFolder"],
  ["the error of a documented function", "ReplayMismatch"],
  ["the command line calls it", "storedLogin", "inspectServer", "formatSession", "paramHeadersOf"],
  ["stores of clusters call it", "EventBatches", "EngineCalls", "logLimits"],
];

test("each value that a package exports is named in a page or a README, or in the list above", () => {
  const project = new Project({
    tsConfigFilePath: "runtime/core/tsconfig.json",
    compilerOptions: { customConditions: ["mcpgen-source"] },
  });
  const texts = `${pages}\n${readmes.map(read).join("\n")}`;
  const words = new Set(texts.match(/[\w$]+/g));
  const values = entries
    .filter(({ folder }) => folder.startsWith("runtime/") && folder !== "runtime/base")
    .flatMap(({ source }) => [...project.addSourceFileAtPath(source).getExportedDeclarations()])
    .filter(([, declarations]) =>
      declarations.some((each) => !Node.isInterfaceDeclaration(each) && !Node.isTypeAliasDeclaration(each)),
    )
    .map(([name]) => name);
  expect(values.length).toBeGreaterThan(150);
  const missing = new Set(values.filter((name) => !words.has(name)));
  expect([...missing].toSorted()).toEqual(unnamed.flatMap(([, ...names]) => names).toSorted());
});

/** Options of commands that are keys of the configuration, which docs/options.md has. */
const keys = ["schema", "package", "import-extension"];

test("docs/command-line.md lists each command, and a page names each option that `--help` shows", () => {
  const isNamed = (option: string): boolean => new RegExp(`--${option}(?![\\w-])`).test(pages);
  const options = [...commands, { options: globalOptions }].flatMap((command) =>
    Object.keys(command.options ?? {}),
  );
  expect([...new Set(options)].filter((option) => !isNamed(option))).toEqual(keys);
  const list = read("docs/command-line.md");
  const isListed = (name: string): boolean => new RegExp(`\`${name}(?![\\w-])`).test(list);
  expect(commands.map(({ name }) => name).filter((name) => !isListed(name))).toEqual([]);
});
