import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Dialect, type JsonValue, isJsonObject, naturalCompare } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";

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

export const lockFile = "lock.json";

/** The lock of a schema folder; empty if there is none. */
export function readLock(schemaDir: string): Lock {
  const file = join(schemaDir, lockFile);
  return existsSync(file) ? parseLock(readFileSync(file, "utf8"), file) : new Map();
}

/** @throws CodedError MG1204 when `text` is not a lock */
function parseLock(text: string, file: string): Lock {
  const content = parseJson(text, file);
  if (!isJsonObject(content) || content["format"] !== 1 || !isJsonObject(content["revisions"])) {
    throw malformed(file, "", 'expected { "format": 1, "revisions": { … } }');
  }
  const entries = Object.entries(content["revisions"]).sort(([a], [b]) => naturalCompare(a, b));
  return new Map(
    entries.map(([revision, entry]) => [revision, lockedRevision(entry, file, `/revisions/${revision}`)]),
  );
}

export function lockText(lock: Lock): string {
  const entries = [...lock]
    .sort(([a], [b]) => naturalCompare(a, b))
    .map(([revision, entry]) => [revision, ordered(entry)]);
  return JSON.stringify({ format: 1, revisions: Object.fromEntries(entries) }, null, 2) + "\n";
}

/** Keys in a fixed order, so that equal entries have equal text. */
function ordered({ status, dialect, upstream, canonical, descriptions }: LockedRevision): LockedRevision {
  const { sha256, commit, date, url } = upstream;
  return {
    status,
    dialect,
    upstream: { sha256, ...(commit && { commit }), ...(date && { date }), ...(url && { url }) },
    canonical,
    descriptions,
  };
}

const dialects: readonly Dialect[] = ["2020-12", "2019-09", "draft-07", "draft-04"];

function isDialect(value: JsonValue | undefined): value is Dialect {
  return dialects.some((dialect) => dialect === value);
}

function lockedRevision(entry: JsonValue, file: string, at: string): LockedRevision {
  if (!isJsonObject(entry)) throw malformed(file, at, "expected an object");
  const { status, dialect, upstream, canonical, descriptions } = entry;
  if (status !== "released" && status !== "draft" && status !== "handwritten") {
    throw malformed(file, `${at}/status`, 'expected "released", "draft" or "handwritten"');
  }
  if (!isDialect(dialect))
    throw malformed(file, `${at}/dialect`, `expected one of ${dialects.map((one) => `"${one}"`).join(", ")}`);
  if (!isSha256(canonical)) throw malformed(file, `${at}/canonical`, "expected a sha256 in hexadecimal");
  if (typeof descriptions !== "boolean")
    throw malformed(file, `${at}/descriptions`, "expected true or false");
  if (!isJsonObject(upstream) || !isSha256(upstream["sha256"])) {
    throw malformed(file, `${at}/upstream/sha256`, "expected a sha256 in hexadecimal");
  }
  const { sha256, commit, date, url } = upstream;
  for (const [key, value] of Object.entries({ commit, date, url })) {
    if (value !== undefined && typeof value !== "string")
      throw malformed(file, `${at}/upstream/${key}`, "expected a string");
  }
  return ordered({
    status,
    dialect,
    upstream: { sha256, commit, date, url } as Upstream,
    canonical,
    descriptions,
  });
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

function malformed(file: string, pointer: string, message: string, cause?: unknown): CodedError {
  return new CodedError("MG1204", `the lock is malformed: ${message}`, {
    place: { file, ...(pointer && { pointer }) },
    next: "Restore the file from version control, or run `mcpgen revision add` again for the revision.",
    cause,
  });
}
