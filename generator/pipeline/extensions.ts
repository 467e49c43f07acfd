import { canonicalText, naturalCompare } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import {
  type ExtensionInput,
  type WholeExtensionInput,
  folderOfExtension,
  importedBy,
} from "../targets/typescript/emitter.js";
import {
  type ExtensionSource,
  type StoredExtension,
  readStoredExtension,
  extensionsFolder,
} from "../extension/extension-store.js";
import { extensionOver } from "../extension/load-extension.js";
import { sha256 } from "../files/regular-file.js";
import { type ExtensionModel, authoredBase } from "../model/extension-model.js";
import type { ProtocolModel } from "../model/model.js";
import type { NoteConflict, Note } from "../notes/note.js";

/** An extension over those of its bases that are generated. */
export interface LoadedExtension {
  readonly source: ExtensionSource;
  /** Folder of its output, relative to the output folder. */
  readonly folder: string;
  /** Oldest base first; never empty. */
  readonly models: readonly ExtensionModel[];
}

/**
 * Reads extensions and compiles each over its bases among `models`. Returns them by id, independent of their
 * order.
 *
 * @param revisions ids of all stored revisions
 * @param bare ids of models that were read without notes
 * @throws CodedError as `readStoredExtension` and `extensionOver`; MG1304 if two extensions, or an extension
 * and its base, define the same name
 */
export async function loadExtensions(
  stored: readonly StoredExtension[],
  models: readonly ProtocolModel[],
  revisions: readonly string[],
  bare: ReadonlySet<string> = new Set(),
): Promise<LoadedExtension[]> {
  const loaded: LoadedExtension[] = [];
  for (const one of [...stored].sort((a, b) => naturalCompare(a.id, b.id))) {
    const source = await readStoredExtension(one, revisions);
    const bases = models.filter(({ revision }) => source.about.bases.includes(revision));
    const over: ExtensionModel[] = [];
    for (const base of bases) {
      over.push(await extensionOver(source, base, { withoutNotes: bare.has(base.revision) }));
    }
    if (over.length > 0) loaded.push({ source, folder: folderOfExtension(source.about), models: over });
  }
  for (const base of models) refuseClashes(base, loaded);
  return loaded;
}

/** The notes of an extension that were carried over and not confirmed. */
export function carriedNotes({ source: { about, notes } }: LoadedExtension): {
  readonly folder: string;
  readonly note: Note;
}[] {
  const folder = `${extensionsFolder}/${about.id}/${about.version}`;
  return notes.filter(({ carried }) => carried).map((note) => ({ folder, note }));
}

/** The notes of an extension that contradict its schema over any of its bases. */
export function conflictsOfExtension({ source: { about }, models }: LoadedExtension): (NoteConflict & {
  readonly folder: string;
})[] {
  const folder = `${extensionsFolder}/${about.id}/${about.version}`;
  const all = models.flatMap(({ conflicts }) => conflicts);
  const distinct = new Map(all.map((one) => [`${one.note.pointer} ${one.target} ${one.message}`, one]));
  return [...distinct.values()].map((conflict) => ({ ...conflict, folder }));
}

/** A name that only one extension or revision may define. */
interface Owned {
  readonly what: string;
  readonly owner: string;
  readonly file?: string;
  /** The file's path in the schema folder. */
  readonly stored?: string;
}

/** @throws CodedError MG1304 with both owners */
function refuseClashes(base: ProtocolModel, extensions: readonly LoadedExtension[]): void {
  const owners = new Map<string, Owned>();
  const own = (one: Owned): void => {
    const other = owners.get(one.what);
    if (!other) {
      owners.set(one.what, one);
      return;
    }
    const elsewhere = other.stored === undefined ? "" : ` (${other.stored})`;
    throw new CodedError(
      "MG1304",
      `${one.what} has two owners on ${base.revision}: ${other.owner}${elsewhere} and ${one.owner}`,
      {
        place: { ...(one.file !== undefined && { file: one.file }) },
        next: `Give it another name in ${one.owner}, or remove ${base.revision} from the bases of one of them.`,
      },
    );
  };
  for (const what of namesOf(base)) own({ what, owner: `the revision ${base.revision}` });
  for (const { source, models } of extensions) {
    const model = models.find(({ revision }) => revision === base.revision);
    if (!model) continue;
    const { id, version } = source.about;
    const owner = `the extension ${id}`;
    const { file } = source.schemaFile;
    const stored = `${extensionsFolder}/${id}/${version}/schema.json`;
    const names = [
      ...namesOf({ ...model, errors: model.errors.filter((error) => !isSecondCode(error, base)) }),
      ...model.augments.flatMap(resultNames),
      ...model.members.map(memberName),
    ];
    for (const what of new Set(names)) own({ what, owner, file, stored });
  }
}

