import { resolve } from "node:path";
import type { Captured } from "../../capture/capture.js";
import type { Contract } from "../../contract/contract.js";
import type { Drift, ListName } from "../../dev/page/offer.js";
import { changeText, subjectText } from "../../diff/finding.js";
import { applyApprovals } from "../../diff/policy/approvals.js";
import type { ReportedFinding } from "../../diff/report/report.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { capturedSource, contractSource } from "../contract-source.js";
import { compareContracts } from "../diff/contracts.js";
import { loadApprovals, policyOf, today } from "../diff/policies.js";
import type { Project } from "../project.js";
import { serverOptions } from "../server-options.js";

/** The differences of a live server from the only contract of its project, as `check --server` finds them. */
export async function driftOf(
  captured: Captured,
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<readonly Drift[]> {
  const { contract: live, unread } = captured;
  const { config, folder } = project.loaded;
  const [only, another] = (config.contracts ?? []).filter(({ role }) => role !== "client");
  if (!only || another) return [];
  const file = resolve(folder, only.file);
  const contract = await contractSource(file, serverOptions(args, context), context);
  const { approvals } = await loadApprovals(args, project, context);
  const { report } = compareContracts(contract, capturedSource(captured, "the server"), {
    policy: { ...policyOf(args, project), failOn: "any" },
    role: "both",
    baseline: new Set(),
    approvalsOf: (differences) => applyApprovals(differences, approvals, today()),
  });
  // What an unread list has is unknown.
  const isKnown = ({ subject }: ReportedFinding): boolean =>
    "method" in subject || !unread.some(({ list }) => subject.definition.startsWith(`${list}/`));
  return report.findings
    .filter((finding) => !finding.approval && isKnown(finding))
    .map((finding) => driftFrom(finding, contract.contract, live));
}

function driftFrom(finding: ReportedFinding, contract: Contract, live: Contract): Drift {
  const { rule, subject, fails, pointers, why } = finding;
  const shape = changeText(finding);
  const entry = entryOf(pointers.new, live, live) ?? entryOf(pointers.old, contract, live);
  return {
    severity: fails ? "error" : "warning",
    message: `${rule}: ${subjectText(subject)}${shape === "" ? "" : `: ${shape}`}. ${why}`,
    ...(entry && { entry }),
  };
}

const keys: Readonly<Record<ListName, string>> = {
  tools: "name",
  resources: "uri",
  resourceTemplates: "uriTemplate",
  prompts: "name",
};

/** The entry of the live server that a place in one of the contracts is about. */
function entryOf(pointer: string | null, contract: Contract, live: Contract): Drift["entry"] {
  const [, list, index] = /^\/(tools|resources|resourceTemplates|prompts)\/(\d+)/.exec(pointer ?? "") ?? [];
  if (list === undefined) return undefined;
  const name = list as ListName;
  const of = (source: Contract): readonly Record<string, unknown>[] =>
    (source[name] ?? []) as unknown as readonly Record<string, unknown>[];
  const key = of(contract)[Number(index)]?.[keys[name]];
  const found = of(live).findIndex((each) => each[keys[name]] === key);
  return found < 0 ? undefined : { list: name, index: found };
}
