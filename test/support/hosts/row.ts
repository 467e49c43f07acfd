import { isDeepStrictEqual } from "node:util";
import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import { lintContract } from "../../../generator/lint/lint-contract.js";
import { hostNames } from "../../../generator/lint/host-rows.js";
import { effects as lintEffects, everyProfile } from "../../../generator/lint/rule.js";
import { anthropic } from "../../../generator/host/model/anthropic.js";
import { gemini } from "../../../generator/host/model/gemini.js";
import { openaiChat } from "../../../generator/host/model/openai-chat.js";
import { openaiResponses } from "../../../generator/host/model/openai-responses.js";
import type { HostTool } from "../../../generator/host/host-test.js";
import type { OfferedTool } from "../../../generator/host/model/dialect.js";
import { serverName } from "../../../generator/host/run-host.js";
import { type Case, type CaseTool, called, longText, picture, sizes, sound } from "../host-cases.js";
import { type Observed, type Part, type Ruled, quietFor, startsIn } from "./observe.js";
import type { Run } from "./run.js";

/** What a host does with a tool that a rule reports, from the worst on. */
export const effects = ["drops-all", "drops", "fails", "renames", "cuts", "rewrites"] as const;

export type Effect = (typeof effects)[number];

/** The members of a row in hosts.json that are observed. */
export interface Row {
  api?: string;
  name?: string;
  revision?: Partial<Record<"stdio" | "http" | "legacy", string>>;
  rules?: Record<string, Effect>;
  olderRules?: Record<string, Effect | "nothing">;
  schema?: readonly string[];
  result?: Record<string, JsonValue>;
  questions?: string;
  progress?: boolean;
  quiet?: Record<string, Record<string, number>>;
  startup?: Record<string, number>;
  restart?: Record<string, string>;
  cancel?: boolean;
  bearer?: boolean;
  proxy?: boolean;
}

/** Computes the row of a host from what was seen. */
export function rowOf(observed: Observed): Row {
  const {
    culprits = [],
    rules,
    older,
    stdio,
    http,
    legacy,
    cancel,
    restart,
    quiet,
    startup,
    proxy,
    touched,
  } = observed;
  // A host that offers no tool shows nothing of how it offers tools.
  const some = [stdio, http, rules].find((run) => run && resultOf(run, "echo") !== "");
  const revision = {
    ...revisionOf("stdio", stdio),
    ...revisionOf("http", http),
    ...(legacy && legacyOf(legacy)),
  };
  const api = some && apiOf(some);
  const name = some && nameOf(some);
  return {
    ...(api !== undefined && { api }),
    ...(name !== undefined && { name }),
    ...(Object.keys(revision).length > 0 && { revision }),
    ...(rules && rulesOfBoth({ culprits, rules }, older)),
    ...(some && { schema: schemaOf(some) }),
    ...(stdio && stdio === some && { result: resultsOf(stdio), ...questionsOf(stdio) }),
    ...(some && { progress: some.seen.some(({ progress }) => progress) }),
    ...(quiet && { quiet: { stdio: silence(quiet.stdio), http: silence(quiet.http) } }),
    ...(startup && { startup: startupOf(startup) }),
    ...(restart && {
      restart: Object.fromEntries(Object.entries(restart).map(([way, each]) => [way, again(each)])),
    }),
    ...(cancel && cancelOf(cancel)),
    ...(http && { bearer: resultOf(http, "echo").includes(called("echo")) }),
    ...(proxy && { proxy: Object.values(proxy).every(isBehind) && (touched?.addresses ?? []).length === 0 }),
  };
}

/** What the host did with each case, for the evidence. */
export function caseEffects(run: Run, culprits: readonly Case[], cases: readonly Case[]): CaseEffect[] {
  return cases.map((each) => {
    const { what, rule, tool } = each;
    const seen = run.tools.find(({ name }) => name === tool.name);
    const effect = culprits.includes(each) || !seen ? "drops-all" : effectOf(each, seen, run);
    const mended = effect || !seen?.offered ? [] : mendedRules(tool, seen.offered, run);
    return {
      what,
      ...(rule !== undefined && { rule }),
      ...(effect && { effect }),
      ...(mended.length > 0 && { effect: "rewrites", mended }),
    };
  });
}

export interface CaseEffect {
  readonly what: string;
  readonly rule?: string;
  readonly effect?: Effect;
  /** Rules of lint that the tool violates as listed, and not as offered. */
  readonly mended?: readonly string[];
}

/** Members that have a member for each of several parts. */
export const inParts = new Set(["revision", "quiet", "restart"]);