/**
 * Whether the extension gives an error of a base with sessions another code; the base then keeps its code.
 */
function isSecondCode({ name }: ProtocolModel["errors"][number], base: ProtocolModel): boolean {
  return base.era === "legacy" && base.errors.some((error) => error.name === name);
}

function namesOf({ methods, errors }: Pick<ProtocolModel, "errors" | "methods">): string[] {
  return [
    ...methods.map(({ name, kind }) => `the ${kind} ${JSON.stringify(name)}`),
    ...errors.map(({ name }) => `the error ${name}`),
    ...new Set(
      methods.flatMap(({ filter }) => (filter === undefined ? [] : [`the filter member ${filter}`])),
    ),
    ...methods.flatMap(({ name, result }) =>
      (result?.alternatives ?? []).flatMap(({ discriminator }) => markName(name, discriminator)),
    ),
  ];
}

function resultNames({ method, result }: ExtensionModel["augments"][number]): string[] {
  return markName(method.name, result.discriminator);
}

function markName(method: string, mark: { key: string; value?: string } | undefined): string[] {
  if (!mark) return [];
  const value = mark.value === undefined ? "" : ` ${JSON.stringify(mark.value)}`;
  return [`the result of ${JSON.stringify(method)} with ${mark.key}${value}`];
}

function memberName({ of, path }: ExtensionModel["members"][number]): string {
  return `the member ${path} of ${of}`;
}

/** Hash of all inputs of an extension's files. */
export function extensionFingerprint(
  { source, models }: LoadedExtension,
  inputsOf: (revision: string) => unknown,
  vocabulary: string | undefined,
): string {
  const bases = models.map(({ revision }) => [revision, inputsOf(revision)]);
  const inputs = [source.about.version, source.inputs, bases, vocabulary ?? null];
  return sha256(canonicalText(JSON.parse(JSON.stringify(inputs))));
}

/** The position relative to the vocabulary, from the distance to it. */
export function sideOf(distance: number): ExtensionInput["fromVocabulary"] {
  if (distance === 0) return undefined;
  return distance < 0 ? "older" : "newer";
}

/** What an emitter of an extension is given besides the options that all emitters share. */
type Own<Input> = Omit<Input, "importExtension" | "basePackage" | "render">;

/**
 * The inputs of the emitters of an extension: over each base, and of the whole.
 *
 * @param vocabulary id of the revision whose types handlers and clients use
 */
export function extensionRuns(
  { source, folder, models }: LoadedExtension,
  vocabulary: string | undefined,
): { readonly base: readonly Own<ExtensionInput>[]; readonly whole: Own<WholeExtensionInput> } {
  const { id, version, needs, description, link } = source.about;
  const origin = `schema/extensions/${id}/${version}`;
  const place = models.indexOf(authoredBase({ models, vocabulary }));
  const base = models.map((model, index) => {
    const [previous, next] = [models[index - 1], models[index + 1]];
    return {
      ...{ model, origin },
      folder: `${folder}/${model.revision}`,
      imported: importedBy(model),
      fromVocabulary: sideOf(index - place),
      ...(previous && { previous }),
      ...(next && { next }),
    };
  });
  return {
    base,
    whole: {
      ...{ models, vocabulary, needs, folder, origin },
      ...(description !== undefined && { description }),
      ...(link !== undefined && { link }),
    },
  };
}
