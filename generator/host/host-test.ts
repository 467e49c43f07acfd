import { setTimeout } from "node:timers/promises";
import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Contract, ContractTool } from "../contract/contract.js";
import { diffContracts } from "../diff/contract/diff-contracts.js";
import type { Finding } from "../diff/finding.js";
import { lintContract, toolCosts } from "../lint/lint-contract.js";
import { effectOf, everyProfile } from "../lint/rule.js";
import type { ModelCall } from "./model/fake-model.js";
import type { OfferedTool } from "./model/dialect.js";
import { offeredTool } from "./offered-tools.js";
import { type Fault, type ServedCall, addedTool, downTime, faults } from "./relay.js";
import { type KnownQuiet, hostNames } from "../lint/host-rows.js";
import { type HostRun, type HostRunRequest, runHost, serverName } from "./run-host.js";

export interface HostTestRequest extends Omit<
  HostRunRequest,
  "find" | "text" | "before" | "timeout" | "fault"
> {
  /** The tools, as the server lists them. */
  readonly listed: readonly ContractTool[];
  /** Milliseconds until the host is ended. Default: 120,000. */
  readonly timeout?: number | undefined;
  /** Whether the host is run again with each fault of a network. */
  readonly faults?: boolean | undefined;
}

/** Tokens of a model's context, as `lint` estimates them. */
interface Tokens {
  readonly listed: number;
  readonly offered: number;
}

/** A tool, as it reaches the model. */
export interface HostTool {
  /** As the server lists it. */
  readonly name: string;
  /** Absent if the host does not offer it. */
  readonly offered?: OfferedTool;
  /** Whether the server lists it to the host: some servers list a tool only to clients with a capability. */
  readonly isListed: boolean;
  /** What the host changed in its description and schema, in the words of `diff`. */
  readonly changes: readonly Finding[];
  readonly tokens: Tokens;
  /**
   * The rules of `lint` for which the host is known to do something, and the tool that breaks each: some hosts drop all tools for
   * the sake of one.
   */
  readonly rules: readonly { readonly [key in "tool" | "rule" | "message" | "fix" | "does"]: string }[];
}

/** A call of the script. Times in milliseconds. */
export interface HostCall extends ModelCall {
  /** The result, as the host hands it to the model; absent if the model never got one. */
  readonly result?: JsonValue;
  /** Whether the host marks it as failed; absent if its API has no such mark. */
  readonly isError?: boolean;
  /** From the call to the result: time of the host and the server. */
  readonly milliseconds?: number;
  /** At the server; absent if the call did not reach it. */
  readonly server?: Pick<ServedCall, "quiet"> & Partial<ServedCall> & KnownQuiet;
}

/** How a call of a fault ended: with the server's result, with another one, or without one; or the host no longer offered the tool. */
interface Outcome {
  readonly outcome: "answered" | "error" | "no result" | "host ended" | "not offered";
  readonly result?: JsonValue;
}

/** What a host did with a fault that met the second of three calls. */
export interface HostFault {
  readonly fault: Fault;
  /** Without it, the fault met nothing: the host keeps no session, or does not listen for changes. */
  readonly isMet: boolean;
  readonly call: Outcome;
  readonly next: Outcome;
  /** Whether the model got an answer again: of the slow call itself, or of the next one. */
  readonly isBack: boolean;
  /** Whether the model got the changed list; absent for other faults. */
  readonly isListed?: boolean;
  /** The tools that the host offered after the change, by their names in the server's list; absent for other faults. */
  readonly offered?: readonly string[];
}

export interface HostTest extends Pick<HostRun, "outside" | "output" | "exitCode" | "milliseconds"> {
  readonly transport: "stdio" | "http";
  /** Milliseconds from the start of the server's command to its first message. */
  readonly startup?: number | undefined;
  /** The server's tools, in its order; last the ones that it lists to the host, and are not among `listed`: invalid ones, as a rule. */
  readonly tools: readonly HostTool[];
  /** Tools of the host itself that the model gets, too. */
  readonly others: number;
  /** Of all listed tools, and of all that the host offers, its own with them. */
  readonly tokens: Tokens;
  readonly calls: readonly HostCall[];
  /** Empty if none were asked for, or the model got no result of any call. */
  readonly faults: readonly HostFault[];
}

