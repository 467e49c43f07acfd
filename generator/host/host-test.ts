import { type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { ContractTool } from "../contract/contract.js";
import { diffContracts } from "../diff/contract/diff-contracts.js";
import type { Finding } from "../diff/finding.js";
import type { ModelCall } from "./model/fake-model.js";
import type { OfferedTool } from "./model/dialect.js";
import { offeredTool } from "./offered-tools.js";
import type { HostProgram, HostServer } from "./program.js";
import { type HostRun, runHost, serverName } from "./run-host.js";

export interface HostTestRequest {
  readonly program: HostProgram;
  /** The file of the program. */
  readonly file: string;
  readonly server: HostServer;
  /** The tools, as the server lists them. */
  readonly listed: readonly ContractTool[];
  /** Calls of these tools, by the names that the server lists. */
  readonly script: readonly ModelCall[];
  /** Milliseconds until the host is ended. Default: 120,000. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** A tool, as it reaches the model. */
export interface HostTool {
  /** As the server lists it. */
  readonly name: string;
  /** Absent if the host does not offer it. */
  readonly offered?: OfferedTool;
  /** What the host changed in its description and schema, in the words of `diff`. */
  readonly changes: readonly Finding[];
}

/** A call of the script. */
export interface HostCall extends ModelCall {
  /** The result, as the host hands it to the model; absent if the model never got one. */
  readonly result?: JsonValue;
  /** Whether the host marks it as failed; absent if its API has no such mark. */
  readonly isError?: boolean;
  /** Milliseconds from the call to the result: time of the host and the server. */
  readonly milliseconds?: number;
}

export interface HostTest extends Pick<HostRun, "outside" | "output" | "exitCode" | "milliseconds"> {
  /** The server's tools, in its order. */
  readonly tools: readonly HostTool[];
  /** Tools of the host itself that the model gets, too. */
  readonly others: number;
  readonly calls: readonly HostCall[];
}

/**
 * Runs a real host with a scripted model: which tools the model gets, how the host changed them, and which results.
 *
 * @throws Error with the code of the system if the host cannot be started
 */
export async function testHost(request: HostTestRequest): Promise<HostTest> {
  const { program, file, server, listed, script, timeout = 120_000, signal } = request;
  const find = (tool: string, offered: readonly OfferedTool[]): OfferedTool | undefined =>
    offeredTool(tool, offered, serverName);
  const run = await runHost({ program, file, server, script, find, timeout, ...(signal && { signal }) });
  const offered = mostOf(run, listed);
  const tools = listed.map((tool) => toolIn(tool, offered));
  const { outside, output, exitCode, milliseconds } = run;
  const own = tools.filter((tool) => tool.offered !== undefined).length;
  const calls = callsOf(run, script);
  return { tools, others: offered.length - own, calls, outside, output, exitCode, milliseconds };
}

/** The tools of the turn that has most of the server's: hosts ask for titles with fewer, and lists may come late. */
function mostOf({ turns }: HostRun, listed: readonly ContractTool[]): readonly OfferedTool[] {
  const count = (offered: readonly OfferedTool[]): number =>
    listed.filter(({ name }) => offeredTool(name, offered, serverName)).length;
  return turns.map(({ tools }) => tools).toSorted((a, b) => count(b) - count(a))[0] ?? [];
}

function toolIn(tool: ContractTool, all: readonly OfferedTool[]): HostTool {
  const offered = offeredTool(tool.name, all, serverName);
  if (!offered) return { name: tool.name, changes: [] };
  const { name, description, inputSchema } = tool;
  const { schema = null } = offered;
  const before = { name, inputSchema, ...(description !== undefined && { description }) };
  const after = {
    name,
    inputSchema: isJsonObject(schema) ? schema : {},
    ...(offered.description !== undefined && { description: offered.description }),
  };
  const [old, next] = [before, after].map((each) => ({ name: "s", version: "1", tools: [each] }));
  return { name, offered, changes: diffContracts(old!, next!) };
}

function callsOf({ turns }: HostRun, script: readonly ModelCall[]): HostCall[] {
  return script.map((call, step) => {
    const made = turns.find((turn) => turn.step === step);
    const answered = turns.find(({ results }) => results.some((result) => result.step === step));
    const result = answered?.results.find((each) => each.step === step);
    if (!made || !answered || !result) return call;
    const { content, isError } = result;
    const milliseconds = answered.at - made.at;
    return { ...call, result: content, ...(isError !== undefined && { isError }), milliseconds };
  });
}
