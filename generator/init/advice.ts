import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Finding } from "../diagnostics/finding.js";

/**
 * Reports the members that an existing JSON file lacks for the project. The file is never changed; the finding lists
 * what to add.
 *
 * @param file what messages call it
 * @param text what it holds
 * @param wanted what a new one would hold
 * @param keys those members of `wanted` that the project does not work without
 * @param next what to do about it
 */
export function lackFinding(
  file: string,
  text: string,
  wanted: object,
  keys: readonly string[],
  next: string,
): Finding | undefined {
  const present = parsed(text);
  const needed = Object.fromEntries(Object.entries(wanted).filter(([key]) => keys.includes(key)));
  const lack = isJsonObject(present) ? lacking(present, needed as JsonObject) : (needed as JsonObject);
  if (lack === undefined) return undefined;
  const parts = isJsonObject(present)
    ? `, and lacks ${pathsOf(lack).join(", ")}`
    : ", but is not a JSON object";
  return {
    code: "MG6401",
    severity: "warning",
    message: `the file is unchanged${parts}`,
    place: { file },
    next,
    detail: JSON.stringify(lack, null, 2),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The part of `wanted` that `present` has not; undefined where it has all. */
function lacking(present: JsonObject, wanted: JsonObject): JsonObject | undefined {
  const entries = Object.entries(wanted).flatMap(([key, value]): [string, JsonValue][] => {
    const there = Object.hasOwn(present, key) ? present[key] : undefined;
    if (Array.isArray(value)) {
      const held = Array.isArray(there) ? there : [];
      const rest = value.filter((item) => !held.some((each) => holds(each, item)));
      return rest.length > 0 ? [[key, rest]] : [];
    }
    if (isJsonObject(value)) {
      const rest = isJsonObject(there) ? lacking(there, value) : value;
      return rest === undefined ? [] : [[key, rest]];
    }
    return isGiven(key, there) ? [] : [[key, value!]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Whether an item of a list is the wanted one, if with further members. */
function holds(present: JsonValue, wanted: JsonValue): boolean {
  if (!isJsonObject(present) || !isJsonObject(wanted))
    return JSON.stringify(present) === JSON.stringify(wanted);
  return Object.entries(wanted).every(
    ([key, value]) => JSON.stringify(present[key]) === JSON.stringify(value),
  );
}

/** Versions and scripts are their author's; `npm init` writes a test that only fails, and another kind of modules. */
function isGiven(key: string, there: JsonValue | undefined): boolean {
  if (key === "type") return there === "module";
  return typeof there === "string" && !there.includes("no test specified");
}

/** `scripts.build` and the like. */
function pathsOf(lack: JsonObject): string[] {
  return Object.entries(lack).flatMap(([key, value]) =>
    isJsonObject(value) ? Object.keys(value).map((member) => `${key}.${member}`) : [key],
  );
}
