import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  jsonEqual,
  naturalCompare,
  pointer,
} from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { type JsonFile, loadJson } from "../../files/json-file.js";
import { sha256, readTextIfPresent } from "../../files/regular-file.js";
import type { WriteRoot } from "../../files/held-folder.js";
import { slashPath } from "../../files/platform.js";
import { type FileChange, writeFiles } from "../../files/writer.js";
import { folderOf, isDate, isRevisionFolder } from "../../notes/note.js";
import {
  type ExtensionLock,
  type LockedExtension,
  type RevisionStatus,
  changedLock,
  lockFile,
  readExtensionLock,
  readLock,
  revisionsFolder,
} from "../../revision/lock.js";
import { type UpstreamFile, canonicalDocument } from "../../revision/schema-source.js";
import { storedText } from "../../revision/stored-schema.js";
import { type CanonicalExtension, canonicalExtension } from "../canonical/canonical-extension.js";
import {
  type StoredExtension,
  expectExtensionVersion,
  extensionId,
  extensionFile,
  extensionFolder,
  extensionKey,
  filesOf,
  storedExtensions,
} from "../extension-store.js";
import { type AddAssumption, assumptionsOf } from "./assumptions.js";
import { type LoadedBase, expectDefinitions, loadBases } from "./bases.js";
import {
  type NewNotes,
  type NoteSubjects,
  type Sender,
  carriedOver,
  derivedNotes,
  givenNotes,
  withSenders,
} from "./new-notes.js";
import { type OwnModel, readOwnModel } from "./own-model.js";
import { type Question, openQuestions } from "./questions.js";

/** Advice for schema authors: how a schema describes a message. */
export const messageForm =
  'each message under $defs, with its method as a constant: "FindRequest": { "type": "object", "properties": { "method": { "const": "search/find" }, "params": { "type": "object" } }, "required": ["method"] }';

export interface AddExtensionRequest {
  readonly schemaDir: string;
  readonly source: UpstreamFile;
  readonly id: string;
  /**
   * Ids of the base revisions. Default: the bases of the previous version, or the newest released revision.
   */
  readonly bases?: readonly string[];
  /**
   * Default: the name of the file's folder if it is a date or `draft`, else the newest stored version, else
   * 1.0.0.
   */
  readonly version?: string;
  /** Default: released for a date or a number with dots, otherwise draft. */
  readonly status?: RevisionStatus;
  /** Default: the notes of the previous version, marked as carried. */
  readonly notes?: JsonFile;
  /** The sides that send methods; they override other notes. */
  readonly senders?: ReadonlyMap<string, Sender>;
  /** The previous version. Default: the newest stored version other than this one. */
  readonly previous?: StoredExtension;
  readonly descriptions: boolean;
  readonly replace: boolean;
  readonly url?: string;
  readonly commit?: string;
  readonly date?: string;
}

/** An extension prepared for the schema folder; nothing is written yet. */
export interface StagedExtension {
  readonly id: string;
  readonly version: string;
  readonly action: "added" | "replaced" | "unchanged";
  /** Oldest first. */
  readonly bases: readonly string[];
  readonly canonical: CanonicalExtension;
  readonly methods: OwnModel["methods"];
  readonly notes: NewNotes;
  readonly questions: readonly Question[];
  readonly assumptions: readonly AddAssumption[];
  readonly locked: LockedExtension;
  /** Paths are relative to the schema folder. */
  readonly changes: readonly FileChange[];
}

/**
 * Adds an extension to the schema folder: extension.json, canonical schema, notes and lock. Writes everything
 * or nothing.
 *
 * @param root the schema folder
 * @throws CodedError MG1301 for an invalid id or version, MG1307 if the version exists with other content and
 * `replace` is not set, MG1303 and MG1304 if the schema does not fit a base, MG2010 for a base that is not
 * stored, MG11xx for a schema that cannot be read, MG1201 for invalid notes
 */
export async function addExtension(request: AddExtensionRequest, root: WriteRoot): Promise<StagedExtension> {
  const staged = await stageExtension(request);
  writeFiles(root, staged.changes);
  return staged;
}

