import data from "../generator/host/hosts.json" with { type: "json" };
import { lintRules } from "../generator/lint/lint-contract.js";
import type { HostName, KnownQuiet } from "../generator/lint/host-rows.js";
import { type LintRule, effects, levelFor } from "../generator/lint/rule.js";

/** A row of hosts.json (generator/host/hosts.schema.json); a member that is absent was not looked at. */
interface HostRow {
  readonly title: string;
  readonly package: string;
  readonly version: string;
  readonly date: string;
  readonly node: number;
  readonly models: readonly string[];
  readonly name?: string;
  readonly revision?: { readonly [where: string]: string };
  readonly rules?: { readonly [rule: string]: keyof typeof effects };
  readonly olderRules?: { readonly [rule: string]: keyof typeof effects | "nothing" };
  readonly schema?: readonly string[];
  readonly result?: {
    readonly structured?: "instead" | "beside" | "ignored";
    readonly image: Passage;
    readonly audio: Passage;
    readonly link: Passage;
    readonly embedded: Passage;
    readonly json: Passage;
    readonly protocolError: string;
    readonly wrongArguments: string;
    readonly text: { readonly whole?: number; readonly cut?: number };
  };
  readonly questions?: string;
  readonly progress?: boolean;
  readonly quiet?: { readonly [transport: string]: KnownQuiet };
  readonly startup?: KnownQuiet;
  readonly restart?: { readonly kept?: string; readonly sealed?: string; readonly stateless?: string };
  readonly bearer?: boolean;
  readonly proxy?: boolean;
  readonly evidence?: string;
}

type Passage = "passed" | "replaced" | "dropped";
type Named = HostRow & { readonly id: string };

const rows = Object.entries(data as unknown as { readonly [id: string]: HostRow }).map(([id, row]) => ({
  id,
  ...row,
}));

/** The text of docs/hosts.md. */
export function hostsPage(hosts: readonly Named[] = rows): string {
  return `${[
    introduction(hosts),
    "## Settings for all hosts",
    settings(hosts).join("\n"),
    "## All hosts",
    overview(hosts),
    "Below: what a host does with tools that violate rules of [lint](lint.md).",
    ...hosts.map((host) => section(host)),
  ].join("\n\n")}\n`;
}

function introduction(hosts: readonly Named[]): string {
  const dates = [...new Set(hosts.map(({ date }) => date))].sort();
  return `# Hosts

How ${hosts.length} hosts pass tools and results of a server on to their models: each was run with a scripted model
(${list(dates)}; \`npm run hosts\` repeats it). [\`host test\`](command-line-servers.md#hosts) does so with your server,
[\`lint --host NAME\`](lint.md) judges it without a host, and \`npx add-mcp\`
[adds it](guides/first-server.md#add-it-to-a-host) to hosts.`;
}

/** What works in each host, and why. */
function settings(hosts: readonly Named[]): string[] {
  const of = (is: (host: Named) => boolean | undefined): string =>
    list(hosts.filter(is).map(({ title }) => title));
  const forgetful = of(({ restart }) => restart?.kept === "never");
  const structure = of(({ result }) => result?.structured === "instead");
  const text = of(({ result }) => result?.structured === "ignored");
  const traced = of(({ result }) => result && isTrace(result.wrongArguments));
  const silent = of(({ questions }) => questions === "not offered");
  const limits = hosts.filter((host) => limitOf(host) !== undefined);
  const waited = smallest(
    hosts.flatMap(({ quiet = {} }) => Object.values(quiet).map(({ worked }) => worked)),
  );
  const whole = smallest(hosts.map(({ result }) => result?.text.whole));
  const length = smallest(hosts.map(({ name }) => name && 64 - name.replace(/SERVER|TOOL/g, "").length));
  return [
    `**Sessions over HTTP**: [\`sealedSessions\`](http-sessions.md#sessions-without-a-store) with keys from the environment, or \`sessions: false\`. ${forgetful === "" ? "Every host goes on" : `${forgetful} never makes another handshake`} after the restart of a server with sessions in memory.`,
    `**Slow tools**: report [progress](runtime.md#parameters-of-a-handler), or become a [task](long-running-tools.md). ${limits.length > 0 ? `A silent call ends in ${list(limits.map((host) => `${host.title} after ${limitOf(host)! / 1000} s`))}.` : waited === undefined ? "" : `Each host waited ${waited / 1000} s for a silent call.`}`,
    ...(traced === ""
      ? []
      : [
          `**\`wrongArguments: "result"\`**: up to 2025-06-18, wrong arguments are a JSON-RPC error by default, of which the model of ${traced} gets a trace.`,
        ]),
    `**Names**: letters, digits, \`_\`; those of server and tool together at most ${length ?? 64} characters.`,
    "**Schemas**: one object, without references and unions where you can; bounds, formats and defaults also in descriptions.",
    `**Results**: the same as text and as \`structuredContent\`${structure === "" ? "" : `: ${structure} pass on the structure alone`}${text === "" ? "" : `, ${text} the text alone`}.${whole === undefined ? "" : ` ${whole.toLocaleString("en")} characters arrive whole everywhere.`}`,
    ...(silent === ""
      ? []
      : [`**Questions**: check \`clientCapabilities\` first. There are no forms in ${silent}.`]),
  ].map((each) => `- ${each}`);
}

