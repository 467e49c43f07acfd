import { verifyExtensionFile } from "../../extension/add/verify-upstream.js";
import { extensionKey } from "../../extension/extension-store.js";
import { applyApprovals } from "../../diff/policy/approvals.js";
import { jsonReport } from "../../diff/report/json.js";
import { markdownReport } from "../../diff/report/markdown.js";
import { textReport } from "../../diff/report/text.js";
import type { Finding } from "../../diagnostics/finding.js";
import { sourceName } from "../../files/source.js";
import { readUpstream } from "../../revision/source.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { ExtensionSides } from "../diff/extension-source.js";
import { compareSides } from "../diff/extensions.js";
import { policyOf } from "../diff/policies.js";
import type { Evaluation } from "../diff/report.js";
import type { Outcome } from "../outcome.js";
import type { Project } from "../project.js";
import { shellLine } from "../../print/shell-line.js";

/** Compares a stored extension with a file that its authors publish now. Writes nothing. */
export async function checkExtensionUpstream(
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Outcome> {
  const { schemaDir } = project;
  const source = args.required("upstream");
  const sides = new ExtensionSides(schemaDir, context);
  const old = await sides.stored(args.required("extension"));
  const file = await readUpstream(source, context);
  const { relation, added, removed } = await verifyExtensionFile(schemaDir, old.stored, file);
  const key = extensionKey(old.stored);
  const shown = sourceName(source);
  const upstream = { source, sha256: file.sha256, extension: key, relation, added, removed };
  if (relation === "same-file")
    return { summary: `${shown}: unchanged, the file that ${key} was added from`, data: { upstream } };
  const place = { file: shown };
  if (relation === "same-meaning") {
    const message = `another file of ${key}: its canonical form is the same`;
    return { findings: [{ code: "MG3110", severity: "warning", message, place }], data: { upstream } };
  }
  const evaluation: Evaluation = {
    // Whether it fails is decided by what the file is, not by how bad the differences are.
    policy: { ...policyOf(args, project), failOn: "never" },
    role: "both",
    baseline: new Set(),
    approvalsOf: (differences) => applyApprovals(differences, [], ""),
  };
  const { report, findings } = compareSides(old, await sides.published(source, old.stored, file), evaluation);
  const { id } = old.stored;
  const mend = shellLine(["mcpgen", "extension", "add", source, "--id", id, "--version", "VERSION"]);
  const finding: Finding = {
    ...{ code: "MG3110", severity: "error", place },
    message: `the file differs from that of ${key}`,
    next: "If it is the next version, add it under that version.",
  };
  const data = { upstream, diff: jsonReport(report) };
  if (args.string("format") === "markdown")
    return { failed: true, text: `${markdownReport(report)}\n\nTo store it: \`${mend}\``, data };
  const { paint, settings } = context.console;
  const text = textReport(report, { paint, verbose: settings.verbose });
  return { failed: true, findings: [finding, ...findings], text, mend, data };
}