/** Computes the changes of `addExtension` without writing. Same errors. */
export async function stageExtension(request: AddExtensionRequest): Promise<StagedExtension> {
  const { schemaDir, source, id } = request;
  extensionId(id);
  const stored = versionsOf(schemaDir, id);
  const version = expectExtensionVersion(request.version ?? usualVersion(source.file, stored.at(-1)));
  const others = stored.filter((one) => one.version !== version);
  const previous = request.previous ?? others.at(-1);
  const previousFile = previous && (await optionalJson(filesOf(previous).extension));
  const folder = extensionFolder(schemaDir, { id, version });
  const standingFile = await optionalJson(join(folder, extensionFile));
  const wanted = request.bases ?? basesIn(standingFile) ?? basesIn(previousFile);
  const bases = await loadBases(schemaDir, wanted, source.file);
  const read = await readCanonical(request, bases, schemaDir);
  const lock = readExtensionLock(schemaDir);
  const standing = await standingOf({ ...request, version }, read.canonical.document, lock);
  const locked = lockedEntry(request, version, read.canonical.document);

  const present = { id, version, folder };
  const known = await notesOf(request, read, previous, filesOf(present).notes);
  const notes = request.senders ? withSenders(known, request.senders, methodsOf(read), bases) : known;
  const status = request.status ?? usualStatus(version);
  const about = newExtensionFile(
    {
      ...{ id, version, status, bases: bases.map(({ revision }) => revision) },
      definitions: new Set(Object.keys(read.canonical.document["$defs"] as JsonObject)),
    },
    (standingFile ?? previousFile)?.value,
  );
  const key = extensionKey(present);
  const files: Record<string, string> = {
    [extensionFile]: JSON.stringify(about, null, 2) + "\n",
    "schema.json": storedText(read.canonical.document),
    "notes.json": notes.text,
  };
  const nextLock = changedLock(schemaDir, { extensions: new Map([...lock, [key, locked]]) });
  const changes = isRepeated(request, standing) ? [] : changesOf(schemaDir, folder, files, nextLock);
  return {
    ...{ id, version, notes, changes },
    locked: (isRepeated(request, standing) && lock.get(key)) || locked,
    action: changes.length === 0 ? "unchanged" : standing === "absent" ? "added" : "replaced",
    bases: bases.map(({ revision }) => revision),
    canonical: read.canonical,
    methods: read.models[0]!.methods,
    questions: questionsOf(read, notes, about),
    assumptions: assumptionsOf(read.canonical, read.models[0]!),
  };
}

/**
 * Whether the same file was added before. Nothing is written then, so that the notes and facts that people
 * have added are kept.
 */
function isRepeated({ replace, senders }: AddExtensionRequest, standing: Standing): boolean {
  return standing === "same" && !replace && !senders;
}

type Standing = "absent" | "same" | "different";

interface Read {
  readonly canonical: CanonicalExtension;
  readonly bases: readonly LoadedBase[];
  /** Newest first. */
  readonly models: readonly OwnModel[];
}

async function readCanonical(
  { source, descriptions }: AddExtensionRequest,
  bases: readonly LoadedBase[],
  schemaDir: string,
): Promise<Read> {
  const document = await canonicalDocument(source, { descriptions, next: definitionsAdvice(source) });
  const newestFirst = [...bases].reverse();
  const canonical = canonicalExtension(document, newestFirst, [
    ...readLock(revisionsFolder(schemaDir)).keys(),
  ]);
  if (Object.keys(canonical.document["$defs"] as JsonObject).length === 0)
    throw new CodedError("MG1109", "every definition is one of the base's: nothing is left", {
      place: { file: source.file, pointer: "/$defs" },
      next: "Check that this is the schema of an extension.",
    });
  expectDefinitions(canonical.document, newestFirst, source.file);
  const models: OwnModel[] = [];
  for (const base of newestFirst)
    models.push(await readOwnModel(source, canonical.document, base.model, base.document));
  return { canonical, bases, models };
}

