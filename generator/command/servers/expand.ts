import { basename, sep } from "node:path";
import { CodedError, type Place } from "../../diagnostics/coded-error.js";
import type { HostFile } from "./host-files.js";

/** The texts that may replace a `${…}` in a host's configuration. */
export interface Values {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value of an input that the file declares. At a terminal it may ask for the value. */
  readonly input: (id: string, place: Place) => Promise<string>;
}

/**
 * A text of a host's configuration with its `${…}` replaced as that host does it.
 *
 * @throws CodedError MG2203 for a reference without a value, and for one that the host does not know
 */
export async function expand(text: string, file: HostFile, values: Values, place: Place): Promise<string> {
  if (file.expansion === "none") return text;
  const parts = text.split(/\$\{([^{}]*)\}/);
  const replaced = parts.map((part, index) => (index % 2 === 0 ? part : valueOf(part, file, values, place)));
  return (await Promise.all(replaced)).join("");
}

async function valueOf(reference: string, file: HostFile, values: Values, place: Place): Promise<string> {
  const plain = file.expansion === "shell" ? ofShell(reference, values) : ofEditor(reference, file, values);
  if (plain !== undefined) return plain;
  const input = file.expansion === "editor" ? /^input:(.+)$/.exec(reference)?.[1] : undefined;
  if (input !== undefined) return values.input(input, place);
  const variable = /^(?:env:)?([A-Za-z_]\w*)$/.exec(reference)?.[1];
  const isVariable = variable !== undefined && reference.startsWith("env:") === (file.expansion === "editor");
  throw new CodedError("MG2203", `\${${reference}} has no value`, {
    place,
    next: isVariable
      ? `Set the variable: ${variable}=… mcpgen ….`
      : `${file.host} supports ${file.expansion === "shell" ? "${NAME} and ${NAME:-DEFAULT}" : "${env:NAME}, ${input:ID}, ${workspaceFolder} and ${userHome}"}.`,
  });
}

/** `${NAME}` and `${NAME:-default}`. */
function ofShell(reference: string, { env }: Values): string | undefined {
  const [, name, fallback] = /^([A-Za-z_]\w*)(?::-([^]*))?$/.exec(reference) ?? [];
  if (name === undefined) return undefined;
  return env[name] || fallback || env[name];
}

/** `${env:NAME}`, and the variables that do not depend on what is open in the editor. */
function ofEditor(reference: string, { folder }: HostFile, { env }: Values): string | undefined {
  const name = /^env:(.+)$/.exec(reference)?.[1];
  if (name !== undefined) return env[name];
  const fixed = new Map([
    ["workspaceFolder", folder],
    ["workspaceFolderBasename", basename(folder)],
    ["userHome", env["HOME"] ?? env["USERPROFILE"]],
    ["pathSeparator", sep],
    ["/", sep],
  ]);
  return fixed.get(reference);
}
