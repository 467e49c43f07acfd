import type { OpenDefinition } from "@mcpgen/protocol/model";
import { nullReader } from "../protocol/events.js";
import { locateIssue } from "@mcpgen/engine/explain";

/** What is beside the protocol has no events. */
const readNulls = nullReader("absent", () => {});

/** A value as it was read. */
export interface OpenReading<Value> {
  /** Without the members that are null instead of absent, if its definition refuses them. */
  readonly value: Value;
  /** What is wrong at the first wrong place, if the definition refuses it even so. */
  readonly problem?: string;
}

/** Reads a value by a definition of an extension, as messages of the protocol are read. */
export async function readOpenly<Value>(
  definition: OpenDefinition,
  given: Value,
): Promise<OpenReading<Value>> {
  const { accepts } = definition;
  const value = await readNulls(definition, given, "");
  if (accepts(value)) return { value };
  return { value, problem: locateIssue(accepts, value).message };
}
