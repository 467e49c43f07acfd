import type { ContractTool } from "../../../generator/contract/contract.js";
import { readToolSchemas } from "../../../generator/contract/emit/tool-schemas.js";
import { exampleArguments } from "../../../generator/sample/example-arguments.js";
import type { ModelCall } from "../../../generator/host/model/fake-model.js";
import { type Case, cases, sizes } from "../host-cases.js";
import { differencesOfReports, touchedBy } from "./report.js";
import { type Installed, type Run, type RunOptions, run } from "./run.js";
import type { Trace } from "./trace.js";

/** Parts of what is observed of a host, each with the runs that it takes. */
export const parts = [
  ...(["rules", "stdio", "http", "stateless", "legacy", "restart", "cancel", "quiet", "startup"] as const),
  ...(["proxy", "touched", "repeated"] as const),
] as const;

export type Part = (typeof parts)[number];

/** What a host did with the cases. */
export interface Ruled {
  /** Cases that leave the model without any tool of the server. */
  readonly culprits: readonly Case[];
  /** All others. */
  readonly rules: Run;
}

/** What was seen of a host; absent members were not looked at. */
export interface Observed extends Partial<Ruled> {
  /** The same with a server that knows the handshake alone, for a host that needs no handshake with others. */
  readonly older?: Ruled;
  readonly stdio?: Run;
  /** With sessions, and a bearer token. */
  readonly http?: Run;
  readonly stateless?: Run;
  readonly legacy?: Readonly<Record<Transport, Run>>;
  /** By how the server keeps its sessions. */
  readonly restart?: Readonly<Record<Sessions, Run>>;
  /** Interrupted during a call over HTTP. */
  readonly cancel?: Run;
  readonly quiet?: Readonly<Record<Transport, Run>>;
  /** With a command that says nothing at first, as the host treats it by default. */
  readonly startup?: Run;
  /** By what has an address that only a proxy knows. */
  readonly proxy?: Readonly<Record<"model" | "server", Run>>;
  /** What `mcpgen host test` and the host did to the machine. */
  readonly touched?: Trace;
  /** Members of the reports of several runs that are not the same. */
  readonly repeated?: readonly string[];
}

type Transport = "stdio" | "http";

export type Sessions = (typeof ways)[number];

const ways = ["kept", "sealed", "stateless"] as const;

/** Milliseconds that the quiet tool takes, also where the host is interrupted meanwhile. */
export const quietFor = 75_000;
/** Milliseconds until the slow command answers. */
export const startsIn = 45_000;
const interruptedFor = 10_000;

/** The revisions of servers that know the handshake alone. */
const handshake = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const results = [
  "structured",
  "image",
  "audio",
  "link",
  "embedded",
  "json",
  "failed",
  "refused",
  "needing",
  "asking",
];

/** All forms of results; long texts come last, because a conversation repeats them. */
const resultCalls: readonly ModelCall[] = [
  ...["echo", ...results, ...sizes.map((size) => `text_${size}`)].map((tool) => ({ tool })),
];
const few: readonly ModelCall[] = [{ tool: "echo" }, { tool: "structured" }, { tool: "failed" }];
const aroundRestart = ["echo", "restart", "after", "after"].map((tool) => ({ tool }));
const token = "Bearer a-token-of-the-probe";

/**
 * Runs a host in each way that the parts ask for.
 *
 * @param start runs what starts a process; the quiet tool lets go of it as soon as it waits
 * @param known which cases took all tools from the model before
 */
