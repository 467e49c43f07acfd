// Judges a report of `host test` by what was recorded: the list that the server gave, the requests that its host sent to the model,
// and the answers of the server. It shares no code with the report.
import { isDeepStrictEqual } from "node:util";

/** The functions that a request to the model offers, and which of them the host marks as the server's. */
export function offeredIn({ tools = [] }) {
  return tools.flatMap((tool) => {
    const { type, name, description, parameters, input_schema: schema = parameters } = tool;
    if (type === "namespace")
      return tool.tools.map((each) => ({
        name: name + each.name,
        // Codex gives the server's name as the namespace.
        own: /^mcp__tested(?:__)?$/.test(name) ? each.name : undefined,
        description: each.description,
        schema: each.parameters,
      }));
    return [{ name, own: /^mcp__tested__(.*)$/.exec(name)?.[1], description, schema }];
  });
}

/** The offered function of a listed tool: of its name, or of its name in the letters that model APIs take. */
export function offeredFor(name, offered) {
  const own = offered.filter((each) => each.own !== undefined);
  return (
    own.find((each) => each.own === name) ??
    own.find((each) => each.own === name.replace(/[^\w-]/g, "_")) ??
    own.find((each) => each.own === name.replace(/\W/g, "_"))
  );
}

const values = ["type", "enum", "const", "union", "nullable"];
const members = ["properties", "required"];
const limits = [
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ...["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"],
  ...["minItems", "maxItems", "uniqueItems", "contains", "minProperties", "maxProperties", "propertyNames"],
];
const texts = ["title", "description"];
const keywords = [
  ...["default", "deprecated", "additionalProperties", "unevaluatedProperties", "patternProperties"],
  ...[...values, ...limits, ...texts, "required"],
];

/** The keywords of which one differs where a finding of the rule is true. */
const shownBy = {
  "text-changed": texts,
  default: ["default"],
  deprecated: ["deprecated"],
  bound: limits,
  object: ["additionalProperties", "unevaluatedProperties", "patternProperties"],
  map: ["additionalProperties", "unevaluatedProperties", "patternProperties"],
  property: members,
  type: values,
  nullable: values,
  integer: values,
  number: values,
  enum: values,
  const: values,
  union: values,
  "became-union": values,
};

/** The keywords that a rule is about; undefined for one that is unknown here. */
export function keywordsOf(rule) {
  return shownBy[rule] ?? shownBy[rule.split("-")[0]];
}

/**
 * The facts of a schema: the values of each keyword at each place of the value, by `PLACE KEYWORD`. References are followed, and
 * arms of unions are at the place of the union.
 */
export function factsOf(schema, root = schema) {
  const facts = new Map();
  const add = (place, keyword, value) => {
    const key = `${place} ${keyword}`;
    facts.set(key, [...(facts.get(key) ?? []), canonical(value)].toSorted());
  };
  const walk = (part, place, above) => {
    if (typeof part !== "object" || part === null) return;
    if (typeof part.$ref === "string" && !above.includes(part.$ref))
      walk(at(root, part.$ref), place, [...above, part.$ref]);
    for (const keyword of keywords)
      if (Object.hasOwn(part, keyword) && typeof part[keyword] !== "object") add(place, keyword, part[keyword]);
      else if (["type", "enum", "const", "default", "required"].includes(keyword) && Object.hasOwn(part, keyword))
        add(place, keyword, part[keyword]);
    const inner = (each, step) => walk(each, `${place}${step}`, above);
    for (const [name, each] of Object.entries(part.properties ?? {})) {
      add(place, "properties", name);
      inner(each, `.${name}`);
    }
    for (const each of [part.items, part.contains, part.prefixItems].flat()) inner(each, "[]");
    for (const each of [part.additionalProperties, part.unevaluatedProperties]) inner(each, "{}");
    for (const each of Object.values(part.patternProperties ?? {})) inner(each, "{}");
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      if (keyword in part && keyword !== "allOf") add(place, "union", part[keyword].length);
      for (const each of part[keyword] ?? []) walk(each, place, above);
    }
  };
  walk(schema, "arguments", []);
  for (const holder of ["$defs", "definitions"])
    for (const [name, each] of Object.entries(schema.$defs ?? {}))
      walk(each, `arguments.$defs/${name}`, [`#/${holder}/${name}`]);
  return facts;
}

/** The differences of two schemas, as `PLACE KEYWORD` with the values of both. */
export function differencesOf(listed, offered) {
  const [before, after] = [factsOf(listed), factsOf(offered)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [old, next] = [before.get(key), after.get(key)];
    if (isDeepStrictEqual(old, next)) return [];
    const [, place, keyword] = /^([^]*) (\w+)$/.exec(key);
    return [{ place, keyword, old, next }];
  });
}

function at(root, ref) {
  const tokens = ref.replace(/^#\/?/, "").split("/").filter((token) => token !== "");
  return tokens.reduce(
    (value, token) => value?.[decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")],
    root,
  );
}

export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.keys(value).toSorted().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${pairs.join(",")}}`;
}
