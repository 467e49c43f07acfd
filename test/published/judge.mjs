// Judges a report of `host test` by a record of what passed: the list that the server gave, the requests of the host to its
// model, and the answers of the server. It shares no code with the report.
import { isDeepStrictEqual } from "node:util";

/**
 * Reads a record of recorder.ts.
 *
 * @param hidden texts that a report replaces by `…`
 */
export function readRecord(lines, hidden) {
  // Where a host was run again, the last run counts.
  const { home } = lines.findLast((line) => line.home !== undefined);
  const run = lines.slice(lines.findIndex((line) => line.home === home));
  const plain = (value) =>
    JSON.parse(
      hidden.reduce((text, each) => text.replaceAll(each, "…"), JSON.stringify(value).replaceAll(home, "~")),
    );
  const requests = run.filter(({ body }) => body?.tools).map(({ body }) => plain(body));
  const messages = run.filter(({ session }) => session !== undefined);
  const asked = messages.filter(({ from, message }) => from === "client" && message.method !== undefined);
  const answerOf = ({ session, message: { id } }) =>
    messages.find(
      (each) =>
        each.session === session &&
        each.from === "server" &&
        each.message.id === id &&
        each.message.method === undefined,
    )?.message;
  const answers = (method) =>
    asked
      .filter(({ message }) => message.method === method)
      .map((each) => ({ params: each.message.params, ...answerOf(each) }));
  const instructions = answers("initialize")
    .concat(answers("server/discover"))
    .map(({ result }) => result?.instructions ?? "");
  const lists = lines.flatMap(({ message }) => message?.result?.tools ?? []);
  return {
    requests,
    instructions: plain(instructions.at(-1) ?? "").trim(),
    given: answers("tools/list").flatMap(({ result }) => result?.tools ?? []),
    lists,
    calls: answers("tools/call").map(plain),
  };
}

/** The functions that a request to the model offers; `own` is the name of one that the host marks as the server's. */
function offeredIn({ tools }) {
  return tools.flatMap(
    ({ type, name, description, parameters, input_schema: schema = parameters, tools: inner }) => {
      if (type !== "namespace")
        return name === undefined
          ? []
          : [{ name, own: /^mcp__tested__(.*)$/.exec(name)?.[1], description, schema }];
      const isOwn = /^mcp__tested(?:__)?$/.test(name);
      return inner.map((each) => ({
        name: name + each.name,
        own: isOwn ? each.name : undefined,
        description: each.description,
        schema: each.parameters,
      }));
    },
  );
}

/** The calls of a conversation with their results, in order: as the host sends them to the model. */
function callsIn({ input = [], messages = [] }) {
  const parts = [...input, ...messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))];
  const made = parts.filter(({ type }) => type === "function_call" || type === "tool_use");
  return made.map(
    ({ call_id, id = call_id, name, arguments: text, input: given = JSON.parse(text ?? "{}") }) => {
      const key = call_id ?? id;
      const result = parts.find(
        (part) => (part.type === "function_call_output" && part.call_id === key) || part.tool_use_id === key,
      );
      return { own: name.replace(/^mcp__tested__/, ""), given, result: result?.output ?? result?.content };
    },
  );
}

/**
 * Compares a report with a record.
 *
 * @returns the differences that the report has, in words, and the faults: those that are not true, and those that are left out
 */
