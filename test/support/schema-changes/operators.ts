import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { type Random, shuffled } from "../../../generator/sample/values.js";
import { type Place, definitionsOf, methodOf, placesIn, strings, unionNames } from "./document.js";

/** A changed document, and the places of the changes. */
export interface Mutated {
  readonly document: JsonObject;
  readonly changes: readonly string[];
  readonly paths: readonly (readonly string[])[];
}

/** Changes a schema in place. Returns `false` if the change does not apply. */
type Change = (place: Place, random: Random, document: JsonObject) => boolean;

const membersOf = (node: JsonObject): JsonObject =>
  isJsonObject(node["properties"]) ? node["properties"] : {};
const isObject = (node: JsonObject): boolean => node["type"] === "object";
const isMessage = ({ path, node }: Place): boolean =>
  path.length === 2 && isObject(node) && ("jsonrpc" in membersOf(node) || methodOf(node) !== undefined);
const isScalar = (node: JsonObject, type: string): boolean =>
  node["type"] === type && node["const"] === undefined && node["enum"] === undefined;

function setRequired(node: JsonObject, key: string, isRequired: boolean): void {
  const others = strings(node["required"]).filter((other) => other !== key);
  if (isRequired) node["required"] = [...others, key];
  else if (others.length > 0) node["required"] = others;
  else delete node["required"];
}

function declare(node: JsonObject, key: string, schema: JsonValue, isRequired: boolean): boolean {
  node["properties"] = { ...membersOf(node), [key]: schema };
  setRequired(node, key, isRequired);
  return true;
}

function drop(node: JsonObject, key: string): boolean {
  const { [key]: dropped, ...rest } = membersOf(node);
  if (dropped === undefined) return false;
  node["properties"] = rest;
  setRequired(node, key, false);
  return true;
}

/** Members that may be dropped, except the one that identifies a message. */
const droppable = (place: Place): string[] =>
  Object.keys(membersOf(place.node)).filter((key) => key !== "method" || !isMessage(place));

const objects: Readonly<Record<string, Change>> = {
  "adds an optional member": ({ node }) =>
    isObject(node) && declare(node, "added", { type: "string" }, false),
  "adds a required member": ({ node }) => isObject(node) && declare(node, "added", { type: "string" }, true),
  "adds a required member that may be anything": ({ node }) =>
    isObject(node) && declare(node, "added", {}, true),
  "drops a member": (place, random) => {
    const keys = droppable(place);
    return keys.length > 0 && drop(place.node, random.pick(keys));
  },
  "forbids a member": (place, random) => {
    const keys = droppable(place);
    return keys.length > 0 && declare(place.node, random.pick(keys), false, false);
  },
  "forbids a member that nothing declares": ({ node }) =>
    isObject(node) && declare(node, "added", false, false),
  "turns whether a member is required": (place, random) => {
    const keys = droppable(place);
    if (!isObject(place.node) || keys.length === 0) return false;
    const key = random.pick(keys);
    setRequired(place.node, key, !strings(place.node["required"]).includes(key));
    return true;
  },
  "closes the object": ({ node }) => {
    if (!isObject(node) || node["additionalProperties"] === false) return false;
    node["additionalProperties"] = false;
    return true;
  },
  "closes the object by what is left over": ({ node }) => {
    if (!isObject(node) || node["additionalProperties"] !== undefined) return false;
    node["unevaluatedProperties"] = false;
    return true;
  },
  "opens or narrows other members": ({ node }) => {
    if (!isObject(node)) return false;
    if (node["additionalProperties"] === false) delete node["additionalProperties"];
    else node["additionalProperties"] = { type: "number" };
    return true;
  },
};

