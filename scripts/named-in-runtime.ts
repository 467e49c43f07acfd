import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { type JsonObject, isJsonObject, naturalCompare, pointerTokens } from "@mcpgen/engine";
import { readLock } from "../generator/revision/lock.js";

/** The file of the module. */
export const placesFile = "generator/command/upgrade/runtime-places.ts";

/** The module that says which files of the runtime name which methods, and which members that eras fill in. */
export async function namedInRuntime(): Promise<string> {
  const sources = new Map(runtimeFiles().map((file) => [file, withoutComments(readFileSync(file, "utf8"))]));
  const filesWith = (pattern: RegExp): string[] =>
    [...sources].flatMap(([file, text]) => (pattern.test(text) ? [file] : []));
  const methods = rows(methodNames(), (name) => filesWith(new RegExp(`["'\`]${escaped(name)}["'\`]`)));
  const members = rows(ownedNames(), (name) =>
    /^\w+$/.test(name)
      ? filesWith(new RegExp(`\\b${name}\\b`))
      : filesWith(new RegExp(`["'\`]${escaped(name)}["'\`]`)),
  );
  return format(
    `// Written by scripts/runtime-places.ts. Do not edit.

/** The files of the runtime that name a method, by method. */
export const methodPlaces: { readonly [method: string]: readonly string[] | undefined } = ${JSON.stringify(methods)};

/** The files of the runtime that name a member which an era fills in, by member. */
export const memberPlaces: { readonly [member: string]: readonly string[] | undefined } = ${JSON.stringify(members)};
`,
    { ...(await resolveConfig(placesFile)), filepath: placesFile },
  );
}

/** The sources of the runtime and of the packages around its requests, without the test kit. */
function runtimeFiles(): string[] {
  return ["apps", "base", "bridge", "cluster", "core", "observe"].flatMap((name) =>
    readdirSync(join("runtime", name), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !/^(?:dist|platform)\//.test(path))
      .map((path) => join("runtime", name, path))
      .sort(),
  );
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

function escaped(name: string): string {
  return name.replace(/[/.]/g, "\\$&");
}

function rows(names: readonly string[], filesOf: (name: string) => string[]): { [name: string]: string[] } {
  return Object.fromEntries(
    names.map((name) => [name, filesOf(name)]).filter(([, files]) => files!.length > 0),
  );
}

/** The methods of all stored revisions. */
function methodNames(): string[] {
  const names = documents("schema.json").flatMap((document) => {
    const definitions = Object.values(isJsonObject(document["$defs"]) ? document["$defs"] : {});
    return definitions.flatMap((definition) => {
      const properties = isJsonObject(definition) ? definition["properties"] : undefined;
      const method = isJsonObject(properties) ? properties["method"] : undefined;
      const name = isJsonObject(method) ? method["const"] : undefined;
      return typeof name === "string" ? [name] : [];
    });
  });
  return [...new Set(names)].sort(naturalCompare);
}

/** The members that notes of kind `owned` name. */
function ownedNames(): string[] {
  const notes = documents("notes.json").flatMap(
    (document) => document["notes"] as unknown as { [key: string]: unknown }[],
  );
  const targets = notes.flatMap(({ kind, target }) =>
    kind === "owned" ? [target as string | string[]].flat() : [],
  );
  return [...new Set(targets.map((target) => pointerTokens(target).at(-1)!))].sort(naturalCompare);
}

function documents(name: string): JsonObject[] {
  return [...readLock("schema").keys()].map(
    (revision) => JSON.parse(readFileSync(join("schema", revision, name), "utf8")) as JsonObject,
  );
}
