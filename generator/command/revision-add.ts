import { openProject, schemaRoot } from "./project.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { tryExtensions } from "../extension/add/try-extensions.js";
import { type AddRequest, type AddedRevision, addRevision } from "../revision/add.js";
import type { RevisionStatus } from "../revision/lock.js";
import { readRevision } from "../revision/source.js";
import type { Arguments } from "./arguments.js";
import { counted } from "../print/counted.js";
import type { RunCommand } from "./context.js";
import type { Finding } from "../diagnostics/finding.js";
import { notOver, over } from "./tried-extensions.js";
import { vocabularyRemark, nameWarnings } from "./upgrade/remarks.js";

export const revisionAdd: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const root = schemaRoot(project);
  const added = await addRevision(
    {
      ...addOptions(args, project.schemaDir),
      source: await readRevision(args.required("source"), context),
      descriptions: !args.flag("no-descriptions"),
    },
    root,
  );
  const { revision, action, locked, definitions, notes } = added;
  const tried = await tryExtensions(project.schemaDir, revision);
  return {
    findings: [
      ...nameWarnings(added),
      ...droppedNotes(added),
      ...tried.flatMap((one) => notOver(one, revision)),
    ],
    text: [resultText(added), ...tried.flatMap((one) => over(one, revision))].join("\n"),
    ...(action !== "unchanged" && { summary: "Next: `mcpgen generate`, then read the difference." }),
    data: {
      revision,
      action,
      definitions,
      locked,
      vocabulary: added.vocabulary.after,
      extensions: tried.map(({ extension, isBase, error }) => ({
        ...{ extension, isBase, compiles: error === undefined },
        ...(error && { error: { code: error.code, message: error.message } }),
      })),
      notes: notes && {
        ...{ from: notes.from, carried: notes.carried, dropped: notes.dropped },
        ...(notes.released !== undefined && { released: notes.released }),
      },
    },
  };
};

/** The options for a revision to be added. */
export function addOptions(args: Arguments, schemaDir: string): Omit<AddRequest, "source" | "descriptions"> {
  const name = args.string("name");
  const status = args.string("status") as RevisionStatus | undefined;
  const commit = expectForm(args, "upstream-commit", /^[0-9a-f]{40}$/, "40 hexadecimal digits");
  const date = expectForm(args, "upstream-date", /^\d{4}-\d{2}-\d{2}$/, "a date, YYYY-MM-DD");
  return {
    schemaDir,
    replace: args.flag("replace"),
    ...(name !== undefined && { name }),
    ...(status && { status }),
    ...(commit !== undefined && { commit }),
    ...(date !== undefined && { date }),
  };
}

/** @throws CodedError MG2004 for a value of another form */
export function expectForm(
  args: Arguments,
  option: string,
  form: RegExp,
  expected: string,
): string | undefined {
  const value = args.string(option);
  if (value === undefined || form.test(value)) return value;
  throw new CodedError("MG2004", `expected --${option} to be ${expected}, got ${JSON.stringify(value)}`, {
    next: "Correct the value, or leave the option out.",
  });
}

function resultText(added: AddedRevision): string {
  const { revision, action, locked, definitions, notes } = added;
  const lines = [
    `${revision}: ${action}, ${locked.status}, ${locked.dialect}, ${counted(definitions, "definition")}`,
  ];
  if (notes?.released !== undefined)
    lines.push(`${counted(notes.released, "note")} of mcpgen, which has this revision`);
  if (notes?.from !== undefined) {
    lines.push(
      `${counted(notes.carried, "note")} carried over from ${notes.from}; confirm each in notes.json`,
    );
  }
  const kept = vocabularyRemark(added);
  if (kept !== undefined) lines.push(`vocabulary: ${kept}`);
  return lines.join("\n");
}

function droppedNotes({ revision, notes }: AddedRevision): Finding[] {
  return (notes?.dropped ?? []).map((reason) => ({
    code: "MG3107",
    severity: "warning",
    message: `a note was not carried over to ${revision}: ${reason}`,
  }));
}
