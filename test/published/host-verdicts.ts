import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { revisionIds } from "@mcpgen/protocol";
import type { Contract, ContractTool } from "../../generator/contract/contract.js";
import { type HostName, hostNames } from "../../generator/lint/host-rows.js";
import { lintContract } from "../../generator/lint/lint-contract.js";
import { effects } from "../../generator/lint/rule.js";
import { installed } from "../support/hosts/install.js";
import { rulesOf } from "../support/hosts/observe.js";
import { type Effect, caseEffects } from "../support/hosts/row.js";
import { buildProbe, run } from "../support/hosts/run.js";
import type { Case, CaseTool } from "../support/host-cases.js";
import { validValues } from "./values.js";

/** The offer of a server, and the revision that it chose. */
interface Listed {
  readonly contract: Contract;
  readonly revision: string;
}

/** How `lint --host` and a run of the host judge the tools of a contract. */
export interface HostVerdict {
  readonly tools: number;
  readonly called: number;
  /** Problems that lint reports. */
  readonly errors: number;
  readonly warnings: number;
  /** Tools about which they disagree: a text each. */
  readonly faults: readonly string[];
}

/** Numbers of errors that lint reports of a contract, by host. */
export function errorsByHost({ contract, revision }: Listed): { readonly [host: string]: number } {
  return Object.fromEntries(
    hostNames.map((host) => [
      host,
      lintContract(contract, [host], revision).filter(({ level }) => level === "error").length,
    ]),
  );
}

/**
 * Lets a host list and call tools as a server lists them; each answers with a value of its schema. Then compares what the
 * host did with each tool with what lint reports.
 */
export async function hostVerdict(name: HostName, { contract, revision }: Listed): Promise<HostVerdict> {
  const host = await (readied ??= buildProbe()).then(() => installed(name));
  const cases = new Map((contract.tools ?? []).map((tool) => [tool.name, caseOf(tool)]));
  const speaks = revisionIds.filter((each) => each <= revision);
  const { culprits, rules } = await rulesOf([...cases.values()], (options) =>
    run(host, { ...options, speaks }),
  );
  const effectOf = (tool: string, rule?: string): Effect | undefined =>
    caseEffects(rules, culprits, [{ ...cases.get(tool)!, ...(rule !== undefined && { rule }) }])[0]?.effect;
  const problems = lintContract(contract, [name], revision);
  const faults = [
    ...problems
      .filter(({ tool, rule, level }) => levelOf(effectOf(tool, rule.id)) !== level)
      .map(
        ({ tool, rule, level }) =>
          `${tool}: lint reports the ${level} ${rule.id}, and ${name} ${effectOf(tool, rule.id) ?? "changes nothing"}`,
      ),
    ...[...cases.keys()]
      .filter((tool) => {
        const effect = effectOf(tool);
        // Lint reports what a host rewrites only where a model would refuse it.
        const level = effect === "rewrites" ? undefined : levelOf(effect);
        return level !== undefined && !problems.some((each) => each.tool === tool && each.level === level);
      })
      .map((tool) => `${tool}: ${name} ${effectOf(tool)} it, and lint reports no rule of that effect`),
  ];
  const count = (level: string): number => problems.filter((each) => each.level === level).length;
  const called = rules.calls.filter(({ tool, result }) => cases.has(tool) && result !== undefined).length;
  return {
    tools: cases.size,
    called,
    errors: count("error"),
    warnings: count("warning"),
    faults: [...new Set(faults)],
  };
}

let readied: Promise<void> | undefined;

function levelOf(effect: Effect | undefined): "error" | "warning" | undefined {
  return effect && effects[effect].level;
}

/** A tool as a case: its results have the smallest value of their schema. */
function caseOf({ description = "", ...tool }: ContractTool): Case {
  const { name, outputSchema } = tool;
  const structured = outputSchema && smallest(outputSchema);
  return {
    what: name,
    tool: { ...tool, description } as CaseTool,
    ...(structured !== undefined && { structured }),
  };
}

function smallest(schema: JsonObject): JsonValue | undefined {
  return validValues(schema, 0, "")[0];
}
