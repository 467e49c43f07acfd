import { basename, sep } from "node:path";
import { type Place, CodedError } from "../../diagnostics/coded-error.js";
import type { HostFile } from "./host-files.js";

/** The sources of values for `${…}` references in a host's configuration. */
export interface Values {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gives the value of a declared input. At a terminal it may ask the user. */
  readonly input: (id: string, place: Place) => Promise<string>;
}

/** The place of a text, and the values for its references. */
interface Surroundings {
  readonly file: HostFile;
  readonly values: Values;
  readonly place: Place;
}

/** Maximum nesting of defaults inside defaults. */
const maxDepth = 20;

/**
 * Replaces the `${…}` references in a text of a host's configuration as that host does. The default of a
 * variable may contain references.
 *
 * @throws CodedError MG2203 for a reference without a value or one that the host does not support
 */
export async function expand(text: string, around: Surroundings, depth = 0): Promise<string> {
  if (around.file.expansion === "none") return text;
  const replaced = referencesIn(text).map((part) =>
    "text" in part ? part.text : valueOf(part.reference, around, depth),
  );
  return (await Promise.all(replaced)).join("");
}

async function valueOf(reference: string, around: Surroundings, depth: number): Promise<string> {
  const { file, values, place } = around;
  if (file.expansion === "shell") {
    const [, name, fallback] = /^([A-Za-z_]\w*)(?::-([^]*))?$/.exec(reference) ?? [];
    const value = name === undefined ? undefined : namedVariable(values.env, name);
    if (value) return value;
    if (fallback !== undefined && depth < maxDepth) return expand(fallback, around, depth + 1);
    if (value !== undefined) return value;
    throw noValue(reference, file, place);
  }
  const plain = ofEditor(reference, file, values);
  if (plain !== undefined) return plain;
  const input = /^input:([^]+)$/.exec(reference)?.[1];
  if (input !== undefined) return values.input(input, place);
  throw noValue(reference, file, place);
}

/** For messages: the references that each kind of host supports. */
const supported = {
  shell: "${NAME} and ${NAME:-DEFAULT}",
  editor: "${env:NAME}, ${input:ID}, ${workspaceFolder} and ${userHome}",
};

function noValue(reference: string, { host, expansion }: HostFile, place: Place): CodedError {
  const variable = /^(?:env:)?([A-Za-z_]\w*)$/.exec(reference)?.[1];
  const isVariable = variable !== undefined && reference.startsWith("env:") === (expansion === "editor");
  return new CodedError("MG2203", `\${${reference}} has no value`, {
    place,
    next: isVariable
      ? `Set the variable: ${variable}=… mcpgen ….`
      : `${host} supports ${supported[expansion === "shell" ? "shell" : "editor"]}.`,
  });
}

/** Value of `${env:NAME}`, or of a variable that does not depend on what is open in the editor. */
function ofEditor(reference: string, { folder }: HostFile, { env }: Values): string | undefined {
  const name = /^env:(.+)$/.exec(reference)?.[1];
  if (name !== undefined) return namedVariable(env, name);
  const fixed = new Map([
    ["workspaceFolder", folder],
    ["workspaceFolderBasename", basename(folder)],
    ["userHome", env["HOME"] ?? env["USERPROFILE"]],
    ["pathSeparator", sep],
    ["/", sep],
  ]);
  return fixed.get(reference);
}

/**
 * The value of a variable whose name comes from a user or a file, if it is set. Ignores inherited members
 * such as `constructor`.
 */
export function namedVariable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** A part of a text: literal text, or the content of a `${…}` reference. */
type Part = { readonly text: string } | { readonly reference: string };

/**
 * Splits a text at its `${…}` references. A reference ends at its matching brace, because its content may
 * contain references, as in `${A:-${B}}`. An unclosed reference is literal text.
 */
export function referencesIn(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (let start = text.indexOf("${"); start >= 0; start = text.indexOf("${", end)) {
    const close = closingBrace(text, start + 2);
    if (close === undefined) break;
    if (start > end) parts.push({ text: text.slice(end, start) });
    parts.push({ reference: text.slice(start + 2, close) });
    end = close + 1;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** The index of the brace that closes the reference whose content starts at `from`. */
function closingBrace(text: string, from: number): number | undefined {
  const marks = /\$\{|\}/g;
  marks.lastIndex = from;
  let open = 1;
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    open += mark[0] === "}" ? -1 : 1;
    if (open === 0) return mark.index;
  }
  return undefined;
}
