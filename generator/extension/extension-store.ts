import {
  type JsonObject,
  atPointer,
  pointer,
  pointerTokens,
  naturalCompare,
  canonicalise,
  isJsonObject,
  groupBy,
} from "@mcpgen/engine";
import { type PlaceOf, placesIn, refuseFaults, FileForm } from "../files/file-form.js";
import { type JsonFile, loadJson } from "../files/json-file.js";
import type { Status } from "../model/model.js";
import type { ExtensionFacts, OfEachSide } from "../model/extension-model.js";
import { type Place, type Finding, CodedError } from "../diagnostics/coded-error.js";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { nameAdvice } from "../diagnostics/suggest.js";
import { type LockedExtension, readExtensionLock, readLock, releasedRevisions } from "../revision/lock.js";
import { verifyStored } from "../revision/stored-schema.js";
import { layoutFreeSha256, contentSha256 } from "../files/regular-file.js";
import type { Note } from "../notes/note.js";
import { parseNotes } from "../notes/parse.js";
import { withPlaces } from "../revision/schema-source.js";

/** A label of an id's prefix: starts with a letter, ends with a letter or digit. */
const label = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";

/** The name after the prefix: starts and ends with a letter or digit. */
const name = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?";

/** The prefix of official extensions (SEP-2133, Official Extensions). */
const official = "io.modelcontextprotocol";

/** Matches prefixes with a reserved second label, except the official one. */
const reserved = "(?!io\\.modelcontextprotocol/)[^./]*\\.(?:mcp|modelcontextprotocol)[./]";

/**
 * The ids that the specification allows (2026-07-28, basic, `_meta`; SEP-2133 makes the prefix mandatory).
 */
export const idPattern = `^(?!${reserved})${label}(?:\\.${label})*/${name}$`;

/** Versions are folder names. */
export const versionPattern = "^[A-Za-z0-9](?:[A-Za-z0-9._+-]{0,62}[A-Za-z0-9])?$";

/** Device names that Windows reserves, with any extension. */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** The two parts of an extension's id, which are folder names. */
interface ExtensionId {
  readonly prefix: string;
  readonly name: string;
}

/**
 * Splits an id such as `com.example/search`.
 *
 * @param place the place of the id, for errors
 * @throws CodedError MG1301 for an id that the specification does not allow or that cannot be folder names
 */
export function extensionId(id: string, place: Place = {}): ExtensionId {
  refuse(id, faultOf(id) ?? folderFaultOf(id), place);
  const [prefix, last] = id.split("/") as [string, string];
  return { prefix, name: last };
}

/**
 * Checks an id that is only declared and not used as folder names.
 *
 * @param place the place of the id, for errors
 * @throws CodedError MG1301 for an id that the specification does not allow
 */
export function expectExtensionId(id: string, place: Place): void {
  refuse(id, faultOf(id), place);
}

function refuse(id: string, fault: string | undefined, place: Place): void {
  if (fault === undefined) return;
  throw new CodedError("MG1301", `${JSON.stringify(id)} is no id of an extension: ${fault}`, {
    ...(Object.keys(place).length > 0 && { place }),
    next: `Write the domain that you own, reversed, and a name: ${nearestId(id)}.`,
  });
}

/** The valid id most similar to `id`; an example if its prefix cannot be kept. */
function nearestId(id: string): string {
  const words = id.split("/").map((word) => word.replace(/[^A-Za-z0-9._-]+/g, "-"));
  const name = words.findLast((word) => /[A-Za-z0-9]/.test(word))?.replace(/^[._-]+|[._-]+$/g, "");
  const labels = words.slice(0, -1).flatMap((word) => word.split(/[._]+/));
  const prefix = labels.map((word) => word.replace(/^[^A-Za-z]+|-+$/g, "")).filter((word) => word !== "");
  const near = `${prefix.length > 0 ? prefix.join(".") : "com.example"}/${name ?? "search"}`;
  const other = `com.example/${name ?? "search"}`;
  return (
    [near, other].find((one) => (faultOf(one) ?? folderFaultOf(one)) === undefined) ?? "com.example/search"
  );
}

/** Why an id cannot be folder names although the specification allows it. */
function folderFaultOf(id: string): string | undefined {
  const folder = id.split("/").find((one) => device.test(one));
  return folder === undefined ? undefined : `no folder can be called ${folder} on Windows`;
}