const values: Readonly<Record<string, Change>> = {
  "lists a value more": ({ node }) => {
    if (strings(node["enum"]).length === 0) return false;
    node["enum"] = [...strings(node["enum"]), "added"];
    return true;
  },
  "lists a value less": ({ node }) => {
    if (strings(node["enum"]).length < 2) return false;
    node["enum"] = strings(node["enum"]).slice(1);
    return true;
  },
  "has another constant": ({ node }) => {
    if (typeof node["const"] !== "string") return false;
    node["const"] = `${node["const"]}-changed`;
    return true;
  },
  "has no constant": ({ path, node }) => {
    if (typeof node["const"] !== "string" || path.at(-1) === "method") return false;
    delete node["const"];
    return true;
  },
  "is of another type": ({ node }) => {
    if (!["string", "integer", "number", "boolean"].some((type) => isScalar(node, type))) return false;
    for (const key of ["minimum", "maximum", "format", "minLength"]) delete node[key];
    node["type"] = node["type"] === "boolean" ? "string" : "boolean";
    return true;
  },
  "may be null": ({ node }) => {
    if (typeof node["type"] !== "string" || node["enum"] || node["const"] !== undefined) return false;
    node["type"] = [node["type"], "null"];
    return true;
  },
  "is of a type less": ({ node }, random) => {
    const { type } = node;
    if (!Array.isArray(type) || type.length < 2) return false;
    node["type"] = random.pick(type);
    return true;
  },
  "is no integer or must be one": ({ node }) => {
    if (!isScalar(node, "integer") && !isScalar(node, "number")) return false;
    node["type"] = node["type"] === "integer" ? "number" : "integer";
    return true;
  },
  "has a limit": ({ node }, random) => {
    const limits: Readonly<Record<string, JsonObject>> = {
      string: random.pick<JsonObject>([{ minLength: 3 }, { maxLength: 12 }]),
      integer: random.pick<JsonObject>([{ minimum: 600 }, { maximum: 600 }]),
      number: random.pick<JsonObject>([{ minimum: 0.4 }, { maximum: 0.2 }]),
      array: random.pick<JsonObject>([{ minItems: 2 }, { maxItems: 1 }]),
    };
    const limit = limits[String(node["type"])];
    if (!limit || node["const"] !== undefined || node["enum"]) return false;
    Object.assign(node, limit);
    return true;
  },
};

/**
 * Limits for arms of one type: the original document has the first of each pair, a changed one may have the
 * second.
 */
const armLimits: Readonly<Record<string, readonly (readonly [JsonObject, JsonObject])[]>> = {
  string: [
    [{ maxLength: 2 }, { maxLength: 5 }],
    [{ minLength: 10 }, { minLength: 30 }],
    [{ pattern: "^t" }, { pattern: "^https" }],
  ],
  integer: [
    [{ maximum: 0 }, { maximum: 2 }],
    [{ minimum: 1000 }, { minimum: 600 }],
    [
      { exclusiveMinimum: 2, maximum: 4 },
      { exclusiveMinimum: 3, maximum: 4 },
    ],
  ],
  number: [
    [{ maximum: 0.4 }, { maximum: 2 }],
    [{ minimum: 1000 }, { minimum: 600 }],
  ],
};

/** Returns `document` with a third of its scalars replaced by unions of arms with different limits. */
export function withLimitedArms(document: JsonObject, random: Random): JsonObject {
  const copy = structuredClone(document) as JsonObject;
  for (const { path, node } of placesIn(copy)) {
    const type = String(node["type"]);
    const limits = armLimits[type];
    if (!limits || !isScalar(node, type) || path.length < 3 || path.at(-1) === "method") continue;
    if (!random.chance(0.3)) continue;
    const arms = shuffled(limits, random).slice(0, 2);
    for (const keyword of ["minimum", "maximum", "minLength", "format", "type"]) delete node[keyword];
    node["anyOf"] = arms.map(([limit]) => ({ type, ...limit }));
  }
  return copy;
}

const unions: Readonly<Record<string, Change>> = {
  "limits an arm differently": ({ node }, random) => {
    const arms = node["anyOf"];
    if (!Array.isArray(arms)) return false;
    const changed = arms.flatMap((arm, index) =>
      Object.entries(armLimits).flatMap(([type, limits]) =>
        limits
          .filter(([limit]) => JSON.stringify(arm) === JSON.stringify({ type, ...limit }))
          .map(([, other]) => arms.with(index, { type, ...other })),
      ),
    );
    if (changed.length === 0) return false;
    node["anyOf"] = random.pick(changed);
    return true;
  },
  "has an arm less": ({ path, node }, random) => {
    const arms = node["anyOf"];
    if (!Array.isArray(arms) || arms.length < 2 || unionNames.includes(path.at(-1)!)) return false;
    const gone = random.below(arms.length);
    node["anyOf"] = arms.filter((_, index) => index !== gone);
    return true;
  },
  "has an arm more": ({ path, node }, random) => {
    const arms = node["anyOf"];
    if (!Array.isArray(arms) || unionNames.includes(path.at(-1)!)) return false;
    const added: JsonValue[] = [
      { type: "boolean" },
      { type: "object", properties: { added: { type: "boolean" } }, required: ["added"] },
    ];
    node["anyOf"] = [...arms, random.pick(added)];
    return true;
  },
  "refers to what may be null": ({ path, node }) => {
    const { $ref, ...others } = node;
    if ($ref === undefined || path.length < 3 || path.at(-2) === "anyOf") return false;
    delete node["$ref"];
    Object.assign(node, { anyOf: [{ $ref, ...others }, { type: "null" }] });
    return true;
  },
};

