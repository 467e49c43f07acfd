import { join } from "node:path";
import { type SourceFile, type SourcePlace, readSource } from "../files/source.js";
import { loadJson } from "../files/json-file.js";
import type { LockedRevision } from "./lock.js";
import { releasedRevisions } from "./revisions-folder.js";

/** A schema file as it came: its content, and what the lock records of it. */
export interface UpstreamFile extends SourceFile {
  /** Named in the URL. */
  readonly commit?: string;
  /** What the lock of mcpgen says, where the file is the copy of a released revision. */
  readonly released?: LockedRevision;
}

/**
 * Reads the schema file that a SOURCE stands for.
 *
 * @throws CodedError MG10xx for a file that is not JSON, MG40xx for a server that does not hand it out
 */
export async function readUpstream(source: string, place: SourcePlace): Promise<UpstreamFile> {
  const file = await readSource(source, place);
  const commit = file.url === undefined ? undefined : /\b[0-9a-f]{40}\b/.exec(file.url)?.[0];
  return { ...file, ...(commit !== undefined && { commit }) };
}

/** Reads the schema of a released revision by its name, or the file that a SOURCE stands for; errors as `readUpstream`. */
export async function readRevision(source: string, place: SourcePlace): Promise<UpstreamFile> {
  const named = releasedRevisions().get(source);
  if (!named) return readUpstream(source, place);
  const file = await loadJson(join(named.folder, source, "schema.json"));
  const { sha256 } = named.locked.upstream;
  return { ...file, sha256, released: named.locked };
}
