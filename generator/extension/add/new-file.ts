import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { isDate } from "../../notes/revision-name.js";
import type { RevisionStatus } from "../../revision/lock.js";

/** What extension.json says of a new version. */
interface NewFile {
  readonly id: string;
  readonly version: string;
  readonly status: RevisionStatus;
  /** Oldest first. */
  readonly bases: readonly string[];
  /** Names of the definitions. */
  readonly definitions: ReadonlySet<string>;
}

/** The JSON Schema of extension.json, for editors. */
const schemaLocation = "https://raw.githubusercontent.com/mcpgen/mcpgen/main/docs/extension.schema.json";

/**
 * The content of a new extension.json. What people write stays: the places where sides declare the extension, its
 * settings, needs, channel, description and link come from the file of the version before, if there is one.
 *
 * @param previous the file of the version before
 */
export function newExtensionFile(
  { id, version, status, bases, definitions }: NewFile,
  previous: JsonValue | undefined,
): JsonObject {
  const before = isJsonObject(previous) ? previous : {};
  const place = pointer("/extensions", id);
  const { $schema = schemaLocation, declared = { client: place, server: place } } = before;
  const settings = keptSettings(before["settings"], definitions);
  return {
    $schema,
    format: 1,
    id,
    version,
    status,
    bases: [...bases],
    declared,
    ...(settings && { settings }),
    ...Object.fromEntries(
      ["needs", "channel", "description", "link"].flatMap((key) =>
        key in before ? [[key, before[key]!]] : [],
      ),
    ),
  };
}

/** The settings whose definitions are still there. */
function keptSettings(
  settings: JsonValue | undefined,
  definitions: ReadonlySet<string>,
): JsonObject | undefined {
  if (!isJsonObject(settings)) return undefined;
  const kept = Object.entries(settings).map(([side, reference]): [string, JsonValue] => {
    const name = typeof reference === "string" ? reference.split("/").at(-1)! : "";
    return [side, definitions.has(name) ? reference : null];
  });
  return Object.fromEntries(kept);
}

/** A version that is a date or a plain number with dots is released; any other is a draft. */
export function usualStatus(version: string): RevisionStatus {
  return isDate(version) || /^\d+(?:\.\d+)*$/.test(version) ? "released" : "draft";
}
