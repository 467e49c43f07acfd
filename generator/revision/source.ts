import { resolve } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import { type JsonFile, parseJson } from "../input/json-file.js";
import { decodeText, maximumBytes, readBytes, tooLarge } from "../input/text-file.js";
import { sha256 } from "../output/sha256.js";

/** A schema file as it came: its content, and what the lock records of it. */
export interface UpstreamFile extends JsonFile {
  readonly sha256: string;
  readonly url?: string;
  /** Named in the URL. */
  readonly commit?: string;
}

const timeout = 30_000;

/**
 * Reads FILE or URL.
 *
 * @throws CodedError MG10xx for a file that is not JSON, MG40xx for a server that does not hand it out
 */
export async function readUpstream(source: string, directory: string): Promise<UpstreamFile> {
  const isUrl = /^https?:\/\//i.test(source);
  const bytes = isUrl ? await download(source) : await readBytes(resolve(directory, source));
  const file = await parseJson(decodeText(bytes, source), source);
  const commit = isUrl ? /\b[0-9a-f]{40}\b/.exec(source)?.[0] : undefined;
  return { ...file, sha256: sha256(bytes), ...(isUrl && { url: source }), ...(commit && { commit }) };
}

async function download(url: string): Promise<Uint8Array> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(timeout),
      headers: { accept: "application/json, */*" },
    });
    if (!response.ok) {
      throw new CodedError(
        "MG4002",
        `expected the file, got HTTP ${response.status} ${response.statusText}`.trimEnd(),
        {
          place: { file: url },
          next: "Check the URL.",
        },
      );
    }
    return await readBody(url, response);
  } catch (error) {
    throw error instanceof CodedError ? error : unreachable(url, error as Error);
  }
}

/** Reads no further than the limit, whatever the server says the length is. */
async function readBody(url: string, response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maximumBytes) throw tooLarge(url, size);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function unreachable(url: string, error: Error): CodedError {
  if (error.name === "TimeoutError") {
    return new CodedError("MG4003", `no answer within ${timeout / 1000} seconds`, {
      place: { file: url },
      next: "Try again, or download the file yourself and name the copy.",
      cause: error,
    });
  }
  const reason =
    error.cause instanceof Error
      ? error.cause.message || (error.cause as NodeJS.ErrnoException).code
      : error.message;
  return new CodedError("MG4001", `the server cannot be reached: ${reason}`, {
    place: { file: url },
    next: "Check the URL and the connection, or download the file yourself and name the copy.",
    cause: error,
  });
}
