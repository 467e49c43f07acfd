import { openProject, schemaRoot } from "./project.js";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import { tryExtensions } from "../extension/add/try-extensions.js";
import { type AddRequest, type AddedRevision, addRevision } from "../revision/add.js";
import type { CarriedNotes } from "../revision/carried-notes.js";
import {
  type RevisionStatus,
  readLock,
  readVocabulary,
  vocabularyIn,
  releasedRevisions,
  namedRevisions,
  expectRevision,
} from "../revision/lock.js";
import { readRevision } from "../revision/schema-source.js";
import type { Arguments, RunCommand, Outcome } from "./command.js";
import { counted, columns, firstLines } from "../print/terminal-text.js";
import { notOver, over, vocabularyRemark, nameWarnings } from "./upgrade/remarks.js";
import { type UpstreamVerdict, verifyStore, verifyUpstream } from "../revision/stored-schema.js";

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
      ...droppedNotes(notes?.dropped ?? [], `a note was not carried over to ${revision}`),
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

/** Reads the options that describe a revision to add. */
export function addOptions(args: Arguments, schemaDir: string): Omit<AddRequest, "source" | "descriptions"> {
  const name = args.string("name");
  return { schemaDir, ...originOptions(args), ...(name !== undefined && { name }) };
}

/** Reads the options that a revision and an extension share: status, origin, and whether to replace one. */
export function originOptions(args: Arguments): Pick<AddRequest, "status" | "commit" | "date" | "replace"> {
  const status = args.string("status") as RevisionStatus | undefined;
  const commit = expectForm(args, "upstream-commit", /^[0-9a-f]{40}$/, "40 hexadecimal digits");
  const date = expectForm(args, "upstream-date", /^\d{4}-\d{2}-\d{2}$/, "a date, YYYY-MM-DD");
  return {
    replace: args.flag("replace"),
    ...(status && { status }),
    ...(commit !== undefined && { commit }),
    ...(date !== undefined && { date }),
  };
}

/** @throws CodedError MG2004 for a value of the wrong form */
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
  lines.push(...(notes ? carriedLine(notes) : []));
  const kept = vocabularyRemark(added);
  if (kept !== undefined) lines.push(`vocabulary: ${kept}`);
  return lines.join("\n");
}

/** A line about notes that were copied from an earlier version. */
export function carriedLine({ from, carried }: Pick<CarriedNotes, "from" | "carried">): string[] {
  return from === undefined
    ? []
    : [`${counted(carried, "note")} carried over from ${from}; confirm each in notes.json`];
}

/** @param said what happened to each note, in front of the reason */
export function droppedNotes(dropped: readonly string[], said: string): Finding[] {
  return dropped.map((reason) => ({ code: "MG3107", severity: "warning", message: `${said}: ${reason}` }));
}

export const revisionList: RunCommand = async (args, context) => {
  const { schemaDir } = await openProject(args, context);
  const lock = readLock(schemaDir);
  const rows = [...lock].map(([revision, { status, dialect, upstream }]) => [
    revision,
    status,
    dialect,
    upstream.date ?? "",
    upstream.commit?.slice(0, 12) ?? "",
  ]);
  const pinned = readVocabulary(schemaDir, lock);
  const vocabulary = vocabularyIn({ revisions: lock, vocabulary: pinned });
  const source = pinned === undefined ? "the newest released revision; not pinned" : "pinned";
  const released = [...releasedRevisions().keys()];
  const heading = ["revision", "status", "dialect", "upstream", "commit"];
  return {
    text:
      rows.length === 0
        ? `no revisions; \`mcpgen revision add ${released.at(-1)}\` brings one in, of ${released.join(", ")}; FILE, another`
        : `${columns([heading, ...rows])}\n\nvocabulary: ${vocabulary} (${source})`,
    data: {
      revisions: Object.fromEntries(lock),
      ...(vocabulary !== undefined && { vocabulary, pinned: pinned !== undefined }),
    },
  };
};

export const revisionVerify: RunCommand = async (args, context) => {
  const { schemaDir } = await openProject(args, context);
  const revision = args.string("revision");
  const source = args.string("source");
  if (revision === undefined)
    return storeOutcome(await verifyStore(schemaDir), "revision", [...readLock(schemaDir).keys()]);
  if (source === undefined) throw noSource("revision", revision);
  const { folder } = namedRevisions(schemaDir).get(revision) ?? { folder: schemaDir };
  expectRevision(readLock(folder), revision);
  const verdict = await verifyUpstream(folder, revision, await readRevision(source, context));
  return oneFile(revision, source, verdict);
};

/** @param kind the group of the command, e.g. `revision` */
export function noSource(kind: "revision" | "extension", name: string): CodedError {
  return new CodedError("MG2003", `expected a file or URL to compare ${name} with`, {
    next: `Name it: \`mcpgen ${kind} verify ${name} FILE\`.`,
  });
}

/** The outcome of a comparison of all stored schemas with the lock. */
export function storeOutcome(
  findings: readonly Finding[],
  kind: "revision" | "extension",
  names: readonly string[],
): Outcome {
  const data = { [`${kind}s`]: names };
  if (findings.length > 0) return { findings, data };
  return { summary: `${counted(names.length, kind)}: canonical and equal to the lock`, data };
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
  const namesOf = (sign: "+" | "-", names: readonly string[]): readonly string[] =>
    firstLines(
      names.map((name) => `${sign} ${name}`),
      10,
    );
  const detail = [...namesOf("-", removed), ...namesOf("+", added)].join("\n");
  return { findings: [detail === "" ? finding : { ...finding, detail }], data };
}

function messageOf(revision: string, { relation, contentOf, added, removed }: UpstreamVerdict): string {
  if (relation === "same-meaning")
    return `the file is not the imported one, but its canonical form equals that of ${revision}`;
  if (contentOf !== undefined) return `not the file of ${revision}: its content is that of ${contentOf}`;
  const changes = `${counted(added.length, "definition")} added, ${removed.length} removed`;
  return `the file is not the imported one: its canonical form differs from that of ${revision} (${changes})`;
}