function faultOf(id: string): string | undefined {
  const [prefix, last, ...rest] = id.split("/");
  if (last === undefined) return "it has no prefix, which ends with a slash";
  if (rest.length > 0) return "it has more than one slash";
  const labels = prefix!.split(".");
  const wrong = labels.find((one) => !new RegExp(`^${label}$`).test(one));
  if (wrong !== undefined)
    return `expected the label ${JSON.stringify(wrong)} to begin with a letter, to end with a letter or digit, and to have letters, digits and hyphens between`;
  if (!new RegExp(`^${name}$`).test(last))
    return `expected the name ${JSON.stringify(last)} to begin and end with a letter or digit, and to have letters, digits, hyphens, underscores and dots between`;
  if (prefix !== official && (labels[1] === "mcp" || labels[1] === "modelcontextprotocol"))
    return `prefixes whose second label is ${labels[1]} are reserved for the protocol`;
  return undefined;
}

/**
 * Checks that a version can be a folder name, and returns it.
 *
 * @throws CodedError MG1301 for a version that cannot be a folder name
 */
export function expectExtensionVersion(version: string, place: Place = {}): string {
  if (new RegExp(versionPattern).test(version) && !device.test(version)) return version;
  throw new CodedError("MG1301", `${JSON.stringify(version)} is no version of an extension`, {
    ...(Object.keys(place).length > 0 && { place }),
    next: "Use letters, digits, dots and hyphens, e.g. 2026-07-28 or 1.2.0.",
  });
}

/** The content of extension.json. */
interface ExtensionFile extends ExtensionFacts {
  readonly status: Status;
  /** Ids of the base revisions, in the order of the file. */
  readonly bases: readonly string[];
  readonly needs: {
    /** JSON Pointers into a server's capabilities. */
    readonly capabilities: readonly string[];
    /** Ids of other extensions. */
    readonly extensions: readonly string[];
  };
  readonly description?: string;
  /** URL of its specification. */
  readonly link?: string;
}

/** The members of an extension.json before they are normalised. */
interface Written extends Omit<ExtensionFile, "declared" | "settings" | "needs"> {
  readonly $schema?: string;
  readonly format: 1;
  readonly declared: OfEachSide<string | null>;
  readonly settings?: OfEachSide<string | null>;
  readonly needs?: Partial<ExtensionFile["needs"]>;
}

const form = new FileForm("extension", { unknownKey: "MG1302", wrongValue: "MG1302" });

/**
 * Reads an extension.json.
 *
 * @throws CodedError MG1302 if it does not have the form in docs/extensions.md, MG1301 for an invalid id or
 * version; with line and column
 */
export async function readExtensionFile(source: JsonFile): Promise<ExtensionFile> {
  const placeOf = placesIn(source);
  await refuseNames(source, placeOf);
  await refuseFaults(form.faults(source.value), placeOf);
  const written = source.value as unknown as Written;
  const { $schema: _, format: _format, declared, settings = {}, needs = {}, ...others } = written;
  return {
    ...others,
    declared: given(declared),
    settings: given(settings, (reference) => pointerTokens(reference).at(-1)!),
    needs: { capabilities: needs.capabilities ?? [], extensions: needs.extensions ?? [] },
  };
}

/**
 * Checks ids and versions separately from the schema, because their errors explain more than a pattern can.
 *
 * @throws CodedError MG1301
 */
async function refuseNames({ value }: JsonFile, placeOf: PlaceOf): Promise<void> {
  const version = atPointer(value, "/version");
  const extensions = atPointer(value, "/needs/extensions");
  const ids = [
    "/id",
    ...(Array.isArray(extensions) ? extensions : []).map((_, index) => pointer("/needs/extensions", index)),
  ];
  for (const at of ids) {
    const id = atPointer(value, at);
    if (typeof id === "string") extensionId(id, await placeOf(at));
  }
  if (typeof version === "string") expectExtensionVersion(version, await placeOf("/version"));
}

function given(
  sides: OfEachSide<string | null>,
  read: (value: string) => string = (value) => value,
): OfEachSide<string> {
  return Object.fromEntries(
    (["client", "server"] as const).flatMap((side) => {
      const value = sides[side] ?? null;
      return value === null ? [] : [[side, read(value)]];
    }),
  );
}

/** A version of an extension in a schema folder. */
export interface StoredExtension {
  readonly id: string;
  readonly version: string;
  readonly folder: string;
}

/** Folder of the extensions, below the schema folder. */
export const extensionsFolder = "extensions";

/** The files of an extension version. */
export const extensionFile = "extension.json";
const schemaFile = "schema.json";
const notesFile = "notes.json";

