import type { JsonObject } from "@mcpgen/engine";
import { locationOf } from "../../compare/location.js";
import type { Role } from "../../model/model.js";
import type { Part } from "./contract-finding.js";

/** Two schemas of one value: arguments that a client writes, or a result that a server writes. */
export interface SchemaPair {
  readonly part: Part;
  /** The name of the value in findings. */
  readonly noun: string;
  /** JSON Pointer from the part to the schema. */
  readonly pointer: string;
  readonly writer: Role;
  readonly old: JsonObject;
  readonly new: JsonObject;
}

/** The path to a part of the value, as findings print it. */
export function pathOf({ noun }: SchemaPair, path: string): string {
  return path === "" || path.startsWith("[") || path.startsWith("{") ? noun + path : `${noun}.${path}`;
}

/** The path to the part of the value that the schema at a JSON Pointer describes. */
export function pathAt(pair: SchemaPair, pointer: string): string {
  const { definition, path } = locationOf(pointer);
  const way = [...(definition === "" ? [] : [`$defs/${definition}`]), ...(path === "" ? [] : [path])];
  return pathOf(pair, way.join("."));
}
