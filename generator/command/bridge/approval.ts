import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { noConfig } from "../../config/config.js";
import type { Contract } from "../../contract/contract.js";
import { contractText, loadContract } from "../../contract/read-contract.js";
import { jsonReport } from "../../diff/report/json.js";
import { textReport } from "../../diff/report/text.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { WriteRoot } from "../../files/held-folder.js";
import { readTextIfPresent } from "../../files/regular-file.js";
import { unifiedDiff } from "../../files/unified-diff.js";
import { putText } from "../../files/writer.js";
import { printable, shownPath } from "../../print/terminal-text.js";
import { withKnown } from "../capture.js";
import type { Arguments, CommandContext, RunCommand } from "../command.js";
import { canAsk } from "../console.js";
import { type ContractSource, contractSource, writtenSource } from "../contract-source.js";
import { compareContracts } from "../diff/contracts.js";
import { informing } from "../diff/policies.js";
import { type Back, type Plan, planOf } from "./plan.js";

/**
 * The contract to which a bridge holds its server (`--frozen`). Without that, shows how the server differs, and holds it to nothing.
 *
 * @throws CodedError MG2005, MG2004
 */
export async function pinnedContract(
  { backs, contract: file, isFrozen }: Plan,
  args: Arguments,
  context: CommandContext,
): Promise<Contract | undefined> {
  const [back, another] = backs as [Back, Back | undefined];
  if (file === undefined)
    throw new CodedError("MG2005", "--frozen needs --contract", {
      next: "Name the contract, too; `mcpgen bridge approve FILE SOURCE` writes one.",
    });
  expectOne(another);
  const contract = await contractSource(file, back.options, context);
  if (isFrozen) return contract.contract;
  const live = await liveSource(back, contract, context);
  const { report } = compareContracts(contract, live, informing(args, { loaded: noConfig(file) }));
  const { paintError: paint, settings } = context.console;
  if (report.findings.length > 0)
    context.console.note(textReport(report, { paint, verbose: settings.verbose }));
  return undefined;
}

function expectOne(another: Back | undefined): void {
  if (another)
    throw new CodedError("MG2004", "a contract is of one server, and several are named", {
      next: "Start a bridge for each server.",
    });
}

/** What the server offers, with the entries of its contract that its lists may leave out. */
function liveSource(
  { source, options }: Back,
  { contract }: Pick<ContractSource, "contract">,
  context: CommandContext,
): Promise<ContractSource> {
  return contractSource(source, options, context, { known: contract, asked: contract.asked });
}

/** Shows what has changed at a server since its contract was approved, asks, and writes the contract. */
export const approve: RunCommand = async (args, context) => {
  const { directory, console } = context;
  const { backs } = await planOf(args, context, false);
  const [back, another] = backs as [Back, Back | undefined];
  expectOne(another);
  const file = resolve(directory, args.required("file"));
  const shown = shownPath(file, directory);
  const before = existsSync(file) ? writtenSource(await loadContract(file, shown)) : undefined;
  const live = await liveSource(back, before ?? { contract: { name: "", version: "" } }, context);
  const { name, version } = live.contract;
  const nothing = { ...live, name: shown, contract: { name, version }, findings: [], invalid: [] };
  const known = before?.contract;
  const { report } = compareContracts(
    before ?? nothing,
    live,
    informing(args, { loaded: noConfig(directory) }),
  );
  const text = await contractText(withKnown(live, known, known), file);
  const outcome = (summary: string, done: string) => ({
    findings: live.findings,
    summary: `${shown}: ${summary}`,
    data: { file: shown, written: done === "written", diff: jsonReport(report) },
  });
  const present = readTextIfPresent(file) ?? "";
  if (present === text) return outcome("unchanged", "");
  const { paint, settings } = console;
  // The report says what the changes mean; the lines are what is approved.
  const meaning =
    report.findings.length > 0 ? [textReport(report, { paint, verbose: settings.verbose })] : [];
  const shownReport = [...meaning, unifiedDiff(present, text, Infinity)].join("\n");
  const isAsked = !args.flag("yes");
  if (isAsked) {
    const { terminal } = context;
    if (terminal === undefined || !canAsk(context))
      throw new CodedError("MG2003", "expected --yes: there is no terminal to ask at", {
        next: "Look at what changed, then repeat the command with --yes.",
        detail: shownReport,
        facts: { diff: jsonReport(report) },
      });
    console.error(shownReport);
    const { confirm } = await import("@clack/prompts");
    const answer = await confirm({ ...terminal, message: `Write ${printable(shown)}?`, initialValue: false });
    if (answer !== true) return { ...outcome("not approved, and unchanged", ""), failed: true };
  }
  const done = putText(WriteRoot.ofFile(file, directory), file, text, () => undefined);
  return { ...outcome(done, done), ...(!isAsked && { text: shownReport }) };
};