/** Advice for a file without definitions. */
function definitionsAdvice({ value }: UpstreamFile): string {
  // This is how zod prints a registry.
  return isJsonObject(value) && isJsonObject(value["schemas"])
    ? 'Write the content of "schemas" under $defs; references are #/$defs/NAME. With zod: { $defs: z.toJSONSchema(registry, { uri: (id) => `#/$defs/${id}` }).schemas }.'
    : `Write ${messageForm}.`;
}

function methodsOf({ models }: Read): ReadonlySet<string> {
  return new Set(models.flatMap(({ methods }) => methods.map(({ name }) => name)));
}

function subjectsOf({ canonical, bases, models }: Read): NoteSubjects {
  const methods = [...models, ...bases.map(({ model }) => model)].flatMap((one) => one.methods);
  return { document: canonical.document, bases, methods: new Set(methods.map(({ name }) => name)) };
}

/** The notes of the version: the stored ones, else the given ones, else those of the previous version. */
async function notesOf(
  request: AddExtensionRequest,
  read: Read,
  previous: StoredExtension | undefined,
  standing: string | undefined,
): Promise<NewNotes> {
  const subjects = subjectsOf(read);
  const { reopened } = read.canonical;
  if (request.notes) return givenNotes(request.notes, subjects, reopened);
  if (standing !== undefined) {
    const file = await loadJson(standing);
    return { ...givenNotes(file, subjects, []), text: file.text };
  }
  const before = previous && filesOf(previous).notes;
  if (before === undefined) return derivedNotes(subjects, reopened);
  return carriedOver(await loadJson(before), previous!.version, subjects, reopened);
}

function questionsOf({ models, bases }: Read, { notes }: NewNotes, about: JsonObject): readonly Question[] {
  const named = Object.values((about["settings"] ?? {}) as JsonObject);
  const settings = named.flatMap((one) => (typeof one === "string" ? [one.split("/").at(-1)!] : []));
  const [names, ...others] = bases.map(({ document }) => Object.keys(document["$defs"] as JsonObject));
  const shared = new Set(names!.filter((name) => others.every((all) => all.includes(name))));
  return openQuestions({ own: models[0]!, base: bases.at(-1)!.model, notes, settings, shared });
}

/**
 * The default version of a file: the name of its folder, else the newest stored version, else the first
 * version.
 */
function usualVersion(source: string, newest: StoredExtension | undefined): string {
  const folder = folderOf(source);
  return isRevisionFolder(folder) ? folder : (newest?.version ?? firstVersion);
}

/** Version of an extension when it is first added. */
const firstVersion = "1.0.0";

/** Versions of the extension in the schema folder, oldest first. */
function versionsOf(schemaDir: string, id: string): StoredExtension[] {
  const stored = storedExtensions(schemaDir);
  const other = stored.find((one) => one.id !== id && one.id.toLowerCase() === id.toLowerCase());
  if (other)
    throw new CodedError(
      "MG1301",
      `${JSON.stringify(id)} differs from ${JSON.stringify(other.id)} only in case`,
      {
        place: { file: other.folder },
        next: "Write the id as it is stored, or choose another name.",
      },
    );
  return stored.filter((one) => one.id === id).sort((a, b) => naturalCompare(a.version, b.version));
}

async function optionalJson(file: string): Promise<JsonFile | undefined> {
  return existsSync(file) ? loadJson(file) : undefined;
}

function basesIn(file: JsonFile | undefined): string[] | undefined {
  const bases = file && (file.value as JsonObject)["bases"];
  return Array.isArray(bases) ? bases.map(String) : undefined;
}