export function judge({ report, findings, listed, record }) {
  const answers = [...record.calls];
  const faults = [];
  const reported = [];
  const claim = (words, isTrue) => {
    reported.push(words);
    if (!isTrue) faults.push(`not true: ${words}`);
  };
  const expect = (isSo, words) => {
    if (!isSo) faults.push(words);
  };
  const { given, lists } = record;
  const count = (request) => offeredIn(request).filter(({ own }) => own !== undefined).length;
  const request = record.requests.toSorted((a, b) => count(b) - count(a))[0];
  const offered = offeredIn(request);
  expect(
    isDeepStrictEqual(
      report.tools.map(({ name }) => name).toSorted(),
      listed.map(({ name }) => name).toSorted(),
    ),
    "the report has other tools than the server",
  );
  const taken = new Set();
  const still = (tool) => canonical(tool).replace(/\d+/g, "N");
  for (const tool of listed) {
    const same = lists.findLast(({ name }) => name === tool.name);
    expect(same && still(same) === still(tool), `the official client is given another ${tool.name}`);
  }
  for (const tool of report.tools) {
    const { name } = tool;
    const source = given.findLast((each) => each.name === name);
    const found = source && offeredFor(name, offered);
    if (found) taken.add(found);
    const isDropped = findings.some(({ message }) =>
      message.includes(`does not get the tool ${JSON.stringify(name)}`),
    );
    if (isDropped) claim(`${name}: dropped`, source !== undefined && !found);
    else expect(found || source === undefined, `left out: ${name} is dropped`);
    if (!tool.isListed) claim(`${name}: not listed to the host`, source === undefined);
    else expect(source !== undefined, `left out: the server does not list ${name} to the host`);
    expect(
      isDeepStrictEqual(
        tool.offered && [tool.offered.name, tool.offered.description, tool.offered.schema],
        found && [found.name, found.description, found.schema],
      ),
      `${name}: not as the model gets it`,
    );
    if (!found || !tool.offered) continue;
    if (found.own !== name) claim(`${name}: named ${found.own}`, tool.offered.name.endsWith(found.own));
    const differences = differencesOf(source, found);
    // A default may be a time: the report has that of the list it read.
    const seen = lists.filter((each) => each.name === name).flatMap((each) => differencesOf(each, found));
    for (const change of tool.changes)
      claim(
        `${name}: ${change.rule} ${change.subject.path} ${change.old} → ${change.new}`,
        isShown(change, seen, source, found),
      );
    const isReported = (difference) => tool.changes.some((change) => covers(change, difference));
    // A definition that is used is at the places of its references, too; it is reported at one of them.
    for (const difference of differences.filter(({ place }) => !inDefinition.test(place))) {
      const { place, keyword, old, next } = difference;
      expect(
        isReported(difference) || differences.some((each) => isSame(each, difference) && isReported(each)),
        `left out: ${name} ${place} ${keyword}: ${old} → ${next}`,
      );
    }
    for (const { rule, does, tool: of } of tool.rules)
      if (of === name)
        claim(
          `${name}: ${does} for ${rule}`,
          does === "renames"
            ? found.own !== name
            : canonical([source.description, source.inputSchema]) !==
                canonical([found.description, found.schema]),
        );
  }
  expect(
    report.others === offered.length - taken.size,
    `${report.others} tools of the host, but ${offered.length - taken.size}`,
  );
  for (const { name, own } of offered)
    expect(own === undefined || [...taken].some((each) => each.name === name), `left out: ${name} is new`);
  expect(
    JSON.stringify(request).includes(JSON.stringify(record.instructions).slice(1, -1)),
    "left out: the instructions are changed",
  );
  const made = callsIn(record.requests.at(-1));
  for (const { tool, arguments: args = {}, result } of report.calls) {
    const own = offeredFor(tool, offered)?.own;
    const at = made.findIndex((call) => call.own === own && isDeepStrictEqual(call.given, args));
    const [call] = at < 0 ? [] : made.splice(at, 1);
    const answered = answers.findIndex(
      ({ params }) => params.name === tool && isDeepStrictEqual(params.arguments ?? {}, args),
    );
    const [answer] = answered < 0 ? [] : answers.splice(answered, 1);
    expect(isDeepStrictEqual(result, call?.result), `${tool}: not the result that the model gets`);
    if (result === undefined) claim(`${tool}: no result`, call?.result === undefined);
    else
      for (const part of partsOf(answer))
        expect(
          textOf(result).includes(part),
          `left out: the result of ${tool} is changed: ${part.slice(0, 200)}`,
        );
  }
  return { reported, faults };
}

