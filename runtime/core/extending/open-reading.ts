import type { OpenDefinition } from "@mcpgen/protocol/model";
import { nullReader } from "../protocol/events.js";
import { locateIssue } from "@mcpgen/engine/explain";

/** Messages outside of the protocol do not emit events. */
const readNulls = nullReader("absent", () => {});

/** The result of reading a value. */
export interface OpenReading<Value> {
  /** The value, without members that are null instead of absent if its definition refuses them. */
  readonly value: Value;
  /** The problem at the first wrong place, if the definition still refuses the value. */
  readonly problem?: string;
}

/** Reads a value by a definition of an extension, in the same way as messages of the protocol. */
export async function readOpenly<Value>(
  definition: OpenDefinition,
  given: Value,
): Promise<OpenReading<Value>> {
  const { accepts } = definition;
  const value = await readNulls(definition, given, "");
  if (accepts(value)) return { value };
  return { value, problem: locateIssue(accepts, value).message };
}
