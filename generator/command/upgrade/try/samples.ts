import { type JsonObject, type JsonValue, type Schema, isJsonObject, pointerTokens } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { authoredSchema } from "../../../emit/authoring/authored-schema.js";
import type { Method, ProtocolModel, Role } from "../../../model/model.js";
import { randomFrom } from "../../../sample/random.js";
import { minimalValid, sampleValid } from "../../../sample/sample.js";
import { byHand } from "../handwritten.js";
import { capabilityRoots, nodesAt } from "../new-methods.js";
import type { RevisionWords, SampledAsk, SampledRequest } from "./plan.js";

/** Random samples of each definition, beside the smallest one. */
const drawn = 4;

/** Samples of all that applications of a revision write. What the runtime itself writes is no part of it. */
export function wordsOf(model: ProtocolModel): RevisionWords {
  const { schema } = authoredSchema(model);
  const methods = model.methods.filter(({ name }) => !byHand.has(name));
  const sent = (kind: Method["kind"], sender: Role): readonly Method[] =>
    methods.filter((method) => method.kind === kind && method.senders.includes(sender));
  const announced = (sender: Role): SampledAsk[] =>
    sent("notification", sender)
      .filter(({ filter }) => filter === undefined)
      .map((method) => sampledParams(method, schema));
  return {
    id: model.revision,
    capabilities: capabilitiesOf(model),
    requests: sent("request", "client").flatMap((method) => sampledRequest(method, model, schema)),
    asks: sent("request", "server").map((method) => sampledParams(method, schema)),
    notifications: { client: announced("client"), server: announced("server") },
    changes: sent("notification", "server")
      .filter(({ filter }) => filter !== undefined)
      .map(({ name, filterKey: key }) => ({ method: name, ...(key !== undefined && { key }) })),
  };
}

function sampledRequest(method: Method, model: ProtocolModel, schema: Schema): SampledRequest[] {
  const definition = method.result?.definition;
  if (method.payload || definition === undefined) return [];
  const results = samples(schema, definition).filter(isJsonObject);
  const { params } = sampledParams(method, schema);
  if (results.length === 0 || params.length === 0) return [];
  // Requests of servers reach the client while a request of the client runs: in results, where the era has no others.
  const asks = model.era === "legacy" || method.multiRoundTrip;
  return [{ method: method.name, asks, params, results }];
}

function sampledParams({ name, message }: Method, schema: Schema): SampledAsk {
  const { node } = schema.definitions.get(message)!;
  const params = samples(schema, message).flatMap((value): JsonValue[] => {
    if (!isJsonObject(value)) return [];
    const given = value["params"];
    if (!isJsonObject(given)) return [{}];
    // Members of `_meta` have other effects, such as progress.
    const { _meta: _, ...plain } = given;
    return [isValid(schema, node, { ...value, params: plain }) ? plain : given];
  });
  return { method: name, params: distinct(params) };
}

/** The smallest valid value of a definition, and some that a seed of its name draws. */
function samples(schema: Schema, definition: string): JsonValue[] {
  const random = randomFrom(`${definition}: rehearsal`);
  const values = [
    minimalValid(schema, definition),
    ...Array.from({ length: drawn }, () => sampleValid(schema, definition, random)),
  ];
  return distinct(values.flatMap((value) => (value === undefined ? [] : [value])));
}

function distinct(values: readonly JsonValue[]): JsonValue[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

/** Every capability of a server that gates a method. */
function capabilitiesOf(model: ProtocolModel): JsonObject {
  const declared: JsonObject = {};
  const roots = capabilityRoots(model, "server");
  for (const { capabilities } of model.methods)
    for (const { of, path } of capabilities) {
      if (of !== "server") continue;
      const tokens = pointerTokens(path);
      const isFlag = roots.some((root) =>
        nodesAt(model.schema, root, path).some(({ types }) => types?.includes("boolean")),
      );
      declare(declared, tokens, isFlag);
    }
  return declared;
}

function declare(holder: JsonObject, [token, ...rest]: readonly string[], isFlag: boolean): void {
  if (token === undefined) return;
  const present = holder[token];
  if (rest.length === 0) {
    if (!isJsonObject(present)) holder[token] = isFlag ? true : {};
    return;
  }
  const inside = isJsonObject(present) ? present : {};
  holder[token] = inside;
  declare(inside, rest, isFlag);
}
