import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Dialect,
  type JsonObject,
  type JsonValue,
  isJsonObject,
  naturalCompare,
  pointer,
} from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { readRegularText } from "../files/regular-file.js";

export type RevisionStatus = "released" | "draft" | "handwritten";

/** The origin of a revision's schema. */
interface Upstream {
  /** The hash of the file's bytes as they were imported. */
  readonly sha256: string;
  readonly commit?: string;
  /** Day of that commit, YYYY-MM-DD. */
  readonly date?: string;
  readonly url?: string;
}

export interface LockedRevision {
  readonly status: RevisionStatus;
  /** The dialect the imported file was written in. */
  readonly dialect: Dialect;
  readonly upstream: Upstream;
  /** sha256 of schema.json as it stands in the store. */
  readonly canonical: string;
  /** The stored schema keeps upstream's prose. */
  readonly descriptions: boolean;
}

export type Lock = ReadonlyMap<string, LockedRevision>;

/** What is pinned of one version of an extension. */
export interface LockedExtension {
  readonly status: RevisionStatus;
  /** The origin: of a handwritten schema, the text that it was written from. */
  readonly upstream?: Upstream;
  /** sha256 of schema.json as it stands in the store. */
  readonly canonical: string;
}

/** By `id@version`. */
export type ExtensionLock = ReadonlyMap<string, LockedExtension>;

export const lockFile = "lock.json";

/** The revisions in the lock of a schema folder; empty if there is none. */
export function readLock(schemaDir: string): Lock {
  return entriesOf(schemaDir, "revisions", lockedRevision);
}

/** The extensions in the lock of a schema folder; empty if there are none. */
export function readExtensionLock(schemaDir: string): ExtensionLock {
  return entriesOf(schemaDir, "extensions", lockedExtension);
}

/** @throws CodedError MG1204 when the file is not a lock */
function entriesOf<Entry>(
  schemaDir: string,
  member: "revisions" | "extensions",
  read: (entry: JsonValue, file: string, at: string) => Entry,
): ReadonlyMap<string, Entry> {
  const file = join(schemaDir, lockFile);
  if (!existsSync(file)) return new Map();
  const content = parseJson(readRegularText(file), file);
  if (!isJsonObject(content) || content["format"] !== 1 || !isJsonObject(content["revisions"])) {
    throw malformed(file, "", 'expected { "format": 1, "revisions": { … } }');
  }
  const entries = content[member] ?? {};
  if (!isJsonObject(entries)) throw malformed(file, `/${member}`, "expected an object");
  const sorted = Object.entries(entries).sort(([a], [b]) => naturalCompare(a, b));
  return new Map(sorted.map(([key, entry]) => [key, read(entry, file, pointer(`/${member}`, key))]));
}

/** The content of a lock. Without extensions, it has no member for them. */
export function lockText(lock: Lock, extensions: ExtensionLock): string {
  const content = {
    format: 1,
    revisions: inOrder(lock, ordered),
    ...(extensions.size > 0 && { extensions: inOrder(extensions, orderedExtension) }),
  };
  return JSON.stringify(content, null, 2) + "\n";
}

function inOrder<Entry>(entries: ReadonlyMap<string, Entry>, order: (entry: Entry) => Entry): object {
  return Object.fromEntries(
    [...entries].sort(([a], [b]) => naturalCompare(a, b)).map(([key, entry]) => [key, order(entry)]),
  );
}

/** Keys in a fixed order, so that equal entries have equal text. */
function ordered({ status, dialect, upstream, canonical, descriptions }: LockedRevision): LockedRevision {
  return { status, dialect, upstream: orderedUpstream(upstream), canonical, descriptions };
}

function orderedExtension({ status, upstream, canonical }: LockedExtension): LockedExtension {
  return { status, ...(upstream && { upstream: orderedUpstream(upstream) }), canonical };
}

function orderedUpstream({ sha256, commit, date, url }: Upstream): Upstream {
  return { sha256, ...(commit && { commit }), ...(date && { date }), ...(url && { url }) };
}

const dialects: readonly Dialect[] = ["2020-12", "2019-09", "draft-07", "draft-04"];

function isDialect(value: JsonValue | undefined): value is Dialect {
  return dialects.some((dialect) => dialect === value);
}

function lockedRevision(entry: JsonValue, file: string, at: string): LockedRevision {
  if (!isJsonObject(entry)) throw malformed(file, at, "expected an object");
  const { dialect, upstream, descriptions } = entry;
  const { status, canonical } = common(entry, file, at);
  if (!isDialect(dialect))
    throw malformed(file, `${at}/dialect`, `expected one of ${dialects.map((one) => `"${one}"`).join(", ")}`);
  if (typeof descriptions !== "boolean")
    throw malformed(file, `${at}/descriptions`, "expected true or false");
  return ordered({ status, dialect, upstream: upstreamOf(upstream, file, at), canonical, descriptions });
}

function lockedExtension(entry: JsonValue, file: string, at: string): LockedExtension {
  if (!isJsonObject(entry)) throw malformed(file, at, "expected an object");
  const { upstream } = entry;
  return orderedExtension({
    ...common(entry, file, at),
    ...(upstream !== undefined && { upstream: upstreamOf(upstream, file, at) }),
  });
}

function common(
  { status, canonical }: JsonObject,
  file: string,
  at: string,
): Pick<LockedRevision, "status" | "canonical"> {
  if (status !== "released" && status !== "draft" && status !== "handwritten") {
    throw malformed(file, `${at}/status`, 'expected "released", "draft" or "handwritten"');
  }
  if (!isSha256(canonical)) throw malformed(file, `${at}/canonical`, "expected a sha256 in hexadecimal");
  return { status, canonical };
}

function upstreamOf(upstream: JsonValue | undefined, file: string, at: string): Upstream {
  if (!isJsonObject(upstream) || !isSha256(upstream["sha256"])) {
    throw malformed(file, `${at}/upstream/sha256`, "expected a sha256 in hexadecimal");
  }
  const { sha256, commit, date, url } = upstream;
  for (const [key, value] of Object.entries({ commit, date, url })) {
    if (value !== undefined && typeof value !== "string")
      throw malformed(file, `${at}/upstream/${key}`, "expected a string");
  }
  return { sha256, commit, date, url } as Upstream;
}

function isSha256(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

function parseJson(text: string, file: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw malformed(file, "", `not JSON (${(cause as Error).message})`, cause);
  }
}

function malformed(file: string, at: string, message: string, cause?: unknown): CodedError {
  return new CodedError("MG1204", `the lock is malformed: ${message}`, {
    place: { file, ...(at && { pointer: at }) },
    next: "Restore the file from version control, or run `mcpgen revision add` again for the revision.",
    cause,
  });
}