/** The members that a part must show, if the row has them. */
const shownBy: { readonly [Name in Part]: readonly string[] } = {
  rules: ["rules", "olderRules"],
  stdio: ["api", "name", "schema", "result", "questions", "progress", "revision.stdio"],
  http: ["bearer", "revision.http"],
  stateless: [],
  legacy: ["revision.legacy"],
  restart: ["restart.kept", "restart.sealed", "restart.stateless"],
  cancel: ["cancel"],
  quiet: ["quiet.stdio", "quiet.http"],
  startup: ["startup"],
  proxy: ["proxy"],
  touched: [],
  repeated: [],
};

/** The members of the row that are not as hosts.json says; members in parts are compared part by part. */
export function differencesOf(
  before: Record<string, unknown>,
  row: object,
  wanted: Iterable<Part>,
): string[] {
  const lines = (path: string, old: unknown, next: unknown): string[] =>
    isDeepStrictEqual(old, next) ? [] : [`${path}: ${JSON.stringify(old)}, now ${JSON.stringify(next)}`];
  const [old, next] = [before, row].map((each) => new Map(pathsOf(each)));
  const missing = [...wanted]
    .flatMap((part) => shownBy[part])
    .filter((path) => old!.has(path) && !next!.has(path));
  return [
    ...[...next!].flatMap(([path, value]) => objectLines(path, old!.get(path), value, lines)),
    ...missing.flatMap((path) => lines(path, old!.get(path), undefined)),
  ];
}

/** The members of a row beside those of hosts.json, a line each. */
export function besideRow(before: Record<string, unknown>, row: object, wanted: Iterable<Part>): string[] {
  const old = new Map(pathsOf(before));
  const same = pathsOf(row).filter(([path, value]) => isDeepStrictEqual(old.get(path), value));
  return [
    ...same.map(([path, value]) => `= ${path}: ${JSON.stringify(value)}`),
    ...differencesOf(before, row, wanted).map((line) => `≠ ${line}`),
  ];
}

/** The members of a row with their paths. */
function pathsOf(row: object): [path: string, value: unknown][] {
  return Object.entries(row).flatMap(([member, value]): [string, unknown][] =>
    inParts.has(member)
      ? Object.entries(value as object).map(([part, each]) => [`${member}.${part}`, each])
      : [[member, value]],
  );
}

/** A line for each member of an object that differs. */
function objectLines(
  path: string,
  old: unknown,
  next: unknown,
  lines: (path: string, old: unknown, next: unknown) => string[],
): string[] {
  const isPlain = (each: unknown): each is Record<string, unknown> =>
    typeof each === "object" && each !== null && !Array.isArray(each);
  if (!isPlain(old) || !isPlain(next)) return lines(path, old, next);
  const keys = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  return keys.flatMap((key) => lines(`${path}.${key}`, old[key], next[key]));
}

function revisionOf(where: string, run: Run | undefined): Record<string, string> {
  const revision = run?.seen[0]?.revision;
  return revision === undefined ? {} : { [where]: revision };
}

/** One revision, if the host speaks the same over both; else a text that fits no row. */
function legacyOf({ stdio, http }: NonNullable<Observed["legacy"]>): { legacy?: string } {
  const [one, other] = [stdio, http].map(({ seen }) => seen[0]?.revision);
  if (one !== other) return { legacy: `${one ?? "nothing"} over stdio, ${other ?? "nothing"} over HTTP` };
  return one === undefined ? {} : { legacy: one };
}

/** Whether a host reached what only its proxy knows, and nothing past the proxy. */
function isBehind(run: Run): boolean {
  return resultOf(run, "echo").includes(called("echo")) && run.direct!.length === 0;
}

function apiOf({ paths }: Run): string | undefined {
  const dialects = [anthropic, openaiChat, openaiResponses, gemini];
  return dialects.find(({ path }) => paths.some((each) => path.test(each)))?.name;
}

/** What stands before the names of tools. */
function prefixOf({ tools }: Run): string {
  return tools.find(({ name }) => name === "echo")?.offered?.name.slice(0, -"echo".length) ?? "";
}

/** A slash stands after a namespace that the host gives apart from the name. */
function nameOf({ tools }: Run): string | undefined {
  const offered = tools.find((each) => each.name === "echo")?.offered;
  if (!offered) return undefined;
  const { name, namespace = "" } = offered;
  const parted = namespace === "" ? name : `${namespace}/${name.slice(namespace.length)}`;
  return parted.replace(serverName, "SERVER").replace(/echo$/, "TOOL");
}

