import { type SourceFile, type SourcePlace, readSource } from "../files/source.js";

/** A schema file as it came: its content, and what the lock records of it. */
export interface UpstreamFile extends SourceFile {
  /** Named in the URL. */
  readonly commit?: string;
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
