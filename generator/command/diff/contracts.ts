import { type ServerSource, meantAdvice } from "../../capture/server-source.js";
import type { ServerOptions } from "../../capture/with-server.js";
import type { Contract } from "../../contract/contract.js";
import { type Unlisted, isIncomplete, unlisted } from "../../contract/incomplete-lists.js";
import { withoutUnlisted } from "../../contract/scopes.js";
import { asListed, listsExecution } from "../../contract/tasks.js";
import { diffContracts } from "../../diff/contract/diff-contracts.js";
import { comparedLists } from "../../diff/contract/lists.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Finding } from "../../diff/finding.js";
import { shortList } from "../../print/terminal-text.js";
import type { CommandContext } from "../command.js";
import { type ContractSource, contractKind, contractSource } from "../contract-source.js";
import { type Evaluated, type Evaluation, evaluate } from "./report.js";

/**
 * Reads both sources as contracts, if they are. If one is a contract or a server, a URL for the other is a
 * server, unless it ends like a file.
 *
 * @returns undefined if they are revisions or schemas
 * @throws CodedError MG6307 for a contract with a revision, and the errors of `contractSource`
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
  // If the lists of a server are incomplete, it is asked for the entries of the other side.
  const isFile = kinds.map((kind) => kind === "contract" || kind === "standard input");
  const first = isFile[1] && !isFile[0] ? 1 : 0;
  const one = await contractSource(names[first], options, context);
  const settings = { known: one.contract, asked: one.contract.asked };
  const two = await contractSource(names[first === 0 ? 1 : 0], options, context, settings);
  return first === 0 ? [one, two] : [two, one];
}

/**
 * Findings about a source that the comparison does not report by itself. The comparison reports invalid
 * entries.
 */
export function findingsBeside({ findings, invalid }: ContractSource): ContractSource["findings"] {
  return findings.filter((finding) => !invalid.some((entry) => entry.finding === finding));
}

/** Compares two contracts. Returns the findings with their lines, and which of them make the command fail. */
export function compareContracts(
  old: ContractSource,
  next: ContractSource,
  evaluation: Evaluation,
): Evaluated & { readonly unlisted: readonly Unlisted[] } {
  const place = (source: ContractSource, at: string | null): ReturnType<ContractSource["placeOf"]> =>
    at === null ? null : source.placeOf(at);
  const isLive = old.isLive || next.isLive;
  // Only lists of revision 2025-11-25 contain `execution`.
  const hasExecution = [old, next].every(({ contract, isLive: isOne }) => !isOne || listsExecution(contract));
  const contracts = [old, next].map(({ contract }) =>
    isLive ? asListed(withoutUnlisted(contract), hasExecution) : contract,
  ) as [Contract, Contract];
  const invalid = [...old.invalid, ...next.invalid];
  const gone = { old: old.gone, new: next.gone };
  const left = unlisted({ old: contracts[0], new: contracts[1], gone });
  const evaluated = evaluate(
    diffContracts(...contracts, evaluation.policy, { invalid, unlisted: left }),
    evaluation,
    {
      from: old.name,
      to: next.name,
      placesOf: ({ pointers }: Finding) => ({
        old: place(old, pointers.old),
        new: place(next, pointers.new),
      }),
      notes: unlistedNotes(left, old.name, next.name),
      isPartial: contracts.some((contract) => comparedLists.some(({ name }) => isIncomplete(contract, name))),
    },
  );
  return { ...evaluated, unlisted: left };
}

/** One line for each list: entries of one side that the other side's incomplete list does not name. */
function unlistedNotes(left: readonly Unlisted[], old: string, next: string): string[] {
  return comparedLists.flatMap(({ name }) =>
    (["old", "new"] as const).flatMap((by) => {
      const keys = left.filter((each) => each.list === name && each.by === by).map(({ key }) => key);
      const silent = by === "old" ? next : old;
      return keys.length === 0
        ? []
        : [`${name}: not listed by ${silent}, whose list is incomplete: ${shortList(keys)}.`];
    }),
  );
}
