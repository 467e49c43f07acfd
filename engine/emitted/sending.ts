import type { Base64Member, ExactAnswer, ExactDefinition, SendTable, UndefinedMessage } from "./model.js";

// Finds messages that are not what their revision defines, before they are sent.

/** Entries by method. A Map: a method named like a member that every object has is not found in it. */
export function byMethod<Entry>(entries: Readonly<Record<string, Entry>>): ReadonlyMap<string, Entry> {
  return new Map(Object.entries(entries));
}

/** A table with the function that judges messages by it. */
export function sendTable<R extends string>(table: Omit<SendTable<R>, "find">): SendTable<R> {
  const { base64 } = table;
  return {
    ...table,
    find: (kind, method, value) => {
      const entry = table[kind].get(method);
      if (entry === undefined) return undefined;
      const definition = "is" in entry ? entry : answerFor(entry, value);
      const wrong = findWrong(definition, base64, value);
      // Only JSON is sent: `toJSON` may have made what the definition wants.
      return wrong && findWrong(definition, base64, inJson(value));
    },
  };
}

/** The definition of a result: that of its mark, or the plain one. */
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

/** The value as it is sent. */
function inJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    // It is no JSON: sending it fails.
    return value;
  }
}

/** Members that lead to content. Others hold values of the application, which may look like content. */
const holders = ["messages", "content", "contents"];

/** Members of a message that hold results and requests by key. */
const maps = ["inputRequests", "inputResponses"];

/**
 * The JSON Pointer of a member that should hold base64 and does not. The pointer is made only if there is
 * one.
 */
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

/** As `wrongBase64`, of an item of content, or of a list of items. */
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

/** White space, which `atob` allows. */
const blanks = [" ", "\n", "\r", "\t", "\f"];

/** Base64 with padding (RFC 4648, section 4). */
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
