import { CodedError } from "../../diagnostics/coded-error.js";
import type { Report } from "../../diff/report/report.js";
import { applyApprovals } from "../../diff/policy/approvals.js";
import { canonicalDocument } from "../../revision/schema-source.js";
import type { JsonFile } from "../../files/json-file.js";
import { type Identity, identify } from "../../revision/identify.js";
import { readLock } from "../../revision/lock.js";
import { readRevision } from "../../revision/source.js";
import { expectRevision } from "../../revision/verify.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { readAlike, storedSource } from "../diff/alike.js";
import { policyOf } from "../diff/policies.js";
import { type Evaluation, compareSources } from "../diff/report.js";
import type { Project } from "../project.js";

/** How a published file differs from the pinned revisions. */
export interface Comparison {
  readonly verdict: "unchanged" | "same-revision" | "new-revision";
  /** The pinned revision it was compared with. */
  readonly revision: string;
  /** The name of a new revision, if its address contains it. */
  readonly name?: string;
  readonly reason: string;
  readonly sha256: string;
  /** Whether both files are the same schema without descriptions. */
  readonly onlyProse: boolean;
  /** Undefined for the very same file. */
  readonly report?: Report;
}

/** @throws CodedError MG2010 where there is no revision to compare with */
export async function compareUpstream(
  source: string,
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Comparison> {
  const { schemaDir } = project;
  const file = await readRevision(source, context);
  const identity = await identify(schemaDir, file, args.string("revision"));
  if (!identity) throw noRevision(schemaDir);
  const { revision, name, relation, reason } = identity;
  const about = { revision, ...(name !== undefined && { name }), reason, sha256: file.sha256 };
  if (relation === "same-file") return { ...about, verdict: "unchanged", onlyProse: false };

  const old = await storedSource(schemaDir, revision, context.directory);
  const base = { revision, notes: old.notes };
  const next = await readAlike(file, name ?? file.file, base, schemaDir, context.directory);
  const evaluation: Evaluation = {
    // Whether it fails is decided by what the file is, not by how bad the differences are.
    policy: { ...policyOf(args, project), failOn: "never" },
    role: "both",
    baseline: new Set(),
    approvalsOf: (differences) => applyApprovals(differences, [], ""),
  };
  const { verdict, reason: why } = verdictOf(identity, () => compareSources(old, next, evaluation).report);
  const { sha256: pinned } = expectRevision(readLock(schemaDir), revision).upstream;
  const published =
    verdict === "same-revision"
      ? { revision, old: pinned, new: file.sha256, dropped: next.dropped }
      : undefined;
  const { report } = compareSources(old, next, { ...evaluation, published });
  const onlyProse = (await withoutProse(old.file)) === (await withoutProse(file));
  return { ...about, verdict, reason: why, onlyProse, report };
}

/** A file whose address says nothing is another file of a revision if no peer notices the difference. */
function verdictOf(
  { relation, reason }: Identity,
  compare: () => Report,
): Pick<Comparison, "verdict" | "reason"> {
  if (relation === "same-revision" || relation === "new-revision") return { verdict: relation, reason };
  const telling = compare().findings.find(
    ({ worst, subject, old, new: next }) =>
      worst !== "safe" || ("method" in subject && (old === null || next === null)),
  );
  return telling
    ? {
        verdict: "new-revision",
        reason: `only ${reason}, and a client or server would notice the other differences (${telling.rule})`,
      }
    : {
        verdict: "same-revision",
        reason: `${reason}, and no client or server would notice the other differences`,
      };
}

async function withoutProse(file: JsonFile): Promise<string> {
  return JSON.stringify(await canonicalDocument(file, { descriptions: false }));
}

function noRevision(schemaDir: string): CodedError {
  return new CodedError("MG2010", "there is no revision to compare with", {
    place: { file: schemaDir },
    next: "Bring one in with `mcpgen revision add FILE`.",
  });
}