export async function observe(
  host: Installed,
  wanted: ReadonlySet<Part>,
  start: <T>(work: (letGo: () => void) => Promise<T>) => Promise<T>,
  known: KnownCulprits = {},
): Promise<Observed> {
  const play = (options: RunOptions): Promise<Run> => start(() => run(host, options));
  const part = <T>(name: Part, work: () => Promise<T>): Promise<T | undefined> =>
    wanted.has(name) ? work() : Promise.resolve(undefined);
  const silence = (milliseconds: number) => [{ tool: "quiet", arguments: { milliseconds } }];
  const quiet = (http?: RunOptions["http"]): Promise<Run> =>
    start((letGo) =>
      run(host, {
        script: silence(quietFor),
        onSeen: letGo,
        ...(http && { http }),
      }),
    );
  const onBoth = (options: RunOptions): Promise<[stdio: Run, http: Run]> =>
    Promise.all([play(options), play({ ...options, http: { sessions: "kept" } })]);
  const behindProxy = (away: "model" | "server"): Promise<Run> =>
    play({ script: few, http: { sessions: "kept" }, away });
  const [waited, startup, all, stdio, http, stateless, legacy, cancel, restarts, proxy, touched, repeated] =
    await Promise.all([
      part("quiet", () => Promise.all([quiet(), quiet({ sessions: "kept" })])),
      part("startup", () =>
        start((letGo) => run(host, { script: [{ tool: "echo" }], startsIn, onStarted: letGo })),
      ),
      part("rules", () => rulesWithBoth(play, known)),
      part("stdio", () => play({ script: resultCalls })),
      part("http", () => play({ script: resultCalls, http: { sessions: "kept", authorization: token } })),
      part("stateless", () => play({ script: few, http: { sessions: "stateless" } })),
      part("legacy", () => onBoth({ script: few, speaks: handshake })),
      part("cancel", () =>
        play({ script: silence(interruptedFor), http: { sessions: "kept" }, interrupt: true }),
      ),
      part("restart", () =>
        Promise.all(ways.map((sessions) => play({ script: aroundRestart, http: { sessions } }))),
      ),
      part("proxy", () => Promise.all([behindProxy("model"), behindProxy("server")])),
      part("touched", () => touchedBy(host, few, start)),
      part("repeated", () => differencesOfReports(host, few, start)),
    ]);
  return {
    ...all,
    ...(stdio && { stdio }),
    ...(http && { http }),
    ...(stateless && { stateless }),
    ...(legacy && { legacy: { stdio: legacy[0], http: legacy[1] } }),
    ...(cancel && { cancel }),
    ...(restarts && { restart: { kept: restarts[0]!, sealed: restarts[1]!, stateless: restarts[2]! } }),
    ...(waited && { quiet: { stdio: waited[0], http: waited[1] } }),
    ...(startup && { startup }),
    ...(proxy && { proxy: { model: proxy[0], server: proxy[1] } }),
    ...(touched && { touched }),
    ...(repeated && { repeated }),
  };
}

/** Cases that took all tools from the model in an earlier observation. */
export interface KnownCulprits {
  readonly newest?: readonly Case[];
  readonly older?: readonly Case[];
}

async function rulesWithBoth(
  play: (options: RunOptions) => Promise<Run>,
  known: KnownCulprits,
): Promise<Ruled & Pick<Observed, "older">> {
  const newest = await rulesOf(cases, play, known.newest);
  const revision = newest.rules.seen[0]?.revision;
  if (revision === undefined || handshake.includes(revision)) return newest;
  return {
    ...newest,
    older: await rulesOf(cases, (options) => play({ ...options, speaks: handshake }), known.older),
  };
}

/**
 * Finds the cases that take all tools from the model, then lets the model call the others.
 *
 * @param known the cases that probably do: if so, they are found sooner
 */
export async function rulesOf(
  all: readonly Case[],
  play: (options: RunOptions) => Promise<Run>,
  known: readonly Case[] = [],
): Promise<Ruled> {
  const groups = [all.filter((each) => !known.includes(each)), ...known.map((each) => [each])];
  const offered = await Promise.all(groups.map((some) => areOffered(some, play)));
  const isAsKnown = offered.every((each, index) => each === (index === 0));
  const culprits = isAsKnown ? known : await culpritsIn(all, play);
  const others = all.filter((each) => !culprits.includes(each));
  // A case may be called like the probe's own tool.
  const own = others.some(({ tool }) => tool.name === "echo") ? [] : [{ tool: "echo" }];
  return { culprits, rules: await play({ script: [...own, ...callsOf(others)], cases: others }) };
}

/** Calls of the cases with arguments that their schemas take; a case without any is not called. */
function callsOf(some: readonly Case[]): ModelCall[] {
  const tools = some.map(({ tool }) => tool as ContractTool);
  const schemas = readToolSchemas({ name: "probe", version: "1", tools });
  return tools.flatMap(({ name, inputSchema }, index) => {
    const { input, unread } = schemas[index]!;
    if (unread.some(({ part }) => part === "inputSchema")) return [];
    const found = exampleArguments(inputSchema, input);
    return found ? [{ tool: name, arguments: found }] : [];
  });
}

/** Halves a list until those cases are left with which no tool arrives. */
async function culpritsIn(
  some: readonly Case[],
  play: (options: RunOptions) => Promise<Run>,
): Promise<readonly Case[]> {
  if (await areOffered(some, play)) return [];
  if (some.length <= 1) return some;
  const middle = Math.ceil(some.length / 2);
  const halves = [some.slice(0, middle), some.slice(middle)];
  return (await Promise.all(halves.map((half) => culpritsIn(half, play)))).flat();
}

/** Whether the model gets tools of a server that has these cases, too. */
async function areOffered(
  some: readonly Case[],
  play: (options: RunOptions) => Promise<Run>,
): Promise<boolean> {
  // With a call, a host that asked its model too early runs again.
  const { tools } = await play({ script: [{ tool: "echo" }], cases: some });
  return tools.some(({ name, offered }) => name === "echo" && offered);
}
