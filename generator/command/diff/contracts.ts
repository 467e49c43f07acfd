import { meantAdvice } from "../../capture/meant-source.js";
import type { ServerSource } from "../../capture/server-source.js";
import type { ServerOptions } from "../../capture/with-server.js";
import type { Contract } from "../../contract/contract.js";
import { withoutScopes } from "../../contract/scopes.js";
import { asListed, listsExecution } from "../../contract/tasks.js";
import { diffContracts } from "../../diff/contract/diff-contracts.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Finding } from "../../diff/finding.js";
import type { CommandContext } from "../context.js";
import { type ContractSource, contractKind, contractSource } from "../contract-source.js";
import { type Evaluated, type Evaluation, evaluate } from "./report.js";

/**
 * The two sources as contracts, if they are. Beside a contract or a server every URL is a server, unless it ends as
 * a file does.
 *
 * @returns undefined where they are revisions or schemas
 * @throws CodedError MG6307 for a contract and a revision, and as `contractSource`
 */
export async function loadContractSources(
  names: readonly [ServerSource, ServerSource],
  options: ServerOptions,
  context: CommandContext,
): Promise<readonly [ContractSource, ContractSource] | undefined> {
  const kinds = names.map((name) => contractKind(name, context));
  const areSure = kinds.some((kind) => kind === "contract" || kind === "server");
  if (!areSure && !kinds.every((kind) => kind === "url")) return undefined;
  const other = names[kinds.indexOf("other")];
  if (other !== undefined)
    throw new CodedError(
      "MG6307",
      `expected a contract or a server to compare the contract with, got ${JSON.stringify(other)}`,
      {
        next:
          (typeof other === "string" ? meantAdvice(other, context.directory) : undefined) ??
          "Name a contract file, http(s)://… or stdio:COMMAND …; `--for CONTRACT` compares revisions for a server.",
      },
    );
  return [await contractSource(names[0], options, context), await contractSource(names[1], options, context)];
}

/** The findings about a source that a comparison does not have itself: it has those about invalid entries. */
export function findingsBeside({ findings, invalid }: ContractSource): ContractSource["findings"] {
  return findings.filter((finding) => !invalid.some((entry) => entry.finding === finding));
}

/** Compares two contracts: the findings with their lines, and which of them fail a command. */
export function compareContracts(
  old: ContractSource,
  next: ContractSource,
  evaluation: Evaluation,
): Evaluated {
  const place = (source: ContractSource, at: string | null): ReturnType<ContractSource["placeOf"]> =>
    at === null ? null : source.placeOf(at);
  const isLive = old.isLive || next.isLive;
  // Revisions before and after 2025-11-25 list no execution.
  const hasExecution = [old, next].every(({ contract, isLive: isOne }) => !isOne || listsExecution(contract));
  const contracts = [old, next].map(({ contract }) =>
    isLive ? asListed(withoutScopes(contract), hasExecution) : contract,
  ) as [Contract, Contract];
  const invalid = [...old.invalid, ...next.invalid];
  return evaluate(diffContracts(...contracts, evaluation.policy, invalid), evaluation, {
    from: old.name,
    to: next.name,
    placesOf: ({ pointers }: Finding) => ({
      old: place(old, pointers.old),
      new: place(next, pointers.new),
    }),
    notes: [],
  });
}