/** What a host does by rule, and where that is something else with an older server. */
function rulesOfBoth(newest: Ruled, older: Ruled | undefined): Pick<Row, "rules" | "olderRules"> {
  const [rules, others] = [newest, older].map((each) => each && rulesOf(each.rules, each.culprits));
  const all = [...new Set([...Object.keys(rules!), ...Object.keys(others ?? {})])].toSorted();
  const differing = all.filter((rule) => others && rules![rule] !== others[rule]);
  const olderRules = Object.fromEntries(
    differing.map((rule) => [rule, others![rule] ?? ("nothing" as const)] as const),
  );
  return { rules: rules!, ...(differing.length > 0 && { olderRules }) };
}

/**
 * The rules for which the host does the same with all cases: a rule that some case violates without an effect, or with one of
 * another kind, does not say what the host does.
 */
function rulesOf(run: Run, culprits: readonly Case[]): Record<string, Effect> {
  const seen = casesOf(run, culprits).map((each) => ({
    ...caseEffects(run, culprits, [each])[0]!,
    broken: brokenRules(each.tool, run),
  }));
  const effectOn = ({ effect, mended = [] }: CaseEffect, rule: string): Effect | undefined =>
    effect === "rewrites" && !mended.includes(rule) ? undefined : effect;
  const isLess = (rule: string): boolean =>
    seen.some((each) => each.broken.includes(rule) && effectOn(each, rule) === undefined);
  const found = new Map<string, Set<Effect>>();
  for (const each of seen) {
    // A rule that the case was written for explains what others might, too.
    const able = each.broken.filter((rule) => !isLess(rule));
    const meant = able.filter((rule) => each.effect === "rewrites" || rule === each.rule);
    for (const rule of meant.length > 0 ? meant : able)
      if (each.effect) found.set(rule, (found.get(rule) ?? new Set()).add(each.effect));
  }
  const levels = (given: ReadonlySet<Effect>): number =>
    new Set([...given].map((effect) => lintEffects[effect].level)).size;
  return Object.fromEntries(
    [...found]
      .filter(([, given]) => levels(given) === 1)
      .map(([rule, given]): [string, Effect] => [rule, effects.find((effect) => given.has(effect))!])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function effectOf({ tool }: Case, { offered }: HostTool, run: Run): Effect | undefined {
  // Under a name that does not show whose it is, the description does.
  if (!offered) return tool.description !== "" && run.heard.has(tool.description) ? "renames" : "drops";
  const call = run.calls.find((each) => each.tool === tool.name);
  const shown = wordsOf(call?.result);
  const isFine = shown.includes(called(tool.name)) || (tool.outputSchema && !/error/i.test(shown));
  if (call?.result !== undefined && (call.isError === true || !isFine)) return "fails";
  if (offered.name !== prefixOf(run) + tool.name) return "renames";
  const { description = "" } = offered;
  return isCut(description.trim(), tool.description.trim()) ? "cuts" : undefined;
}

/** The rules that a tool violates as listed, and not as offered. */
function mendedRules(tool: CaseTool, { description = "", schema = null }: OfferedTool, run: Run): string[] {
  if (!isJsonObject(schema)) return [];
  const left = new Set(brokenRules({ ...tool, description, inputSchema: schema }, run));
  return brokenRules(tool, run).filter((rule) => !left.has(rule));
}

/**
 * The rules that a tool violates for any model: those about names in hosts by the name that this host makes. Schemas of results
 * reach no model: only rules about them alone count there.
 */
function brokenRules(tool: CaseTool, run: Run): string[] {
  const { name } = tool;
  const inHost = (nameOf(run) ?? "TOOL").replace(/^.*\//, "").replace("SERVER", serverName);
  const broken = [name, inHost.replace("TOOL", () => name)].flatMap((each, index) =>
    lintContract({ name: "probe", version: "1", tools: [{ ...tool, name: each }] }, [
      ...everyProfile,
      // Some rules are about hosts alone.
      ...(index === 0 ? hostNames : []),
    ])
      .filter(({ rule: { id, inHosts = false }, pointer }) => {
        const inResult = pointer.startsWith("/tools/0/outputSchema");
        return inHosts === (index === 1) && inResult === id.startsWith("result-");
      })
      .map(({ rule }) => rule.id),
  );
  return [...new Set(broken)];
}

/** Whether a text is the beginning of another, but for a mark of the host at its end. */
function isCut(text: string, whole: string): boolean {
  return text !== whole && text.length > 100 && whole.startsWith(text.slice(0, -60));
}

function schemaOf(run: Run): string[] {
  const found = run.tools.find(({ name }) => name === "broad");
  return [...new Set(found?.changes.map(({ rule }) => rule))].toSorted();
}

function resultsOf(run: Run): Record<string, JsonValue> {
  const structured = resultOf(run, "structured");
  const [content, structure] = ["of content", "of structure"].map((text) => structured.includes(text));
  const passes = (tool: string, passed: boolean): string => {
    if (passed) return "passed";
    return resultOf(run, tool).trim() === "" ? "dropped" : "replaced";
  };
  const has = (tool: string, text: string): string => passes(tool, resultOf(run, tool).includes(text));
  const lost = sizes.find((size) => !isWhole(run, size));
  const whole = sizes.findLast((size) => lost === undefined || size < lost);
  return {
    ...(structured !== "" && { structured: structure ? (content ? "beside" : "instead") : "ignored" }),
    image: passes("image", run.heard.has(picture)),
    audio: passes("audio", run.heard.has(sound)),
    link: has("link", "probe://linked"),
    embedded: has("embedded", "of the resource"),
    json: has("json", called("json")),
    isError: shown(run, "failed"),
    protocolError: shown(run, "refused"),
    wrongArguments: shown(run, "needing"),
    text: { ...(whole !== undefined && { whole }), ...(lost !== undefined && { cut: lost }) },
  };
}

function isWhole(run: Run, size: number): boolean {
  const lines = (text: string): number => text.split("as texts that tools return have").length;
  const result = resultOf(run, `text_${size}`);
  return lines(result) >= lines(longText(size)) && result.includes(`last of ${size}`);
}

function questionsOf({ seen }: Run): { questions?: string } {
  const answer = seen.find(({ tool }) => tool === "asked")?.answer;
  if (answer === undefined) return {};
  return { questions: answer === "missing-capability" ? "not offered" : answer };
}

/** The quiet tool's time if its result came; otherwise the time after which the host gave up, in steps of five seconds. */
function silence(run: Run): Record<string, number> {
  const [call] = run.calls;
  if (wordsOf(call?.result).includes(called("quiet"))) return { worked: quietFor };
  return call?.milliseconds === undefined ? {} : { limit: Math.round(call.milliseconds / 5000) * 5000 };
}

/** The command's time if its tool was called; otherwise the time after which the host ended it, in steps of five seconds. */
function startupOf(run: Run): Record<string, number> {
  if (resultOf(run, "echo").includes(called("echo"))) return { worked: startsIn };
  return { limit: Math.round((run.lived ?? 0) / 5000) * 5000 };
}

/** Whether the server learnt of the interruption; unknown if the tool was never called. */
function cancelOf({ seen }: Run): { cancel?: boolean } {
  const end = seen.find(({ tool }) => tool === "quiet ended");
  return end ? { cancel: end.answer === "stopped" } : {};
}

/** Which call after a restart works again. */
function again({ calls }: Run): string {
  const fine = calls.filter(({ tool }) => tool === "after").map(({ result }) => wordsOf(result));
  const first = fine.findIndex((text) => text.includes(called("after")));
  return ["first", "second"][first] ?? "never";
}

/** The texts of a result, as the model gets it. */
function resultOf(run: Run, tool: string): string {
  return wordsOf(run.calls.find((each) => each.tool === tool)?.result);
}

/** A result without the lines that each result of the host has, at most 300 characters. */
function shown(run: Run, tool: string): string {
  const lines = (text: string): string[] => steady(text).split("\n");
  const frame = new Set(lines(resultOf(run, "echo")));
  return lines(resultOf(run, tool))
    .filter((line) => !frame.has(line))
    .join("\n")
    .trim()
    .slice(0, 300);
}

/** A text without its times, the folder of the run, and ids. */
export function steady(text: string): string {
  return text
    .replace(/[\d.]+(?= (?:s|ms|seconds)\b)/g, "N")
    .replace(/\S*\/mcpgen-\w+(?=\/)/g, "~")
    .replace(/mcpgen-[A-Za-z0-9]{6}|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, "N")
    .replace(/\b\d{10,}\b|\b(?=[a-f]*\d)[\da-f]{16,}\b/g, "N");
}

/** The texts in a value. */
export function wordsOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return String(value);
  const texts = Array.isArray(value)
    ? value
    : Object.entries(value).flatMap(([key, each]) =>
        /^(?:type|mimeType|detail|image_url)$/.test(key) ? [] : [each],
      );
  return texts
    .map((each) => wordsOf(each))
    .filter((each) => each !== "")
    .join("\n");
}

function casesOf(run: Run, culprits: readonly Case[]): readonly Case[] {
  return [...culprits, ...run.cases];
}
