import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type JsonObject, isJsonObject } from "@mcpgen/engine";
import { foldersUpFrom } from "../../config/config.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { parsedText } from "../../files/json-file.js";
import { packageFolder, readRegularText } from "../../files/regular-file.js";
import { textIn } from "../../files/user-files.js";
import { isTemplate } from "../../print/templates.js";

/** Maximum number of files collected for one module; no user would review more. */
const maxFiles = 5_000;

/** Extensions of files that can be executed or that Node.js loads as code. */
const codeExtension = /^\.(?:[cm]?[jt]sx?|node|wasm|sh|py|rb|pl|php|ps1|bat|cmd|exe)$/i;
const moduleExtension = /^\.[cm]?[jt]sx?$/i;

/**
 * Finds all files that may run with `entries`, by following imports. An import is found in the text: a
 * specifier after `from`, `import`, `require` or `resolve`, or any other string literal that is the path of a
 * code file. The result may contain files that do not run. It lacks only modules whose names are computed at
 * run time.
 *
 * @param entries absolute paths
 * @returns real paths, without files of mcpgen itself
 * @throws CodedError MG2101 for more than 5,000 files
 */
export function moduleFiles(entries: readonly string[]): string[] {
  const found = new Set<string>();
  const queue = entries.flatMap((entry) => realFile(entry));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (found.has(file) || isOwn(file)) continue;
    found.add(file);
    if (found.size > maxFiles)
      throw new CodedError("MG2101", `more than ${maxFiles} files would run`, {
        place: { file: entries[0]! },
        next: "Let it import less.",
      });
    if (moduleExtension.test(extname(file))) queue.push(...importedBy(file));
  }
  return [...found].sort();
}

/** A string literal of a module. */
export interface Literal {
  readonly text: string;
  /** Whether it stands where a module specifier can stand. */
  readonly isSpecifier: boolean;
}

/**
 * All candidates for string literals without placeholders: the text from each quotation mark to the next of
 * its kind on the line. Comments and regular expressions therefore cannot hide a literal.
 */
export function literalsIn(text: string): Literal[] {
  return ['"', "'", "`"].flatMap((mark) => {
    const literals: Literal[] = [];
    for (let at = text.indexOf(mark); at >= 0;) {
      const end = text.indexOf(mark, at + 1);
      if (end < 0) break;
      const inside = text.slice(at + 1, end);
      if (inside.length < 1_000 && !inside.includes("\n")) {
        const before = text.slice(Math.max(0, at - 60), at);
        const isSpecifier = /(?:\b|\.)(?:from|import|require|resolve)\s*\(?\s*(?:\/\*[^*]*\*\/\s*)?$/.test(
          before,
        );
        literals.push({ text: unescaped(inside), isSpecifier });
      }
      at = end;
    }
    return literals;
  });
}

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\}|(.))/gi,
    (all, x, u, long, plain) => {
      const code = Number.parseInt(x ?? u ?? long ?? "", 16);
      return Number.isNaN(code) || code > 0x10ffff ? (plain ?? all) : String.fromCodePoint(code);
    },
  );
}

function importedBy(file: string): string[] {
  const folder = dirname(file);
  return literalsIn(readRegularText(file)).flatMap(({ text, isSpecifier }) => {
    if (isSpecifier) return specified(text, folder);
    const path = pathIn(text, folder);
    return path !== undefined && codeExtension.test(extname(path)) ? realFile(path) : [];
  });
}