/**
 * Runs a real host with a scripted model: which tools the model gets, how the host changed them, and which results.
 *
 * @throws CodedError MG6333 if the host cannot be started; the reason of the signal that aborts it
 */
export async function testHost({ listed, timeout = 120_000, ...given }: HostTestRequest): Promise<HostTest> {
  const find = (tool: string, offered: readonly OfferedTool[]): OfferedTool | undefined =>
    offeredTool(listed.find(({ name }) => name === tool) ?? { name: tool }, offered, serverName);
  const request = { ...given, timeout, find };
  const transport = "url" in given.server ? "http" : "stdio";
  const run = await runHost(request);
  const { byName } = run.listed;
  const unread = [...byName]
    .filter(([name]) => !listed.some((tool) => tool.name === name))
    .map(([name, tool]) => ({ ...tool, name }) as unknown as ContractTool);
  const offered = mostOf(run, [...listed, ...unread]);
  const sent = run.listed.in(contractOf(listed));
  const broken = lintContract(sent, everyJudge, run.revision).flatMap(({ tool, rule, message }) => {
    const does = effectOf(given.program, rule.id, run.revision);
    return does === undefined ? [] : [{ tool, rule: rule.id, message, fix: rule.fix, does }];
  });
  const readable = listed.map((tool) => {
    const seen = toolIn(tool, offered);
    const meant = broken.filter(
      (each) => each.tool === tool.name || (!seen.offered && each.does === "drops-all"),
    );
    // A host that never read the list is another matter.
    const isListed = byName.size === 0 || byName.has(tool.name);
    return { ...seen, isListed, rules: meant };
  });
  const unreadable = unread.map((tool) => ({
    ...offerOf(tool, offered),
    isListed: true,
    changes: [],
    rules: [],
  }));
  const tools: HostTool[] = [...readable, ...unreadable];
  const { startup, outside, output, exitCode, milliseconds } = run;
  const calls = callsOf(run, given.script, given.program.quiet?.[transport]);
  return {
    ...{ transport, tools, calls },
    others: offered.length - tools.filter((tool) => tool.offered !== undefined).length,
    tokens: {
      listed: tokensOf([...listed, ...unread]),
      offered: tokensOf(offered.map((tool) => asListed(tool))),
    },
    faults: given.faults ? await faultsOf(request, calls, listed) : [],
    ...{ startup, outside, output, exitCode, milliseconds },
  };
}

/** Some rules are about hosts alone. */
const everyJudge = [...everyProfile, ...hostNames];

function contractOf(tools: readonly ContractTool[]): Contract {
  return { name: "s", version: "1", tools: [...tools] };
}