/** Changes of a message itself. */
const messages: Readonly<Record<string, Change>> = {
  "has ids of one type": (place) =>
    isMessage(place) &&
    "id" in membersOf(place.node) &&
    declare(place.node, "id", { type: "string" }, strings(place.node["required"]).includes("id")),
  "has ids that may be null": (place) =>
    isMessage(place) &&
    "id" in membersOf(place.node) &&
    declare(
      place.node,
      "id",
      { type: ["string", "integer", "null"] },
      strings(place.node["required"]).includes("id"),
    ),
  "has a member beside params": (place, random) =>
    isMessage(place) && declare(place.node, "trace", { type: "string" }, random.chance(0.7)),
  "takes no other members": (place) => {
    if (!isMessage(place)) return false;
    place.node["additionalProperties"] = false;
    return true;
  },
  "takes numbers as other members": (place) => {
    if (!isMessage(place)) return false;
    place.node["additionalProperties"] = { type: "number" };
    return true;
  },
  "turns whether params are required": (place) => {
    if (!isMessage(place) || !("params" in membersOf(place.node))) return false;
    setRequired(place.node, "params", !strings(place.node["required"]).includes("params"));
    return true;
  },
  "has no params": (place) => isMessage(place) && drop(place.node, "params"),
  "drops a member of the envelope": (place, random) =>
    isMessage(place) && drop(place.node, random.pick(["jsonrpc", "id", "result", "error"])),
  "is sent no more": (place, _random, document) => {
    if (!isMessage(place) || methodOf(place.node) === undefined) return false;
    const target = `#/$defs/${place.path[1]!}`;
    let isListed = false;
    for (const name of unionNames) {
      const union = definitionsOf(document)[name];
      const arms = union?.["anyOf"];
      if (!union || !Array.isArray(arms)) continue;
      const left = arms.filter((arm) => !isJsonObject(arm) || arm["$ref"] !== target);
      if (left.length === arms.length || left.length === 0) continue;
      isListed = true;
      union["anyOf"] = left;
    }
    return isListed;
  },
  "has another method": (place) => {
    const method = methodOf(place.node);
    if (!isMessage(place) || method === undefined) return false;
    return declare(place.node, "method", { type: "string", const: `${method}/changed` }, true);
  },
};

const anywhere = [...Object.entries(objects), ...Object.entries(values), ...Object.entries(unions)];
const atMessages = Object.entries(messages);

/** Returns `document` with `count` changes, a third of them at messages themselves. */
export function mutate(document: JsonObject, count: number, random: Random): Mutated {
  const copy = structuredClone(document) as JsonObject;
  const done: { name: string; path: readonly string[] }[] = [];
  const placesToChange = (): Place[] =>
    placesIn(copy).filter(
      ({ path }) => path.length >= 2 && !(path.length === 2 && unionNames.includes(path[1]!)),
    );
  let places = placesToChange();
  while (done.length < count) {
    const ofMessages = random.chance(0.35) ? places.filter(isMessage) : [];
    const isOfMessage = ofMessages.length > 0;
    const place = random.pick(isOfMessage ? ofMessages : places);
    const [name, change] = random.pick(isOfMessage && random.chance(0.8) ? atMessages : anywhere);
    if (place.path.includes("method") || !change(place, random, copy)) continue;
    done.push({ name, path: place.path });
    if (done.length < count) places = placesToChange();
  }
  return {
    document: copy,
    changes: done.map(({ name, path }) => `${pointer("", ...path)} ${name}`),
    paths: done.map(({ path }) => path),
  };
}
