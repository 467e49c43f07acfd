import { existsSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { filesOf, git } from "../gate/changes.js";
import { filesBelow, importsOf, type Import } from "./imports.js";
import { circlesOf, upwardsOf } from "./order.js";
import { type SourceFacts, factsOf } from "./source-facts.js";
import { type Trip, callTrip, commandTrip, generateTrip } from "./trips/trips.js";

/** A bar: a count in the project that should be as small as possible. */
export interface Figure {
  readonly key: string;
  readonly title: string;
  readonly value: number;
  readonly goal: number;
  /** A count up to this much higher is not reported. */
  readonly tolerance: number;
  /** The code to use, or the step to take, instead of adding one more. */
  readonly owner: string;
  /** The count for each place: a file, or a place in words. */
  readonly places: ReadonlyMap<string, number>;
}

type Rule = Omit<Figure, "key" | "value">;

/**
 * Returns all bars of the project in the current folder. It takes seconds, because it reads every source file
 * and makes three trips.
 */
export function figures(): Figure[] {
  return [...structure(), ...trips(), ...surface(), ...history()];
}

/**
 * Returns the bars that depend only on source files: those in `engine`, `generator` and `runtime` below the
 * folder.
 */
export function structure(root = "."): Figure[] {
  const within = (file: string): string => relative(root, file).split(sep).join("/");
  const found = ["engine", "generator", "runtime"].flatMap((folder) => filesBelow(join(root, folder)));
  const files = found.map(within);
  const facts = new Map(found.map((file) => [within(file), factsOf(readFileSync(file, "utf8"))]));
  const imports = importsOf(found).map((one) => ({ ...one, from: within(one.from), to: within(one.to) }));
  const counted = (member: keyof SourceFacts, isCounted: (file: string) => boolean): Map<string, number> =>
    new Map(
      files
        .filter((file) => isCounted(file) && facts.get(file)![member] > 0)
        .map((file) => [file, facts.get(file)![member]]),
    );
  return [
    figure("core-code", {
      title: "code lines of runtime/core outside legacy",
      goal: 15_000,
      tolerance: 100,
      owner: "a table that the generator emits, a package beside the core, or code that leaves",
      places: counted("code", isCore),
    }),
    figure("core-files", {
      title: "files of runtime/core outside legacy",
      goal: 120,
      tolerance: 0,
      owner: "the file that owns the concept",
      places: new Map(files.filter(isCore).map((file) => [file, 1])),
    }),
    figure("product-code", {
      title: "code lines of the product: engine, generator, runtime",
      goal: 85_000,
      tolerance: 300,
      owner: "code that leaves, or a budget of the issue in bench/budgets.json",
      places: counted("code", () => true),
    }),
    figure("judges", {
      title: "files that word what is wrong with a JSON value",
      goal: 1,
      tolerance: 0,
      owner: "engine/explain, by a schema of the value",
      // Code that reads schemas runs before any schema can judge a value, so it has separate texts for their
      // keywords and is not counted.
      places: counted(
        "judges",
        (file) =>
          !/^(engine\/(explain|read|resources)|generator\/(diagnostics\/catalogue|lint))\//.test(file),
      ),
    }),
    figure("edit-distances", {
      title: "functions that compute an edit distance",
      goal: 1,
      tolerance: 0,
      owner: "engine/explain/text.ts",
      places: counted("editDistances", () => true),
    }),
    figure("endpoints", {
      title: "JSON-RPC endpoints: places that keep pending requests",
      goal: 1,
      tolerance: 0,
      owner: "runtime/base/jsonrpc",
      places: counted("endpoints", () => true),
    }),
    figure("bounded-maps", {
      title: "functions that bound a map or a set by its size",
      goal: 1,
      tolerance: 0,
      owner: "BoundedMap of runtime/base/admission/bounded-map.ts",
      places: counted("boundedMaps", isRuntime),
    }),
    figure("waits", {
      title: "waits between attempts, outside runtime/base/time",
      goal: 0,
      tolerance: 0,
      owner: "runtime/base/time",
      places: counted("waits", (file) => isRuntime(file) && !/^runtime\/(base\/time|testing)\//.test(file)),
    }),
    figure("arrows-up", {
      title: "arrows up in runtime/core/server, types too",
      goal: 5,
      tolerance: 0,
      owner: "the lower of both files, or a type of a third below them",
      places: arrowsUp(
        imports.filter(({ from, to }) => [from, to].every((file) => file.startsWith("runtime/core/server/"))),
      ),
    }),
    figure("circles", {
      title: "circles of files, types too",
      goal: 8,
      tolerance: 0,
      owner: "a file below both, for what they share",
      places: circles(imports),
    }),
    figure("value-circles", {
      title: "circles of files that load one another",
      goal: 0,
      tolerance: 0,
      owner: "a file below both, for what they share",
      places: circles(imports.filter(({ typeOnly }) => !typeOnly)),
    }),
    figure("single-importers", {
      title: "files with one importer",
      goal: 280,
      tolerance: 0,
      owner: "the file that imports it",
      places: singleImporters(imports),
    }),
    figure("parameters", {
      title: "functions with five parameters or more",
      goal: 80,
      tolerance: 0,
      owner: "an object of named members, or a method of the one that has them",
      places: counted("parameters", () => true),
    }),
  ];
}

function trips(): Figure[] {
  const call = callTrip();
  return [
    figure("call-files", {
      title: "files of the runtime that a tools/call of 2026-07-28 over HTTP enters",
      goal: 10,
      tolerance: 0,
      owner: "a file that the call enters already",
      places: filesIn(call),
    }),
    figure("call-entries", {
      title: "entries into a file of that call",
      goal: 50,
      tolerance: 0,
      owner: "a function of the file that has the value",
      places: new Map([["in the call as a whole", call.entries]]),
    }),
    figure("generate-files", {
      title: "files of the generator that `generate --only types` runs",
      goal: 50,
      tolerance: 0,
      owner: "an import where it is used, or the file that owns the concept",
      places: filesIn(generateTrip()),
    }),
    figure("diff-files", {
      title: "files of the generator that `diff` of two revisions runs",
      goal: 90,
      tolerance: 0,
      owner: "an import where it is used, or the file that owns the concept",
      places: filesIn(commandTrip(["diff", "2025-11-25", "2026-07-28"])),
    }),
  ];
}

function filesIn({ files }: Trip): Map<string, number> {
  return new Map(files.map((file) => [file, 1]));
}

/** Counts what users see: options, entries, generated lines, documents. */
function surface(): Figure[] {
  const options = optionsByHeading();
  const under = (heading: string): Map<string, number> =>
    new Map([...options].filter(([name]) => name === heading));
  const owner = "a constant whose value is right, or an option that exists";
  return [
    figure("options", { title: "documented options", goal: 290, tolerance: 0, owner, places: options }),
    figure("options-createServer", {
      title: "options of createServer",
      goal: 13,
      tolerance: 0,
      owner,
      places: under("createServer"),
    }),
    figure("options-http", {
      title: "options of HTTP handlers",
      goal: 25,
      tolerance: 0,
      owner,
      places: under("createHttpHandler, createNodeHandler"),
    }),
    figure("options-connect", {
      title: "options of connect",
      goal: 26,
      tolerance: 0,
      owner,
      places: under("connect"),
    }),
    figure("runtime-entries", {
      title: "entries of @mcpgen/runtime",
      goal: 8,
      tolerance: 0,
      owner: "an entry that exists, or a package",
      places: new Map(runtimeEntries().map((entry) => [entry, 1])),
    }),
    figure("extending-values", {
      title: "public values of @mcpgen/runtime/extending",
      goal: 12,
      tolerance: 0,
      owner: "a hook that exists",
      places: new Map(exportedValues("runtime/core/extending.ts").map((name) => [name, 1])),
    }),
    figure("generated-lines", {
      title: "lines below generated/",
      goal: 52_000,
      tolerance: 200,
      owner: "a table, or a function that several definitions share",
      places: sizesOf(treeFiles("generated"), lineCount),
    }),
    figure("changelog-bytes", {
      title: "bytes of CHANGELOG.md before 0.1.0",
      goal: 3_000,
      tolerance: 100,
      owner: "docs/migration.md",
      places: sizesOf(["CHANGELOG.md"], Buffer.byteLength),
    }),
    figure("readme-bytes", {
      title: "bytes of README.md",
      goal: 8_000,
      tolerance: 100,
      owner: "a page of docs/",
      places: sizesOf(["README.md"], Buffer.byteLength),
    }),
    figure("docs-bytes", {
      title: "bytes of docs/ in Markdown",
      goal: 420_000,
      tolerance: 4_000,
      owner: "the page that says it already",
      places: sizesOf(
        treeFiles("docs").filter((file) => file.endsWith(".md")),
        Buffer.byteLength,
      ),
    }),
  ];
}

/** Counts in the newest 300 commits; returns no figures in a clone that lacks them. */
function history(): Figure[] {
  const commits = 300;
  const log = logOf(commits).split("\0").slice(1);
  if (log.length < commits) return [];
  const changes = new Map<string, number>();
  for (const file of log.flatMap((commit) => commit.trim().split("\n")))
    changes.set(file, (changes.get(file) ?? 0) + 1);
  const isSource = /^(engine|generator|runtime|templates|test|generated|bench|examples)\//;
  const often = [...changes].filter(
    ([file, count]) => !isSource.test(file) && existsSync(file) && count > log.length / 10,
  );
  return [
    figure("frequent-files", {
      title: `files outside of sources that more than a tenth of the newest ${commits} commits change`,
      goal: 0,
      tolerance: 0,
      owner: "a file per concept, or a text that a script writes",
      places: new Map(often.map(([file]) => [file, 1])),
    }),
  ];
}

function figure(key: string, rule: Rule): Figure {
  return { key, value: [...rule.places.values()].reduce((sum, one) => sum + one, 0), ...rule };
}

function isRuntime(file: string): boolean {
  return file.startsWith("runtime/");
}

function isCore(file: string): boolean {
  return file.startsWith("runtime/core/") && !file.startsWith("runtime/core/legacy/");
}

function arrowsUp(imports: readonly Import[]): Map<string, number> {
  return new Map(upwardsOf(imports).map(({ from, to }) => [`${from} → ${to}`, 1]));
}

function circles(imports: readonly Import[]): Map<string, number> {
  return new Map(circlesOf(imports).map((files) => [files.join(", "), 1]));
}

/** A file that is reached by `import()` alone, as that of a command is, could not be a part of the file that imports it. */
function singleImporters(imports: readonly Import[]): Map<string, number> {
  const importers = new Map<string, Set<string>>();
  const loaded = new Set<string>();
  for (const { from, to, isDeferred } of imports) {
    importers.set(to, (importers.get(to) ?? new Set()).add(from));
    if (!isDeferred) loaded.add(to);
  }
  return new Map(
    [...importers].filter(([to, from]) => from.size === 1 && loaded.has(to)).map(([to]) => [to, 1]),
  );
}

/** The number of rows in tables of options, by the level-two heading above them. */
function optionsByHeading(): Map<string, number> {
  const options = new Map<string, number>();
  for (const part of readFileSync("docs/options.md", "utf8").split(/^## /m).slice(1)) {
    const rows = part.split("\n").filter((line) => line.startsWith("|`"));
    if (rows.length > 0) options.set(part.split("\n")[0]!, rows.length);
  }
  return options;
}

function runtimeEntries(): string[] {
  const { exports } = JSON.parse(readFileSync("runtime/core/package.json", "utf8")) as { exports: object };
  return Object.keys(exports).filter((entry) => entry !== "./package.json");
}

/** The names of the values that a module re-exports, without types. */
function exportedValues(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/^export (?!type)\{([^}]*)\}/gm)].flatMap(([, names]) =>
    names!
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type ")),
  );
}

function sizesOf(files: readonly string[], size: (text: string) => number): Map<string, number> {
  return new Map(files.map((file) => [file, size(readFileSync(file, "utf8"))]));
}

function lineCount(text: string): number {
  return text.split("\n").length - 1;
}

/** The files of a folder in the work tree, without build output. */
function treeFiles(folder: string): string[] {
  return filesOf().filter((file) => file.startsWith(`${folder}/`));
}

/** The log of the newest commits; empty if there is no history. */
function logOf(commits: number): string {
  try {
    return git(".", "log", `-${commits}`, "--format=%x00", "--name-only");
  } catch {
    return "";
  }
}
