import { openProject } from "./project.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { type AddedRevision, addRevision } from "../revision/add.js";
import { readUpstream } from "../revision/source.js";
import type { RunCommand } from "./context.js";
import type { Finding } from "../diagnostics/finding.js";

export const revisionAdd: RunCommand = async (args, context) => {
  const { schemaDir } = await openProject(args, context);
  const name = args.string("name");
  const status = args.string("status") as "draft" | "released" | undefined;
  const commit = expectForm(
    args.string("upstream-commit"),
    "upstream-commit",
    /^[0-9a-f]{40}$/,
    "40 hexadecimal digits",
  );
  const date = expectForm(
    args.string("upstream-date"),
    "upstream-date",
    /^\d{4}-\d{2}-\d{2}$/,
    "a date, YYYY-MM-DD",
  );
  const added = await addRevision({
    schemaDir,
    source: await readUpstream(args.required("source"), context),
    descriptions: !args.flag("no-descriptions"),
    replace: args.flag("replace"),
    ...(name !== undefined && { name }),
    ...(status && { status }),
    ...(commit !== undefined && { commit }),
    ...(date !== undefined && { date }),
  });
  const { revision, action, locked, definitions, notes } = added;
  return {
    findings: droppedNotes(added),
    text: resultText(added),
    ...(action !== "unchanged" && { summary: "Next: `mcpgen generate`, then read the difference." }),
    data: {
      revision,
      action,
      definitions,
      locked,
      notes: notes && { from: notes.from, carried: notes.carried, dropped: notes.dropped },
    },
  };
};

function expectForm(
  value: string | undefined,
  option: string,
  form: RegExp,
  expected: string,
): string | undefined {
  if (value === undefined || form.test(value)) return value;
  throw new CodedError("MG2004", `expected --${option} to be ${expected}, got ${JSON.stringify(value)}`, {
    next: "Correct the value, or leave the option out.",
  });
}

function resultText({ revision, action, locked, definitions, notes }: AddedRevision): string {
  const lines = [`${revision}: ${action}, ${locked.status}, ${locked.dialect}, ${definitions} definitions`];
  if (notes?.from !== undefined) {
    lines.push(`${notes.carried} notes carried over from ${notes.from}; confirm each in notes.json`);
  }
  return lines.join("\n");
}

function droppedNotes({ revision, notes }: AddedRevision): Finding[] {
  return (notes?.dropped ?? []).map((reason) => ({
    code: "MG3107",
    severity: "warning",
    message: `a note was not carried over to ${revision}: ${reason}`,
  }));
}
