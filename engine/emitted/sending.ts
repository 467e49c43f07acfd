import type { Base64Member, ExactAnswer, ExactDefinition, SendTable, UndefinedMessage } from "./model.js";

// Finds messages that do not match the definitions of their revision, before they are sent.

/** Makes a Map of entries by method. A Map has no inherited members, such as `constructor`. */
export function byMethod<Entry>(entries: Readonly<Record<string, Entry>>): ReadonlyMap<string, Entry> {
  return new Map(Object.entries(entries));
}

/** Adds `find` to a table of exact validators. */
export function sendTable<R extends string>(table: Omit<SendTable<R>, "find">): SendTable<R> {
  const { base64 } = table;
  return {
    ...table,
    find: (kind, method, value) => {
      const entry = table[kind].get(method);
      if (entry === undefined) return undefined;
      const definition = "is" in entry ? entry : answerFor(entry, value);
      const wrong = findWrong(definition, base64, value);
      // A value may become valid by its `toJSON`: validate it as JSON before an error is reported.
      return wrong && findWrong(definition, base64, inJson(value));
    },
  };
}

/** Selects the definition of a result: the alternative whose mark it has, or the plain result. */
function answerFor(answers: readonly ExactAnswer[], value: unknown): ExactDefinition {
  const members = isObject(value) ? value : {};
  const marked = answers.find(
    ({ key, value: mark }) =>
      key !== undefined && (mark === undefined ? members[key] !== undefined : members[key] === mark),
  );
  return marked ?? answers[0]!;
}

function findWrong(
  definition: ExactDefinition,
  base64: readonly Base64Member[],
  value: unknown,
): UndefinedMessage | undefined {
  if (!definition.is(value)) return { definition, value };
  const pointer = wrongBase64(base64, value);
  return pointer === undefined ? undefined : { definition, value, pointer };
}

/** The value after `JSON.stringify` and `JSON.parse`, as the receiver gets it. */
function inJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    // The value is not JSON: sending it fails.
    return value;
  }
}

/** Members that may hold content. Other members hold application data, which may only look like content. */
const holders = ["messages", "content", "contents"];

/** Members of a message that are objects of requests or results, by key. */
const maps = ["inputRequests", "inputResponses"];

/** Returns the JSON Pointer of the first member that should be base64 and is not. */
function wrongBase64(members: readonly Base64Member[], value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  for (const key of holders) {
    const held = value[key];
    if (held === undefined) continue;
    const wrong = wrongItem(members, held);
    if (wrong !== undefined) return inside(key) + wrong;
  }
  for (const key of maps) {
    const map = value[key];
    if (!isObject(map)) continue;
    for (const name of Object.keys(map)) {
      const wrong = wrongBase64(members, map[name]);
      if (wrong !== undefined) return inside(key) + inside(name) + wrong;
    }
  }
  if (value["params"] === undefined) return undefined;
  const wrong = wrongBase64(members, value["params"]);
  return wrong === undefined ? undefined : inside("params") + wrong;
}

/** As `wrongBase64`, for an item of content or a list of items. */
function wrongItem(members: readonly Base64Member[], item: unknown): string | undefined {
  if (Array.isArray(item)) {
    for (let index = 0; index < item.length; index++) {
      const wrong = wrongItem(members, item[index]);
      if (wrong !== undefined) return `/${index}${wrong}`;
    }
    return undefined;
  }
  if (!isObject(item)) return undefined;
  for (const { member, is } of members) {
    const text = item[member];
    if (typeof text === "string" && is(item) && !isBase64(text)) {
      return inside(member);
    }
  }
  const { resource, content } = item;
  if (resource !== undefined) {
    const wrong = wrongItem(members, resource);
    if (wrong !== undefined) return `/resource${wrong}`;
  }
  if (content === undefined) return undefined;
  const wrong = wrongItem(members, content);
  return wrong === undefined ? undefined : `/content${wrong}`;
}

function inside(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

// Declared here, so that no types of a platform are needed.
declare function atob(text: string): string;

/** White space that `atob` accepts. */
const blanks = [" ", "\n", "\r", "\t", "\f"];

/** Whether a text is base64 with padding (RFC 4648, section 4). */
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  if (blanks.some((blank) => text.includes(blank))) return false;
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