/** The name of an extension version in the lock and on the command line: `ID@VERSION`. */
export function extensionKey({ id, version }: Pick<StoredExtension, "id" | "version">): string {
  return `${id}@${version}`;
}

/** The folder of an extension version. */
export function extensionFolder(
  schemaDir: string,
  { id, version }: Pick<StoredExtension, "id" | "version">,
): string {
  const { prefix, name } = extensionId(id);
  return join(schemaDir, extensionsFolder, prefix, name, version);
}

/**
 * The paths of a stored extension's files. Without notes, facts are derived from the schema and reported as
 * assumptions.
 */
export function filesOf({ folder }: Pick<StoredExtension, "folder">): {
  readonly extension: string;
  readonly schema: string;
  readonly notes?: string;
} {
  const notes = join(folder, notesFile);
  return {
    extension: join(folder, extensionFile),
    schema: join(folder, schemaFile),
    ...(existsSync(notes) && { notes }),
  };
}

/** All versions of all extensions in a schema folder that have a file, in natural order of id and version. */
export function storedExtensions(schemaDir: string): StoredExtension[] {
  const root = join(schemaDir, extensionsFolder);
  return foldersIn(root).flatMap((prefix) =>
    foldersIn(join(root, prefix)).flatMap((name) =>
      foldersIn(join(root, prefix, name)).flatMap((version) => {
        const folder = join(root, prefix, name, version);
        const isStored = existsSync(join(folder, extensionFile)) || existsSync(join(folder, schemaFile));
        return isStored ? [{ id: `${prefix}/${name}`, version, folder }] : [];
      }),
    ),
  );
}

/** Whether a schema folder has revisions or extensions. */
export function hasSchemas(schemaDir: string): boolean {
  return readLock(schemaDir).size > 0 || storedExtensions(schemaDir).length > 0;
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort(naturalCompare);
}

/**
 * Finds a stored extension by id and version (`com.example/search@1.2.0`) or by id (the newest version).
 *
 * @throws CodedError MG1306 naming the nearest extension
 */
export function expectExtension(schemaDir: string, wanted: string): StoredExtension {
  const stored = storedExtensions(schemaDir);
  const found = stored.filter((one) => one.id === wanted || extensionKey(one) === wanted);
  const newest = newestOf(found);
  if (newest) return newest;
  const known = stored.flatMap((one) => [one.id, extensionKey(one)]);
  throw new CodedError("MG1306", `there is no extension ${JSON.stringify(wanted)}`, {
    next: nameAdvice(wanted, known, "See `mcpgen extension list`."),
  });
}

/** The newest version of each extension, which is generated by default. */
export function newestExtensions(schemaDir: string): StoredExtension[] {
  const byId = groupBy(storedExtensions(schemaDir), ({ id }) => id);
  return [...byId.values()].map((versions) => newestOf(versions)!);
}

/** The last version in natural order. For dates and numbers with dots, this is the newest. */
function newestOf(versions: readonly StoredExtension[]): StoredExtension | undefined {
  return [...versions].sort((a, b) => naturalCompare(a.version, b.version)).at(-1);
}

/** Findings about stored extensions that differ from the lock: not canonical, changed, missing or extra. */
export async function verifyExtensions(schemaDir: string): Promise<Finding[]> {
  const lock = readExtensionLock(schemaDir);
  const stored = new Map(storedExtensions(schemaDir).map((one) => [extensionKey(one), one]));
  const missing = [...lock.keys()].filter((key) => !stored.has(key)).sort(naturalCompare);
  const findings = await Promise.all([...stored].map(([key, one]) => verifyExtension(one, lock.get(key))));
  return [...missing.map((key) => absent(schemaDir, key)), ...findings.filter((one) => one !== undefined)];
}

function absent(schemaDir: string, key: string): Finding {
  return {
    code: "MG3106",
    severity: "error",
    message: `the extension ${key} is in the lock, but not in the schema folder`,
    place: { file: join(schemaDir, extensionsFolder) },
    next: "Restore it from version control.",
  };
}

async function verifyExtension(
  stored: StoredExtension,
  locked: LockedExtension | undefined,
): Promise<Finding | undefined> {
  const file = join(stored.folder, schemaFile);
  const finding = (message: string, next: string): Finding => ({
    ...{ code: "MG3106", severity: "error", message, place: { file }, next },
  });
  const key = extensionKey(stored);
  if (!locked)
    return finding(`the extension ${key} is not in the lock`, "Add it with `mcpgen extension add FILE`.");
  if (!existsSync(file))
    return finding(`the extension ${key} has no schema`, "Restore it from version control.");
  return verifyStored(file, locked, "added");
}

