import type {
  Base64Member,
  ExactAnswer,
  ExactDefinition,
  Role,
  SendTable,
  UndefinedMessage,
} from "./model.js";

// Finds messages that are not what their revision defines, before they are sent.

/** A table with the function that judges messages by it. */
export function sendTable<R extends Role>(
  table: Omit<SendTable<R>, "find">,
): SendTable<R> {
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
function answerFor(
  answers: readonly ExactAnswer[],
  value: unknown,
): ExactDefinition {
  const members = isObject(value) ? value : {};
  const marked = answers.find(
    ({ key, value: mark }) =>
      key !== undefined &&
      (mark === undefined ? members[key] !== undefined : members[key] === mark),
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

/**
 * Members that lead to content. Others hold values of the application, which may
 * look like content.
 */
const holders = ["params", "messages", "content", "contents", "resource"];

/** Members with requests and results by key. */
const maps = ["inputRequests", "inputResponses"];

/**
 * The JSON Pointer of a member that should hold base64 and does not. The pointer
 * is made only if there is one.
 */
function wrongBase64(
  members: readonly Base64Member[],
  value: unknown,
): string | undefined {
  if (Array.isArray(value)) return firstWrong(members, value, value.keys());
  if (!isObject(value)) return undefined;
  for (const { member, is } of members) {
    const text = value[member];
    if (typeof text === "string" && is(value) && !isBase64(text)) {
      return inside(member);
    }
  }
  const wrong = firstWrong(members, value, holders);
  if (wrong !== undefined) return wrong;
  for (const key of maps) {
    const map = value[key];
    if (!isObject(map)) continue;
    const within = firstWrong(members, map, Object.keys(map));
    if (within !== undefined) return inside(key) + within;
  }
  return undefined;
}

function firstWrong(
  members: readonly Base64Member[],
  value: object,
  keys: Iterable<string | number>,
): string | undefined {
  for (const key of keys) {
    const inner = (value as { readonly [key: string]: unknown })[key];
    if (typeof inner !== "object") continue;
    const wrong = wrongBase64(members, inner);
    if (wrong !== undefined) return inside(String(key)) + wrong;
  }
  return undefined;
}

function inside(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Base64 with padding (RFC 4648, section 4). */
function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text);
}

function isObject(
  value: unknown,
): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