/** The files that a module specifier in `folder` may refer to. */
function specified(specifier: string, folder: string): string[] {
  const path = pathIn(specifier, folder);
  if (path !== undefined) return candidates(path);
  if (specifier.startsWith("#")) return mappedTargets(specifier, "imports", folder);
  if (/^node:|^[a-z]+:/i.test(specifier)) return [];
  const [, name, rest = ""] = /^(@[^/]+\/[^/]+|[^/@][^/]*)(\/.*)?$/.exec(specifier) ?? [];
  if (name === undefined) return [];
  const at = foldersUpFrom(folder)
    .map((up) => join(up, "node_modules", name))
    .find((each) => existsSync(each));
  if (at === undefined) return mappedTargets(`.${rest}`, "exports", folder);
  const mapped = targetsIn(at, `.${rest}`, "exports");
  return mapped ?? candidates(rest === "" ? at : join(at, rest));
}

/** A text as a path relative to `folder`; undefined if it is not one. */
function pathIn(text: string, folder: string): string | undefined {
  if (/^file:/i.test(text)) {
    try {
      return fileURLToPath(text);
    } catch {
      return undefined;
    }
  }
  return /^(?:\.{1,2}(?:[/\\]|$)|[/\\]|[A-Za-z]:[/\\])/.test(text)
    ? resolve(folder, text.replace(/[?#].*$/, ""))
    : undefined;
}

const extensions = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".json", ".node"];

/**
 * A path, and the paths that Node.js would try in its place: with an extension, or an index file in a folder.
 */
function candidates(path: string): string[] {
  const files = [path, ...extensions.map((extension) => path + extension)].flatMap(realFile);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? [...files, ...mainOf(path)] : files;
}

/** The entry point of a folder, from its package.json or by its default name, and that package.json. */
export function mainOf(folder: string): string[] {
  const manifest = manifestIn(folder);
  const named = [manifest?.["main"], manifest?.["module"], "index"].filter(
    (name): name is string => typeof name === "string",
  );
  const files = named.flatMap((name) =>
    [join(folder, name), ...extensions.map((extension) => join(folder, name + extension))].flatMap(realFile),
  );
  return [...files, ...named.flatMap((name) => realFile(join(folder, name, "index.js")))];
}

/** The targets to which the nearest package.json maps a name, under any condition. */
function mappedTargets(name: string, member: "imports" | "exports", folder: string): string[] {
  const at = foldersUpFrom(folder).find((up) => existsSync(join(up, "package.json")));
  return (at === undefined ? undefined : targetsIn(at, name, member)) ?? [];
}

function targetsIn(folder: string, name: string, member: "imports" | "exports"): string[] | undefined {
  const map = manifestIn(folder)?.[member];
  if (map === undefined || map === null) return undefined;
  const keyed =
    typeof map === "object" && !Array.isArray(map) && Object.keys(map).some((key) => /^[.#]/.test(key));
  const entries = keyed ? Object.entries(map as object) : [[".", map] as const];
  return entries.flatMap(([key, target]) => {
    const [start = "", end] = key.split("*");
    const isPattern = end !== undefined;
    const fits = isPattern
      ? name.startsWith(start) && name.endsWith(end) && name.length >= start.length + end.length
      : key === name;
    if (!fits) return [];
    const part = isPattern ? name.slice(start.length, name.length - end.length) : "";
    return textsIn(target).flatMap((text) => {
      const path = text.replaceAll("*", () => part);
      return path.startsWith(".") ? candidates(join(folder, path)) : specified(path, folder);
    });
  });
}

/** All strings in a JSON value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function manifestIn(folder: string): JsonObject | undefined {
  const value = parsedText(textIn(join(folder, "package.json")));
  return isJsonObject(value) ? value : undefined;
}

/** The real path if it is a regular file, else an empty list. */
export function realFile(path: string): string[] {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? [realpathSync(path)] : [];
  } catch {
    return [];
  }
}

/** The templates in a folder; none if it does not exist. */
export function templateFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(isTemplate)
      .flatMap((name) => realFile(join(folder, name)));
  } catch {
    return [];
  }
}

/** Whether a file belongs to the running mcpgen, and so not to the folder. */
function isOwn(file: string): boolean {
  return ["dist", "generator"].some((name) => file.startsWith(join(packageFolder(), name) + sep));
}