function tokensOf(tools: readonly ContractTool[]): number {
  return toolCosts(contractOf(tools)).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The tools of the turn that has most of the server's: hosts ask for titles with fewer, and lists may come late. */
function mostOf({ turns }: HostRun, listed: readonly ContractTool[]): readonly OfferedTool[] {
  const count = (offered: readonly OfferedTool[]): number =>
    listed.filter((tool) => offeredTool(tool, offered, serverName)).length;
  return turns.map(({ tools }) => tools).toSorted((a, b) => count(b) - count(a))[0] ?? [];
}

function offerOf(
  tool: ContractTool,
  all: readonly OfferedTool[],
): Pick<HostTool, "name" | "offered" | "tokens"> {
  const offered = offeredTool(tool, all, serverName);
  const tokens = { listed: tokensOf([tool]), offered: offered ? tokensOf([asListed(offered)]) : 0 };
  return { name: tool.name, ...(offered && { offered }), tokens };
}

function toolIn(tool: ContractTool, all: readonly OfferedTool[]): Omit<HostTool, "rules" | "isListed"> {
  const { name, description, inputSchema } = tool;
  const offer = offerOf(tool, all);
  const { offered } = offer;
  if (!offered) return { ...offer, changes: [] };
  const before = { name, inputSchema, ...(description !== undefined && { description }) };
  const after = asListed(offered);
  const [old, next] = [before, { ...after, name }].map((each) => ({
    name: "s",
    version: "1",
    tools: [each],
  }));
  return { ...offer, changes: diffContracts(old!, next!) };
}

/** What a host offers, as a server would list it. */
function asListed({ name, description, schema = null }: OfferedTool): ContractTool {
  const inputSchema = isJsonObject(schema) ? schema : {};
  return { name, inputSchema, ...(description !== undefined && { description }) };
}

function callsOf(run: HostRun, script: readonly ModelCall[], known?: KnownQuiet): HostCall[] {
  return script.map((call, step) => {
    const { made, answered, result, served } = stepOf(run, step);
    return {
      ...call,
      ...(result && { result: result.content, milliseconds: answered!.at - made!.at }),
      ...(result?.isError !== undefined && { isError: result.isError }),
      ...(served && { server: { ...served, ...known } }),
    };
  });
}

/** The turns of a call of the script, and the last time that it reached the server. */
function stepOf({ turns, served }: HostRun, step: number) {
  const made = turns.find((turn) => turn.step === step);
  const answered = turns.find(({ results }) => results.some((result) => result.step === step));
  const result = answered?.results.find((each) => each.step === step);
  const from = made?.at ?? Infinity;
  const to = answered?.at ?? turns.find(({ at }) => at > from)?.at ?? Infinity;
  return { made, answered, result, served: served.findLast(({ at }) => at > from && at < to) };
}

/** Runs the host once with each fault: the slow one beside the others. */
async function faultsOf(
  request: Omit<HostRunRequest, "fault">,
  calls: readonly HostCall[],
  listed: readonly ContractTool[],
): Promise<HostFault[]> {
  const works = calls.filter(({ result, isError }) => result !== undefined && !isError);
  const reads = listed.filter(({ annotations }) => annotations?.["readOnlyHint"] === true);
  const call = works.find(({ tool }) => reads.some(({ name }) => name === tool)) ?? works[0];
  if (!call) return [];
  const { tool, arguments: given = {} } = call;
  const script = [0, 1, 2].map(() => ({ tool, arguments: given }));
  const { slow = 30_000 } = request;
  // The server is back, and the host has read a changed list, before the last call.
  const before = (step: number): Promise<unknown> => setTimeout(step === 2 ? 2 * downTime : 0);
  const runWith = async (fault: Fault): Promise<HostFault> => {
    const run = await runHost({ ...request, script, slow, timeout: request.timeout + slow, fault, before });
    const [met, next] = [outcomeOf(run, 1), outcomeOf(run, 2)];
    const isBack = (fault === "slow" ? met : next).outcome === "answered";
    const done = { fault, isMet: run.isMet, call: met, next, isBack };
    if (fault !== "list") return done;
    const turns = run.turns.slice(run.turns.findIndex((turn) => turn.step === 1) + 1);
    const { tools = [] } = turns.findLast((turn) => turn.tools.length > 0) ?? {};
    const found = [...listed, addedTool].filter((tool) => offeredTool(tool, tools, serverName));
    return { ...done, isListed: found.includes(addedTool), offered: found.map(({ name }) => name) };
  };
  const slowly = runWith("slow");
  // If another run fails first, nothing waits for it.
  slowly.catch(() => {});
  const done: HostFault[] = [];
  for (const fault of faults) {
    if (fault === "session" && !("url" in request.server)) continue;
    done.push(fault === "slow" ? await slowly : await runWith(fault));
  }
  return done;
}

function outcomeOf(run: HostRun, step: number): Outcome {
  const { made, answered, result, served } = stepOf(run, step);
  if (!made) return { outcome: "not offered" };
  if (!answered || !result) return { outcome: run.turns.at(-1) === made ? "host ended" : "no result" };
  const isWhole = served?.answer !== undefined && served.at + served.answer <= answered.at;
  return { outcome: isWhole ? "answered" : "error", result: result.content };
}
