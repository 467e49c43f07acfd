import { existsSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type Schema, descendants } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { nameDefinitions } from "../print/text.js";
import { printType } from "../targets/typescript/types/print.js";
import { buildModel } from "../model/build-model.js";
import type { Assumption, ProtocolModel, Status } from "../model/model.js";
import type { NoteProblem } from "../notes/apply.js";
import { assumeNotes } from "../model/assume.js";
import type { Note } from "../notes/note.js";
import { parseNotes } from "../notes/parse.js";
import { layoutFreeSha256, contentSha256, sha256 } from "../files/regular-file.js";
import { type Documentation, annotateSchema, canonicalDocument, withPlaces } from "./schema-source.js";
import { type JsonFile, loadJson } from "../files/json-file.js";
import { lockFile, readLock, ownSchemaFolder } from "./lock.js";
import { storedText } from "./stored-schema.js";

/** The input files of one revision. */
export interface RevisionSource {
  readonly revision: string;
  readonly status: Status;
  readonly schemaFile: string;
  /** Default: the notes of the released revision with this schema. */
  readonly notesFile?: string;
  /** Set to use no notes; facts are then derived from the schema and reported as assumptions. */
  readonly withoutNotes?: true;
  /** The files' contents, if already read; they may not exist on disk. */
  readonly read?: { readonly schema: JsonFile; readonly notes?: JsonFile };
}

/** A loaded revision, the input of the emitters. */
export interface LoadedRevision {
  readonly model: ProtocolModel;
  readonly assumptions: readonly Assumption[];
  /** Notes of the notes file, else those derived from the schema. */
  readonly notes: readonly Note[];
  readonly notesFile?: string;
  /** Notes copied from an older revision and not yet confirmed for this one. */
  readonly carried: readonly Note[];
  /** SHA-256 of each input file, by role. The layout of notes does not affect it. */
  readonly inputs: { readonly schema: string; readonly notes?: string };
}

/** The source of a revision in a schema folder. */
export function storedRevision(
  schemaDir: string,
  revision: string,
  status: Status,
  notes: boolean,
): RevisionSource {
  const notesFile = join(schemaDir, revision, "notes.json");
  const schemaFile = join(schemaDir, revision, "schema.json");
  if (!notes) return { revision, status, schemaFile, withoutNotes: true };
  return { revision, status, schemaFile, ...(existsSync(notesFile) && { notesFile }) };
}

/**
 * Reads one revision: schema, notes and documentation become IR and protocol model.
 *
 * @throws CodedError for files that cannot be read, invalid schemas, notes without a target (MG1202) or an
 * effect (MG1203)
 */
export async function loadRevision(source: RevisionSource, docs: Documentation): Promise<LoadedRevision> {
  const { schemaFile, document, released } = await readDocument(source);
  const notesFile = source.read ? source.read.notes : await optionalJson(source.notesFile ?? released);
  const derived = notesFile ? undefined : await withPlaces(schemaFile, () => assumeNotes(document));
  const notes = notesFile ? parseNotes(notesFile) : derived!.notes;

  const { model, problems } = await resolveRevision(schemaFile, document, notes, { ...source, docs });
  refuseProblems(problems, notesFile);
  return {
    model,
    assumptions: [...(derived?.assumptions ?? []), ...model.assumptions],
    notes,
    ...(notesFile && { notesFile: notesFile.file }),
    carried: notes.filter(({ carried }) => carried),
    inputs: {
      schema: contentSha256(schemaFile.text),
      ...(notesFile && { notes: layoutFreeSha256("notes.json", notesFile.text) }),
    },
  };
}

interface SourceDocument {
  readonly schemaFile: Pick<JsonFile, "file" | "text">;
  readonly document: JsonObject;
  /** The released revision whose notes apply, if the source names no others. */
  readonly released: string | undefined;
}

/** Reads a schema file and its canonical form. The original value is not kept, because both are large. */
export async function readDocument(source: RevisionSource): Promise<SourceDocument> {
  const { value, ...file } = source.read?.schema ?? (await loadJson(source.schemaFile));
  return {
    schemaFile: file,
    document: await canonicalDocument({ ...file, value }),
    released: takesReleasedNotes(source) ? await releasedNotes({ ...file, value }) : undefined,
  };
}

async function optionalJson(file: string | undefined): Promise<JsonFile | undefined> {
  return file === undefined ? undefined : loadJson(file);
}

