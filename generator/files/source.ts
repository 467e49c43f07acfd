import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import { publicUrl } from "../secrets/secret-names.js";
import { sha256 } from "./sha256.js";
import { download } from "./download.js";
import { type JsonFile, parseJson } from "./json-file.js";
import { maximumBytes, readRegularFile, streamRegularFile, tooLarge, unreadable } from "./regular-file.js";
import { decodeText } from "./text-file.js";

/** The folder in which a SOURCE of the command line is looked for. */
export interface SourcePlace {
  /** Paths are relative to it. */
  readonly directory: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
}

/** A JSON document that a SOURCE stands for. */
export interface SourceFile extends JsonFile {
  /** The hash of the bytes as received. */
  readonly sha256: string;
  /** The URL of the download, without secrets: files keep it. */
  readonly url?: string;
}

type Kind = "file" | "url" | "standard input";

/**
 * The kind of `source`: an http(s) URL, `-` for standard input, or a path.
 *
 * @throws CodedError MG1008 for URLs of another scheme
 */
export function kindOfSource(source: string): Kind {
  if (source === "-") return "standard input";
  const scheme = /^([a-z][a-z\d+.-]+):\/\//i.exec(source)?.[1];
  if (scheme === undefined) return "file";
  if (/^https?$/i.test(scheme)) return "url";
  throw new CodedError("MG1008", `expected a path, an http(s) URL or -, got a URL of scheme ${scheme}`, {
    place: { file: source },
    next: "Download the file yourself and name the copy.",
  });
}

/** The source as messages call it. */
export function sourceName(source: string): string {
  return source === "-" ? "standard input" : source;
}

/**
 * Reads the JSON that a SOURCE stands for.
 *
 * @throws CodedError MG10xx for what cannot be read or is not JSON, MG40xx for a server that does not hand it out
 */
export async function readSource(source: string, place: SourcePlace): Promise<SourceFile> {
  const bytes = await sourceBytes(source, place);
  const name = sourceName(source);
  const file = await parseJson(decodeText(bytes, name), name);
  const isUrl = kindOfSource(source) === "url";
  return { ...file, sha256: sha256(bytes), ...(isUrl && { url: publicUrl(source) }) };
}

/** The text that a SOURCE stands for; errors as `readSource`. */
export async function sourceText(source: string, place: SourcePlace): Promise<string> {
  return decodeText(await sourceBytes(source, place), sourceName(source));
}

async function sourceBytes(source: string, place: SourcePlace): Promise<Uint8Array> {
  return kindOfSource(source) === "file" && !isDescriptor(source)
    ? readRegularFile(resolve(place.directory, source))
    : collect(openSource(source, place), sourceName(source));
}

/**
 * The bytes that a SOURCE stands for, as they come.
 *
 * @throws CodedError as `readSource`, when it is read
 */
export function openSource(source: string, place: SourcePlace): AsyncIterable<Uint8Array | string> {
  const kind = kindOfSource(source);
  if (kind === "standard input") return place.stdin;
  return kind === "url" ? download(source) : streamFile(source, place.directory);
}

/** An open file that the shell hands over, such as `<(COMMAND)`: a pipe that the user has made. */
function isDescriptor(source: string): boolean {
  return /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/\d+)$/.test(source);
}

async function* streamFile(source: string, directory: string): AsyncGenerator<Uint8Array> {
  try {
    yield* isDescriptor(source) ? createReadStream(source) : streamRegularFile(resolve(directory, source));
  } catch (cause) {
    throw cause instanceof CodedError ? cause : unreadable(source, cause);
  }
}

async function collect(chunks: AsyncIterable<Uint8Array | string>, name: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const part = Buffer.from(chunk as Uint8Array);
    size += part.length;
    if (size > maximumBytes) throw tooLarge(name, size);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
