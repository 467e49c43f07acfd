import { type JsonObject, isJsonObject, groupBy } from "@mcpgen/engine";
import type { Captured } from "../../capture/capture.js";
import type { SentTools } from "../../capture/sent-tools.js";
import type { Contract, ContractList } from "../../contract/contract.js";
import { type LintProblem, lintContract, toolCosts } from "../../lint/lint-contract.js";
import { everydayProfiles } from "../../lint/rule.js";
import { firstLines } from "../../print/terminal-text.js";
import type { Badge, Item, Members, Offer } from "../../page/browser/dev/messages.js";

/** A difference between the contract and the live server. */
export interface Drift {
  readonly severity: "error" | "warning";
  readonly message: string;
  /** List and index of the entry in the server's offer; absent for other parts. */
  readonly entry?: { readonly list: ContractList; readonly index: number };
}

/** Maximum number of lines of one badge. */
const mostLines = 20;

/** The server's offer without findings, which take longer. */
export function plainOffer({ contract, leftOut, unread }: Captured, version: number): Offer {
  const items = (list: ContractList): Item[] =>
    entriesOf(contract, list).map((entry) => ({ entry, badges: [] }));
  return {
    ...{ version, isJudged: false, drift: [] },
    ...{ tools: items("tools"), resources: items("resources") },
    ...{ resourceTemplates: items("resourceTemplates"), prompts: items("prompts") },
    leftOut: [
      ...unread.map(({ list, reason }) => `${list}: ${reason}`),
      ...leftOut.map(
        ({ list, index, name, reason }) =>
          `${list}[${index}]${name === undefined ? "" : ` ${name}`}: ${reason}`,
      ),
    ],
  };
}

/**
 * The server's offer with badges for `lint` findings, costs and drift.
 *
 * @param sent the tools as the server sent them
 */
export function judgedOffer(
  plain: Offer,
  { contract, revision }: Captured,
  sent: SentTools,
  drift: readonly Drift[],
): Offer {
  const costs = toolCosts(contract);
  const problems = groupBy(lintContract(sent.in(contract), everydayProfiles, revision), ({ tool }) => tool);
  const drifts = groupBy(drift, ({ entry }) => (entry ? `${entry.list} ${entry.index}` : ""));
  const judged = (list: ContractList): Item[] =>
    plain[list].map(({ entry }, index) => ({
      entry,
      badges: [
        ...(list === "tools" ? lintBadges(problems.get(String(entry["name"])) ?? []) : []),
        ...driftBadges(drifts.get(`${list} ${index}`) ?? []),
        ...(list === "tools"
          ? [{ kind: "plain", text: `about ${costs[index]!.tokens} tokens`, lines: [] } as const]
          : []),
      ],
    }));
  return {
    ...plain,
    ...{ tools: judged("tools"), resources: judged("resources") },
    ...{ resourceTemplates: judged("resourceTemplates"), prompts: judged("prompts") },
    isJudged: true,
    drift: (drifts.get("") ?? []).map(({ message }) => message),
  };
}

function lintBadges(problems: readonly LintProblem[]): Badge[] {
  return (["error", "warning"] as const).flatMap((level) => {
    const own = problems.filter((problem) => problem.level === level);
    if (own.length === 0) return [];
    const lines = own.map(
      ({ rule, message, judges }) => `${message} (${rule.id}: ${judges.join(", ")}). ${rule.fix}`,
    );
    return [
      {
        kind: level,
        text: `${own.length} lint ${level}${own.length === 1 ? "" : "s"}`,
        lines: firstLines(lines, mostLines),
      },
    ];
  });
}

function driftBadges(drift: readonly Drift[]): Badge[] {
  return drift.length === 0
    ? []
    : [
        {
          kind: "drift",
          text: "differs from the contract",
          lines: firstLines(
            drift.map(({ message }) => message),
            mostLines,
          ),
        },
      ];
}

function entriesOf(contract: Contract, list: ContractList): readonly Members[] {
  return (contract[list] ?? []) as unknown as readonly Members[];
}

/** A schema of a listed tool. */
export function schemaOf(
  contract: Contract | undefined,
  tool: string,
  part: "inputSchema" | "outputSchema",
): JsonObject | undefined {
  const schema = contract?.tools?.find(({ name }) => name === tool)?.[part];
  return isJsonObject(schema!) ? schema : undefined;
}
