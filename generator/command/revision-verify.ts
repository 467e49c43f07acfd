import { openProject } from "./project.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { readLock } from "../revision/lock.js";
import { namedRevisions } from "../revision/revisions-folder.js";
import { readRevision } from "../revision/source.js";
import { type UpstreamVerdict, expectRevision, verifyStore, verifyUpstream } from "../revision/verify.js";
import { counted } from "../print/counted.js";
import type { RunCommand } from "./context.js";
import type { Finding } from "../diagnostics/finding.js";
import type { Outcome } from "./outcome.js";

export const revisionVerify: RunCommand = async (args, context) => {
  const { schemaDir } = await openProject(args, context);
  const revision = args.string("revision");
  const source = args.string("source");
  if (revision === undefined) return wholeStore(schemaDir);
  if (source === undefined) {
    throw new CodedError("MG2003", `expected a file or URL to compare ${revision} with`, {
      next: `Name it: \`mcpgen revision verify ${revision} FILE\`.`,
    });
  }
  const { folder } = namedRevisions(schemaDir).get(revision) ?? { folder: schemaDir };
  expectRevision(readLock(folder), revision);
  const verdict = await verifyUpstream(folder, revision, await readRevision(source, context));
  return oneFile(revision, source, verdict);
};

async function wholeStore(schemaDir: string): Promise<Outcome> {
  const findings = await verifyStore(schemaDir);
  const count = readLock(schemaDir).size;
  const revisions = [...readLock(schemaDir).keys()];
  if (findings.length > 0) return { findings, data: { revisions } };
  return { summary: `${counted(count, "revision")}: canonical and equal to the lock`, data: { revisions } };
}

function oneFile(revision: string, source: string, verdict: UpstreamVerdict): Outcome {
  const { relation, contentOf, added, removed, canonical, locked } = verdict;
  const data = { revision, relation, canonical, locked, contentOf, added, removed };
  if (relation === "same-file") return { text: `${revision}: same file`, data };
  const finding: Finding = {
    code: "MG3108",
    severity: "error",
    place: { file: source },
    message: messageOf(revision, verdict),
    next:
      relation === "same-meaning"
        ? `Nothing to do; \`mcpgen revision add FILE --name ${revision} --replace\` records the new file.`
        : `To store it: \`mcpgen revision add FILE --name ${revision} --replace\`.`,
  };
  const detail = [...shownNames("-", removed), ...shownNames("+", added)].join("\n");
  return { findings: [detail === "" ? finding : { ...finding, detail }], data };
}

function messageOf(revision: string, { relation, contentOf, added, removed }: UpstreamVerdict): string {
  if (relation === "same-meaning")
    return `the file is not the imported one, but its canonical form equals that of ${revision}`;
  if (contentOf !== undefined) return `not the file of ${revision}: its content is that of ${contentOf}`;
  const changes = `${counted(added.length, "definition")} added, ${removed.length} removed`;
  return `the file is not the imported one: its canonical form differs from that of ${revision} (${changes})`;
}

function shownNames(sign: "+" | "-", names: readonly string[]): string[] {
  const shown = names.slice(0, 10).map((name) => `${sign} ${name}`);
  return names.length > shown.length ? [...shown, `${sign} … ${names.length - shown.length} more`] : shown;
}
