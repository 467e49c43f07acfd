import { resolve } from "node:path";
import { pointer } from "@mcpgen/engine";
import { isJsonConfig } from "../../config/load-config.js";
import { kindOfServer } from "../../capture/server-source.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { findingOfError } from "../../diagnostics/finding.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { type Outcome, together } from "../outcome.js";
import type { Project } from "../project.js";
import { serverOptions } from "../server-options.js";
import { serverSource } from "../servers/named-servers.js";
import type { Subject } from "../trust/trust.js";
import type { ServedContract } from "../contracts/targets.js";
import { comparePair } from "./server.js";

/**
 * Compares each live server that the configuration names with its contract, one after the other. A server that does not
 * answer is a finding; the other servers are compared all the same.
 */
export async function checkConfiguredServers(
  served: readonly ServedContract[],
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Outcome> {
  const { folder } = project.loaded;
  // Commands start in the folder of the configuration, and names are looked up from it.
  const there = Object.create(context, { directory: { value: folder } }) as CommandContext;
  let outcome: Outcome = {};
  const reports: unknown[] = [];
  for (const contract of served) {
    const { server, file } = contract;
    const each = await compared(contract).catch((error: unknown) => unreachable(error, server));
    reports.push({ server, contract: file, ...each.data });
    outcome = together(outcome, each);
  }
  return { ...outcome, data: { servers: reports } };

  async function compared(contract: ServedContract): Promise<Outcome> {
    const { server, file } = contract;
    const named = subjectOf(contract, project);
    if (named && kindOfServer(server) === "stdio") await context.trust.expect(named);
    const source = await serverSource(server, args, there, named);
    const pairing = { source, file: resolve(folder, file), options: { ...serverOptions(args, there) } };
    return comparePair(pairing, args, project, context);
  }
}

/** The place that names a server: a command there, or the name of a server of the user's, is not the user's word. */
function subjectOf(
  contract: ServedContract,
  { loaded: { file, folder, config } }: Project,
): Subject | undefined {
  if (file === undefined) return undefined;
  const place = pointer("", "contracts", config.contracts!.indexOf(contract), "server");
  return { file, folder, ...(isJsonConfig(file) && { pointer: place }) };
}

/** An error as a finding. The command ends with the exit code of the error. */
function unreachable(error: unknown, server: string): Outcome {
  if (!(error instanceof CodedError)) throw error;
  const { code, message } = error;
  return {
    findings: [findingOfError(error)],
    exit: error.exitCode,
    data: { error: { code, message } },
    summary: `${server} was not compared`,
  };
}