/** The contents of an extension's files. */
export interface ExtensionSource {
  readonly about: ExtensionFile;
  /** Path of the extension.json, for errors. */
  readonly aboutFile: string;
  readonly schemaFile: Pick<JsonFile, "file" | "text">;
  /** The schema in canonical form, with unresolved references `base#/$defs/X`. */
  readonly document: JsonObject;
  readonly notes: readonly Note[];
  readonly notesFile?: string;
  /** SHA-256 of each input file, by role. The layout of extension.json and notes does not affect it. */
  readonly inputs: { readonly extension: string; readonly schema: string; readonly notes?: string };
}

/** The paths of an extension's files. */
interface ExtensionFiles {
  readonly extension: JsonFile;
  readonly schema: JsonFile;
  readonly notes?: JsonFile;
}

/**
 * Reads a stored extension.
 *
 * @param revisions ids of the stored revisions
 * @throws CodedError for files that cannot be read, MG1302 for an invalid extension.json, MG1201 for invalid
 * notes, MG1305 if the folder does not match id and version, MG1303 for a base that is not stored or settings
 * without a definition
 */
export async function readStoredExtension(
  stored: StoredExtension,
  revisions: readonly string[],
): Promise<ExtensionSource> {
  const files = filesOf(stored);
  const extension = await loadJson(files.extension);
  const source = await readExtension({
    extension,
    schema: await loadJson(files.schema),
    ...(files.notes !== undefined && { notes: await loadJson(files.notes) }),
  });
  const { id, version, bases } = source.about;
  if (id !== stored.id || version !== stored.version) {
    const key = id === stored.id ? "/version" : "/id";
    throw new CodedError(
      "MG1305",
      `${extensionFile} is about ${id}@${version}, and lies in the folder of ${stored.id}@${stored.version}`,
      {
        place: await placeIn(extension, key),
        next: "Rename the folder, or correct the file.",
      },
    );
  }
  const stray = bases.findIndex((base) => !revisions.includes(base));
  if (stray >= 0) throw await unknownBase(extension, bases[stray]!, stray, revisions);
  return source;
}

/** Reads the files of an extension from anywhere. Errors as for `readStoredExtension`, except MG1305. */
export async function readExtension({ extension, schema, notes }: ExtensionFiles): Promise<ExtensionSource> {
  const about = await readExtensionFile(extension);
  const document = await withPlaces(schema, () => canonicalise(schema.value));
  for (const [side, name] of Object.entries(about.settings)) {
    const definitions = document["$defs"];
    const names = isJsonObject(definitions) ? Object.keys(definitions) : [];
    if (names.includes(name)) continue;
    throw new CodedError("MG1303", `schema.json has no definition ${JSON.stringify(name)} of settings`, {
      place: await placeIn(extension, pointer("/settings", side)),
      next: nameAdvice(name, names, "Add the definition, or write null.", (meant) => `#/$defs/${meant}`),
    });
  }
  return {
    about,
    aboutFile: extension.file,
    schemaFile: { file: schema.file, text: schema.text },
    document,
    notes: notes ? parseNotes(notes, { bases: about.bases }) : [],
    ...(notes && { notesFile: notes.file }),
    inputs: {
      extension: layoutFreeSha256(extensionFile, extension.text),
      schema: contentSha256(schema.text),
      ...(notes && { notes: layoutFreeSha256("notes.json", notes.text) }),
    },
  };
}

async function unknownBase(
  file: JsonFile,
  base: string,
  index: number,
  revisions: readonly string[],
): Promise<CodedError> {
  const stored = `Add it with \`mcpgen revision add\`, or remove the base. Stored are ${revisions.join(", ")}.`;
  return new CodedError("MG1303", `the base ${JSON.stringify(base)} is no revision of the schema folder`, {
    place: await placeIn(file, pointer("/bases", index)),
    next: releasedRevisions().has(base)
      ? `Bring it in with \`mcpgen revision add ${base}\`, or remove the base.`
      : nameAdvice(base, revisions, stored),
  });
}

async function placeIn({ file, text }: JsonFile, at: string): Promise<Place> {
  const { positionOf } = await import("../files/json-file.js");
  return { file, pointer: at, ...positionOf(text, at) };
}
