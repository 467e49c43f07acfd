import { McpError } from "../peer/errors.js";
import { isObject } from "../peer/message.js";
import type { HttpOptions } from "./http-options.js";
import type { ResponseForm } from "./post-channel.js";
import type { ServeHttpOptions } from "./serve-http.js";
import type { SessionLimits } from "./sessions.js";
import { locate } from "./sse-name.js";
import type { SseOptions } from "./sse-requests.js";

/**
 * What an option may be: a whole number from that one on, or between those; a value of that type; one of those words;
 * a list of what matches, such as that; or `true`, `false` and options of its own.
 */
type Rule =
  | number
  | readonly [from: number, to: number]
  | "boolean"
  | "string"
  | "object"
  | "function"
  | readonly string[]
  | readonly [RegExp, string]
  | OwnRules;

interface OwnRules {
  readonly [name: string]: Rule;
}

/** A rule for every option that there is. */
type Rules<Options> = { readonly [name in keyof Required<Options>]: Rule };

/** What each option may be. */
const httpRules: Rules<HttpOptions> = {
  allowedHosts: [/^[^\s/*]+$/, "api.example.com"],
  allowedOrigins: [/^([a-z][a-z\d+.-]*:\/\/[^\s/*]+\/?|null)$/i, "https://app.example.com"],
  dangerouslyAllowAnyHost: "boolean",
  dangerouslyAllowAnyOrigin: "boolean",
  sessions: { maxSessions: 1, maxPerPrincipal: 1, idleMs: 1, maxRequests: 1 } satisfies Rules<SessionLimits>,
  sse: { messages: "string" } satisfies Rules<SseOptions>,
  bodyLimit: 1,
  bodiesLimit: 1,
  maxConcurrent: 1,
  keptLimit: 1,
  maxStreams: 1,
  responses: ["auto", "json", "sse"] satisfies ResponseForm[],
  events: "object",
  keepAliveMs: 0,
  retryMs: 0,
  streamMs: 0,
  graceMs: 0,
  authenticate: "function",
};

const serveRules: Rules<ServeHttpOptions> = {
  ...httpRules,
  port: [0, 65_535],
  host: "string",
  path: "string",
  headersTimeout: 0,
  requestTimeout: 0,
};

/** Timers of platforms take no more milliseconds. */
const longest = 2 ** 31 - 1;

/**
 * Looks at options once, where something is made of them: what is misspelt would be missed only when it matters.
 *
 * @throws {McpError} `invalid-definition`: there is no option of a name, or its value is none for it
 */
export function checkHttpOptions(options: HttpOptions): void {
  check(options, httpRules);
}

/** The same of a server with a port of its own. @throws {McpError} `invalid-definition` */
export function checkServeOptions(options: ServeHttpOptions): void {
  check(options, serveRules);
  const { host = "localhost", path = "/" } = options;
  if (host === "") throw invalid('host: expected a name or an address, got "".');
  // What a URL would write otherwise never comes.
  if (locate(path)?.pathname !== path)
    throw invalid(`path: expected one as it stands in URLs, such as "/mcp", got ${JSON.stringify(path)}.`);
}

function check(given: object, rules: OwnRules, place = ""): void {
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    const rule = Object.hasOwn(rules, name) ? rules[name]! : undefined;
    if (rule === undefined)
      throw invalid(`${place}${name}: there is no such option. ${suggestion(name, Object.keys(rules))}`);
    const expected = value === undefined ? undefined : misfit(value, rule, `${place}${name}.`);
    if (expected === undefined) continue;
    // JSON has no NaN, and nothing for a function.
    const got = typeof value === "number" ? value : (JSON.stringify(value) ?? typeof value);
    throw invalid(`${place}${name}: expected ${expected}, got ${got}.`);
  }
}

/** What is expected of a value that does not keep to its rule. */
function misfit(value: unknown, rule: Rule, place: string): string | undefined {
  if (typeof rule === "number") return misfit(value, [rule, longest], place);
  if (typeof rule === "string")
    return typeof value === rule && value !== null ? undefined : `${rule === "object" ? "an" : "a"} ${rule}`;
  if (Array.isArray(rule)) return unlisted(value, rule);
  if (isObject(value)) check(value, rule as OwnRules, place);
  else if (typeof value !== "boolean") return "true, false or an object";
  return undefined;
}

function unlisted(value: unknown, rule: readonly unknown[]): string | undefined {
  const [form, last] = rule as readonly [unknown, number | string];
  if (typeof form === "number") {
    const fits =
      Number.isInteger(value) && (value as number) >= form && (value as number) <= (last as number);
    return fits ? undefined : `a whole number from ${form} to ${last}`;
  }
  if (!(form instanceof RegExp)) return rule.includes(value) ? undefined : rule.join(" or ");
  const fits = Array.isArray(value) && value.every((each) => typeof each === "string" && form.test(each));
  return fits ? undefined : `a list such as ["${last}"]`;
}

function invalid(message: string): McpError {
  return new McpError("invalid-definition", message);
}

function suggestion(name: string, names: readonly string[]): string {
  const far = (other: string): number => edits(name.toLowerCase(), other.toLowerCase());
  const nearest = names.reduce((one, other) => (far(other) < far(one) ? other : one));
  return far(nearest) <= Math.max(2, nearest.length / 3)
    ? `Did you mean ${nearest}?`
    : `There are ${names.join(", ")}.`;
}

/** How many letters are to be put in, left out or changed to make one of the other. */
function edits(one: string, other: string): number {
  let above = [...other, ""].map((_, at) => at);
  for (const letter of one) {
    const row = [above[0]! + 1];
    for (let at = 0; at < other.length; at++)
      row.push(Math.min(above[at]! + (letter === other[at] ? 0 : 1), above[at + 1]! + 1, row[at]! + 1));
    above = row;
  }
  return above.at(-1)!;
}
