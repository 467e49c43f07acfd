import { resolve } from "node:path";
import { CodedError } from "../../diagnostics/coded-error.js";
import { findingOfError } from "../../diagnostics/finding.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { type Outcome, together } from "../outcome.js";
import type { Project } from "../project.js";
import { serverOptions } from "../server-options.js";
import { serverSource } from "../servers/named-servers.js";
import type { ServedContract } from "./served-contracts.js";
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
  for (const { server, file } of served) {
    const each = await compared(server, file).catch((error: unknown) => unreachable(error, server));
    reports.push({ server, contract: file, ...each.data });
    outcome = together(outcome, each);
  }
  return { ...outcome, data: { servers: reports } };

  async function compared(server: string, file: string): Promise<Outcome> {
    const source = await serverSource(server, args, there);
    const pairing = { source, file: resolve(folder, file), options: { ...serverOptions(args, there) } };
    return comparePair(pairing, args, project, context);
  }
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