/** @throws CodedError MG1307 if the version exists with other content */
async function standingOf(
  { schemaDir, id, version, replace, bases, notes }: AddExtensionRequest & { readonly version: string },
  document: JsonObject,
  lock: ExtensionLock,
): Promise<Standing> {
  const folder = extensionFolder(schemaDir, { id, version });
  const key = extensionKey({ id, version });
  const present = readTextIfPresent(join(folder, "schema.json"));
  const locked = lock.get(key);
  if (present === undefined && locked === undefined) return "absent";
  const text = storedText(document);
  const isSame = present === text && locked?.canonical === sha256(text);
  const before = basesIn(await optionalJson(join(folder, extensionFile)));
  const wanted = [...new Set(bases ?? before)].sort(naturalCompare);
  const overOthers = before !== undefined && wanted.join() !== [...before].sort(naturalCompare).join();
  if (isSame && !overOthers && (!notes || replace)) return "same";
  if (replace) return "different";
  if (isSame && !overOthers && (await hasNotes(folder, notes!))) return "same";
  const what = !isSame ? "content" : overOthers ? "bases" : "notes";
  throw new CodedError("MG1307", `${key} already exists, with other ${what}`, {
    place: { file: join(folder, "schema.json") },
    next: "Give the new schema another --version; to replace this one, repeat the command with --replace.",
  });
}

async function hasNotes(folder: string, notes: JsonFile): Promise<boolean> {
  const present = await optionalJson(join(folder, "notes.json"));
  return present !== undefined && jsonEqual(present.value, notes.value);
}

function lockedEntry(request: AddExtensionRequest, version: string, document: JsonObject): LockedExtension {
  const { sha256: hash } = request.source;
  const url = request.url ?? request.source.url;
  const commit = request.commit ?? request.source.commit;
  const { date } = request;
  return {
    status: request.status ?? usualStatus(version),
    upstream: { sha256: hash, ...(commit && { commit }), ...(date && { date }), ...(url && { url }) },
    canonical: sha256(storedText(document)),
  };
}

/** The files whose content differs from the stored content. */
function changesOf(
  schemaDir: string,
  folder: string,
  files: Readonly<Record<string, string>>,
  lock: string,
): FileChange[] {
  const within = slashPath(schemaDir, folder);
  const all = [
    ...Object.entries(files).map(([name, content]) => ({ path: `${within}/${name}`, content })),
    { path: lockFile, content: lock },
  ];
  return all.filter(({ path, content }) => readTextIfPresent(join(schemaDir, path)) !== content);
}

/** The facts for the extension.json of a new version. */
interface NewFile {
  readonly id: string;
  readonly version: string;
  readonly status: RevisionStatus;
  /** Oldest first. */
  readonly bases: readonly string[];
  /** Names of the definitions. */
  readonly definitions: ReadonlySet<string>;
}

/** The JSON Schema of extension.json, for editors. */
const schemaLocation = "https://raw.githubusercontent.com/mcpgen/mcpgen/main/docs/extension.schema.json";

/**
 * Makes the content of a new extension.json. Facts written by people come from the file of the previous
 * version, if there is one: the places where sides declare the extension, its settings, needs, channel,
 * description and link.
 *
 * @param previous the file of the previous version
 */
function newExtensionFile(
  { id, version, status, bases, definitions }: NewFile,
  previous: JsonValue | undefined,
): JsonObject {
  const before = isJsonObject(previous) ? previous : {};
  const place = pointer("/extensions", id);
  const { $schema = schemaLocation, declared = { client: place, server: place } } = before;
  const settings = keptSettings(before["settings"], definitions);
  return {
    $schema,
    format: 1,
    id,
    version,
    status,
    bases: [...bases],
    declared,
    ...(settings && { settings }),
    ...Object.fromEntries(
      ["needs", "channel", "description", "link"].flatMap((key) =>
        key in before ? [[key, before[key]!]] : [],
      ),
    ),
  };
}

/** The settings whose definitions still exist. */
function keptSettings(
  settings: JsonValue | undefined,
  definitions: ReadonlySet<string>,
): JsonObject | undefined {
  if (!isJsonObject(settings)) return undefined;
  const kept = Object.entries(settings).map(([side, reference]): [string, JsonValue] => {
    const name = typeof reference === "string" ? reference.split("/").at(-1)! : "";
    return [side, definitions.has(name) ? reference : null];
  });
  return Object.fromEntries(kept);
}

/** The default status: released for a date or a number with dots, otherwise draft. */
function usualStatus(version: string): RevisionStatus {
  return isDate(version) || /^\d+(?:\.\d+)*$/.test(version) ? "released" : "draft";
}