/** The texts of which the model gets one, or all: structured content in place of texts. */
function partsOf(answer) {
  if (answer?.error) return [answer.error.message];
  const { structuredContent, content = [] } = answer?.result ?? {};
  if (structuredContent !== undefined) return [JSON.stringify(structuredContent)];
  return content.flatMap(({ type, text, data }) =>
    type === "text" ? [text] : type === "image" ? [data] : [],
  );
}

function textOf(result) {
  if (typeof result === "string") return result;
  return result.map(({ text, image_url, source }) => text ?? image_url ?? source?.data ?? "").join("\n");
}

/** The offered function of a listed tool: of its name, or of its name in the letters that model APIs take. */
function offeredFor(name, offered) {
  const own = offered.filter((each) => each.own !== undefined);
  return [name, name.replace(/[^\w-]/g, "_"), name.replace(/\W/g, "_")]
    .map((each) => own.find((other) => other.own === each))
    .find((each) => each !== undefined);
}

const shapes = ["type", "enum", "union", "nullable"];
const objects = ["additionalProperties", "unevaluatedProperties", "patternProperties"];
const limits = [
  ...[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
  ],
  ...["minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "minContains", "maxContains"],
  ...[
    "contentEncoding",
    "contentMediaType",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
  ],
];
const texts = ["title", "description"];
const read = [
  ...["default", "deprecated", "required", "enum", "type", "nullable"],
  ...objects,
  ...limits,
  ...texts,
];

/** The keywords of which one differs where a finding is true, by the first word of its rule. */
const shownBy = {
  text: texts,
  default: ["default"],
  deprecated: ["deprecated"],
  bound: limits,
  object: objects,
  map: objects,
  property: ["properties", "required"],
  ...Object.fromEntries(
    ["type", "nullable", "integer", "number", "enum", "const", "union", "became"].map((word) => [
      word,
      shapes,
    ]),
  ),
};

/** What `propertyNames` says of every object. */
const nameIsText = '{"type":"string"}';

/** Findings that tell of all that is inside of their place, too. */
const whole = /^(?:property-(?:removed|added|renamed)|type-|union-|became-union|map-)/;

const wordOf = (rule) => rule.split("-")[0];

const inDefinition = /^arguments\.\$defs\/[^.[{]+/;

/** Whether a difference inside of a definition is the one at the place of a reference. */
function isSame({ place, ...difference }, { place: used, ...other }) {
  return (
    inDefinition.test(place) &&
    used.endsWith(place.replace(inDefinition, "")) &&
    isDeepStrictEqual(difference, other)
  );
}

/** Whether a finding names a difference that there is. */
function isShown({ rule, subject: { path, member }, old, new: next }, differences, source, found) {
  // Written in another way, and nothing else.
  if (rule === "schema-rewritten" && path === "arguments")
    return (
      differences.every(({ place }) => place === "" || inDefinition.test(place)) &&
      canonical(source.inputSchema) !== canonical(found.schema)
    );
  const meant = shownBy[wordOf(rule)] ?? [];
  const places = [
    path,
    `${path}.${member}`,
    ...(wordOf(rule) === "property" ? [path.replace(/\.[^.]*$/, "")] : []),
  ];
  const at = path === "description" ? [""] : places;
  return differences.some((each) => {
    if (!at.includes(each.place) || !meant.includes(each.keyword)) return false;
    const says = (text, values = []) =>
      text === null || values.some((value) => text.includes(value) || text === JSON.parse(value));
    return (
      !["text", "default", "bound"].includes(wordOf(rule)) || (says(old, each.old) && says(next, each.next))
    );
  });
}

/** Whether a finding covers a difference: at its place, or around it. */
function covers({ rule, subject: { path, member } }, { place, keyword }) {
  const at = place === "" ? "description" : place;
  if (whole.test(rule) && (at.startsWith(path) || at === `${path}.${member}`)) return true;
  return at === path && (shownBy[wordOf(rule)] ?? []).includes(keyword);
}

/** The facts of each schema of a record, which several reports are judged by. */
const known = new WeakMap();

/**
 * The facts of a schema: the values of each keyword at each place of the arguments. References are followed, and the arms of a
 * union are at its place.
 */
function factsOf(schema) {
  const facts = known.get(schema) ?? new Map();
  if (facts.size > 0) return facts;
  known.set(schema, facts);
  const add = (place, keyword, value) => {
    const key = JSON.stringify([place, keyword]);
    facts.set(key, [...(facts.get(key) ?? []), canonical(value)].toSorted());
  };
  const walk = (part, place, above) => {
    if (typeof part !== "object" || part === null) return;
    if (typeof part.$ref === "string" && !above.includes(part.$ref))
      walk(at(schema, part.$ref), place, [...above, part.$ref]);
    const { const: only, ...written } = part;
    for (const [end, one] of [
      ["inimum", 1],
      ["aximum", -1],
    ])
      if (written.type === "integer" && Number.isInteger(written[`exclusiveM${end}`])) {
        written[`m${end}`] ??= written[`exclusiveM${end}`] + one;
        delete written[`exclusiveM${end}`];
      }
    const values = written.enum ?? ("const" in part ? [only] : undefined);
    for (const keyword of read) {
      // What everything else says already, or what is so without a word.
      if (keyword === "enum" && values) for (const value of values) add(place, "enum", value);
      else if (keyword === "required")
        for (const name of written.required ?? []) add(place, "required", name);
      else if (keyword === "type") {
        if (!values) for (const type of [written.type ?? []].flat()) add(place, "type", type);
      } else if (
        keyword in written &&
        (typeof written[keyword] !== "object" || !objects.includes(keyword)) &&
        canonical(written[keyword]) !== nameIsText &&
        !(objects.includes(keyword) && written[keyword] === true)
      )
        add(place, keyword, written[keyword]);
    }
    for (const [name, each] of Object.entries(part.properties ?? {})) {
      add(place, "properties", name);
      walk(each, `${place}.${name}`, above);
    }
    for (const each of [part.items, part.contains, part.prefixItems].flat()) walk(each, `${place}[]`, above);
    for (const each of [
      part.additionalProperties,
      part.unevaluatedProperties,
      ...Object.values(part.patternProperties ?? {}),
    ])
      walk(each, `${place}{}`, above);
    for (const each of [part.anyOf, part.oneOf, part.allOf].flat()) walk(each, place, above);
  };
  walk(schema, "arguments", []);
  for (const holder of ["$defs", "definitions"])
    for (const [name, each] of Object.entries(schema[holder] ?? {}))
      walk(each, `arguments.$defs/${name}`, [`#/${holder}/${name}`]);
  return facts;
}

/** The differences of a tool and of what the host offers; those of the tool's description have no place. */
function differencesOf(source, found) {
  const [before, after] = [
    [source.inputSchema, source],
    [found.schema ?? {}, found],
  ].map(([schema, { description }]) => {
    const facts = new Map(factsOf(schema));
    if (description !== undefined)
      facts.set(JSON.stringify(["", "description"]), [JSON.stringify(description)]);
    return facts;
  });
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [old, next] = [before.get(key), after.get(key)];
    const [place, keyword] = JSON.parse(key);
    return isDeepStrictEqual(old, next) ? [] : [{ place, keyword, old, next }];
  });
}

function at(root, reference) {
  const tokens = reference
    .replace(/^#\/?/, "")
    .split("/")
    .filter((token) => token !== "");
  return tokens.reduce(
    (value, token) => value?.[decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")],
    root,
  );
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "nothing";
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
}
