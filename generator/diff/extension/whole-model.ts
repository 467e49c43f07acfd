import type { Definition, Schema, SchemaNode } from "@mcpgen/engine";
import type { ComparedExtension, ComparedPart } from "../../extension/add/compared-model.js";
import type { Method, ProtocolModel } from "../../model/model.js";

/**
 * The model of an extension with all that it adds to messages of the base. Each part stands as a notification of the
 * side that sends it, so that it is compared in its direction like any message.
 */
export function wholeModel({ model, parts }: ComparedExtension): ProtocolModel {
  const definitions = new Map(model.schema.definitions);
  for (const part of parts) definitions.set(part.name, messageOf(part));
  const schema: Schema = { ...model.schema, definitions };
  const methods = [...model.methods, ...parts.map(methodOf)];
  return { ...model, schema, methods: methods.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function messageOf({ name, definition }: ComparedPart): Definition {
  const pointer = `/$defs/${definition}`;
  const properties = new Map<string, SchemaNode>([
    ["method", { pointer, types: ["string"], const: { value: name } }],
    ["params", { pointer, ref: definition }],
  ]);
  return { name, node: { pointer, types: ["object"], properties, required: ["method", "params"] } };
}

function methodOf({ name, senders, definition }: ComparedPart): Method {
  return {
    ...{ name, kind: "notification", senders, payload: false, message: name, envelope: false },
    params: { definition, presence: "required" },
    ...{ capabilities: [], cacheable: false, multiRoundTrip: false, listening: false },
  };
}