function overview(hosts: readonly Named[]): string {
  const heads = [
    ...["host", "revision", "name of a tool", "structured content", "whole text", "questions", "progress"],
    ...["starts in", "silent for", "call that works after a restart: sessions in memory, sealed, none"],
  ];
  const lines = hosts.map((host) => [
    `[${host.title}](#${host.title.toLowerCase().replaceAll(" ", "-")})`,
    [...new Set(Object.values(host.revision ?? {}))].join(", "),
    host.name === undefined ? "" : `\`${host.name}\``,
    host.result?.structured ?? "",
    host.result?.text.whole?.toLocaleString("en") ?? "",
    host.questions ?? "",
    host.progress === undefined ? "" : host.progress ? "yes" : "no",
    host.startup ? timeText(host.startup) : "",
    each(host.quiet, timeText),
    each(host.restart, (call) => call),
  ]);
  return [heads, heads.map(() => "-"), ...lines].map((cells) => `|${cells.join("|")}|`).join("\n");
}

function timeText({ worked, limit }: KnownQuiet): string {
  const time = worked ?? limit;
  return time === undefined ? "?" : `${time / 1000} s${worked === undefined ? " at most" : ""}`;
}

/** The values of a record, or one of them if all are equal. */
function each<T>(record: { readonly [name: string]: T } | undefined, textOf: (value: T) => string): string {
  const texts = Object.entries(record ?? {}).map(([name, value]) => [name, textOf(value)] as const);
  const all = [...new Set(texts.map(([, text]) => text))];
  return all.length < 2 ? all.join("") : texts.map(([name, text]) => `${name} ${text}`).join(", ");
}

function section(host: Named): string {
  const { id, title, version, node, models, schema, result, evidence } = host;
  const kinds = result && (["image", "audio", "link", "embedded"] as const);
  const by = (wanted: Passage): string => list(kinds?.filter((kind) => result![kind] === wanted) ?? []);
  const older = rulesText(host, host.olderRules);
  const facts = [
    `\`${id}\`: \`${host.package}\` ${version} on Node.js ${node}, usually for ${list(models)}${evidence === undefined ? "" : ` ([evidence](../${evidence}))`}`,
    ...rulesText(host, host.rules),
    ...older.map((line) => `with servers up to ${host.revision?.["legacy"]}, it ${line}`),
    ...(schema === undefined
      ? []
      : [
          schema.length === 0
            ? "schemas stay as they are"
            : `[changes](rules.md) in schemas: ${codes(schema)}`,
        ]),
    ...(["replaced", "dropped"] as const).flatMap((wanted) =>
      by(wanted) === "" ? [] : [`${wanted} in results: ${by(wanted)}`],
    ),
    ...(result?.json === "replaced" ? ["a text that is JSON, but not an object, becomes an error"] : []),
    ...(result && isTrace(result.protocolError)
      ? [`a JSON-RPC error reaches the model as ${inCode(result.protocolError)}`]
      : []),
    ...(host.bearer === false ? ["sends no token of its configuration"] : []),
    ...(host.proxy === false ? ["asks other machines past the variables for proxies"] : []),
    ...advice(host),
  ];
  return [`### ${title}`, facts.map((fact) => `- ${fact}`).join("\n")].join("\n\n");
}

/** A line for each effect: the rules that have it. Those that matter to no model of the host are left out. */
function rulesText(host: Named, rules: HostRow["olderRules"] = {}): string[] {
  const { legacy } = host.revision ?? {};
  const matters = (rule: LintRule): boolean =>
    [undefined, legacy].some((revision) => levelFor(rule, host.id as HostName, { revision }));
  const concerned = lintRules.filter((rule) => matters(rule));
  return Object.entries({ ...effects, nothing: { phrase: "does nothing" } }).flatMap(
    ([effect, { phrase }]) => {
      const ids = concerned.map(({ id }) => id).filter((id) => rules[id] === effect);
      return ids.length === 0 ? [] : [`${phrase}: ${codes(ids)}`];
    },
  );
}

function advice(host: Named): string[] {
  const wanted = [
    ...(host.restart?.kept === "never" ? ["`sealedSessions` or `sessions: false`"] : []),
    ...(limitOf(host) === undefined ? [] : [`an answer within ${limitOf(host)! / 1000} s`]),
    ...(host.result && isTrace(host.result.wrongArguments) ? ['`wrongArguments: "result"`'] : []),
  ];
  return wanted.length === 0 ? [] : [`**set**: ${wanted.join("; ")}`];
}

/** Whether a text shows the workings of the host beside the server's words. */
function isTrace(text: string): boolean {
  return /caused by|stack trace|\n\s+at /i.test(text);
}

/** Milliseconds after which a host ends a silent call. */
function limitOf({ quiet = {} }: Named): number | undefined {
  return smallest(Object.values(quiet).map(({ limit }) => limit));
}

function smallest(values: readonly (number | undefined | "")[]): number | undefined {
  const known = values.filter((value) => typeof value === "number");
  return known.length === 0 ? undefined : Math.min(...known);
}

function codes(ids: readonly string[]): string {
  return ids.map((id) => `\`${id}\``).join(", ");
}

function list(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)!}`;
}

/** A text of a host, as one line of code. */
function inCode(text: string): string {
  const line = text
    .replace(/\s*\n\s*/g, " ⏎ ")
    .replaceAll("`", "'")
    .replaceAll("|", "\\|");
  return `\`${line.length > 60 ? `${line.slice(0, 60)}…` : line}\``;
}