/** A resolved revision, with the notes that cannot be applied or have no effect. */
interface ResolvedRevision {
  readonly model: ProtocolModel;
  readonly problems: readonly NoteProblem[];
}

/** Whether the notes are those of the released revision with the same schema. */
export function takesReleasedNotes({ read, notesFile, withoutNotes }: RevisionSource): boolean {
  return read === undefined && notesFile === undefined && withoutNotes !== true;
}

/** Applies notes and documentation to a canonical document, and builds the protocol model. */
export async function resolveRevision(
  file: Pick<JsonFile, "file" | "text">,
  document: JsonObject,
  notes: readonly Note[],
  about: Pick<RevisionSource, "revision" | "status"> & { readonly docs: Documentation },
): Promise<ResolvedRevision> {
  const { revision, status, docs } = about;
  const { schema, corrected } = await annotateSchema(file, document, notes, { docs, revision });
  const { model, problems } = buildModel({
    revision,
    status,
    schema,
    notes,
    documentation: (method) => ({
      ...optional("description", docs.method(method, revision)),
      ...optional("see", docs.page(method, revision)),
    }),
  });
  const linked = { ...model, schema: linkMessages(model) };
  return { model: linked, problems: [...corrected.problems, ...idleTypeErrata(model, notes), ...problems] };
}

/**
 * Adds a link to the specification to the message of each method. Definitions come from the model, because
 * e.g. a union of one message has a `method` as well.
 */
function linkMessages({ schema, methods }: ProtocolModel): Schema {
  const definitions = new Map(schema.definitions);
  for (const { message, see } of methods) {
    const definition = definitions.get(message);
    if (definition && see !== undefined) definitions.set(message, { ...definition, see: [see] });
  }
  return { ...schema, definitions };
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: string };
}

/** Corrections of a printed type that have no effect, because the schema already has that type. */
function idleTypeErrata({ schema }: ProtocolModel, notes: readonly Note[]): NoteProblem[] {
  const corrections = new Map(
    notes.flatMap((note) =>
      note.kind === "errata" && note.type !== undefined
        ? note.targets.map((target) => [target, note] as const)
        : [],
    ),
  );
  if (corrections.size === 0) return [];
  const names = nameDefinitions(schema);
  const problems: NoteProblem[] = [];
  for (const { node } of schema.definitions.values()) {
    for (const { typeText, ...plain } of descendants(node)) {
      const note = corrections.get(plain.pointer);
      if (note && printType(plain, names) === typeText) {
        problems.push({
          code: "MG1203",
          note,
          target: plain.pointer,
          message: "the type is already printed so",
        });
      }
    }
  }
  return problems;
}

function refuseProblems(problems: readonly NoteProblem[], notesFile: JsonFile | undefined): void {
  const [first] = problems;
  if (first === undefined || notesFile === undefined) return;
  const rest = problems.length > 1 ? ` (and ${problems.length - 1} more notes have problems)` : "";
  throw new CodedError(
    first.code,
    `note of kind ${first.note.kind} on ${first.target}: ${first.message}${rest}`,
    {
      place: { file: notesFile.file, pointer: first.note.pointer },
      next:
        first.code === "MG1203"
          ? "Remove the note, or this target of it."
          : "Remove the note, or point it at the right place.",
    },
  );
}

/**
 * The released revision whose schema equals a file's, apart from descriptions. Names of the file and of the
 * revision do not matter.
 *
 * @returns undefined for every other schema
 * @throws CodedError MG11xx for a file that is not a schema
 */
export async function releasedRevision(file: JsonFile): Promise<string | undefined> {
  const document = await canonicalDocument(file, { descriptions: false });
  const hash = sha256(storedText(document));
  return [...readLock(ownSchemaFolder)].find(
    ([, { status, canonical }]) => status === "released" && canonical === hash,
  )?.[0];
}

/**
 * The path of the shipped notes for the released revision whose schema a file contains. Errors as for
 * `releasedRevision`.
 */
export async function releasedNotes(file: JsonFile): Promise<string | undefined> {
  const revision = await releasedRevision(file);
  const notes = revision === undefined ? undefined : notesOf(revision);
  return notes !== undefined && existsSync(notes) ? notes : undefined;
}

/** The files that `releasedNotes` depends on besides the schema. */
export function releasedFiles(): string[] {
  return [join(ownSchemaFolder, lockFile), ...[...readLock(ownSchemaFolder).keys()].map(notesOf)];
}

function notesOf(revision: string): string {
  return join(ownSchemaFolder, revision, "notes.json");
}
