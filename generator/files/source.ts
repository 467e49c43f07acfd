import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import { publicUrl, secrets } from "../secrets/secrets.js";
import {
  sha256,
  maximumBytes,
  readRegularFile,
  streamRegularFile,
  tooLarge,
  unreadable,
  decodeText,
} from "./regular-file.js";
import { type JsonFile, parseJson } from "./json-file.js";
import { networkFetch, networkAdvice } from "./proxies.js";

/** Where to resolve a SOURCE of the command line. */
export interface SourcePlace {
  /** Paths are relative to it. */
  readonly directory: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
}

/** A JSON document read from a SOURCE. */
export interface SourceFile extends JsonFile {
  /** Hash of the bytes as received. */
  readonly sha256: string;
  /** URL of the download, without secrets because files record it. */
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

/** The source's name in messages. */
export function sourceName(source: string): string {
  return source === "-" ? "standard input" : source;
}

/**
 * Reads JSON from a SOURCE.
 *
 * @throws CodedError MG10xx if it cannot be read or is not JSON, MG40xx if a server does not deliver it
 */
export async function readSource(source: string, place: SourcePlace): Promise<SourceFile> {
  const bytes = await sourceBytes(source, place);
  const name = sourceName(source);
  const file = await parseJson(decodeText(bytes, name), name);
  const isUrl = kindOfSource(source) === "url";
  return { ...file, sha256: sha256(bytes), ...(isUrl && { url: publicUrl(source) }) };
}

/** Reads text from a SOURCE. Errors as for `readSource`. */
export async function sourceText(source: string, place: SourcePlace): Promise<string> {
  return decodeText(await sourceBytes(source, place), sourceName(source));
}

async function sourceBytes(source: string, place: SourcePlace): Promise<Uint8Array> {
  return kindOfSource(source) === "file" && !isDescriptor(source)
    ? readRegularFile(resolve(place.directory, source))
    : collect(openSource(source, place), sourceName(source));
}

/**
 * Reads a SOURCE in chunks.
 *
 * @throws CodedError as `readSource`, during iteration
 */
export function openSource(source: string, place: SourcePlace): AsyncIterable<Uint8Array | string> {
  const kind = kindOfSource(source);
  if (kind === "standard input") return place.stdin;
  return kind === "url" ? download(source) : streamFile(source, place.directory);
}

/** Whether the source is a file descriptor from the shell, such as `<(COMMAND)`. */
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

interface DownloadOptions {
  /** Time limit in milliseconds for the whole download, including redirects. */
  readonly timeout?: number;
}

const mostRedirects = 5;

/**
 * Downloads a URL in chunks.
 *
 * @throws CodedError MG4001–MG4004 if the download fails, MG1003 if it exceeds the maximum file size
 */
export async function* download(
  url: string,
  { timeout = 30_000 }: DownloadOptions = {},
): AsyncGenerator<Uint8Array> {
  secrets.learnUrl(url);
  if (hasLogin(new URL(url)))
    throw new CodedError("MG4001", "a URL with a user name or a password is not requested", {
      place: { file: publicUrl(url) },
      next: "Download the file yourself and name the copy.",
    });
  try {
    const response = await request(url, AbortSignal.timeout(timeout));
    let size = 0;
    // Count the received bytes, because `Content-Length` may be wrong.
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maximumBytes) throw tooLarge(publicUrl(url), size);
      yield chunk;
    }
  } catch (error) {
    throw error instanceof CodedError ? error : unreachable(url, error as Error, timeout);
  }
}

/** The response after all redirects. */
async function request(url: string, signal: AbortSignal): Promise<Response> {
  let at = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await networkFetch(at, {
      signal,
      redirect: "manual",
      headers: { accept: "application/json, */*" },
    });
    if (response.ok) return response;
    await response.body?.cancel();
    const location = response.status >= 300 && response.status < 400 && response.headers.get("location");
    if (!location) throw statusError(url, response);
    at = nextAddress(url, at, location);
  }
  throw misdirected(url, `expected the file after at most ${mostRedirects} redirects, got another redirect`);
}

/** The target of a redirect: only http or https, and never from https to http. */
function nextAddress(url: string, at: string, location: string): string {
  const next = URL.canParse(location, at) ? new URL(location, at) : undefined;
  const allowed = at.startsWith("https:") ? ["https:"] : ["http:", "https:"];
  if (next) secrets.learnUrl(next.href);
  if (next && hasLogin(next))
    throw misdirected(url, `a redirect names a user or a password, to ${publicUrl(next.href)}`);
  if (next && allowed.includes(next.protocol)) return next.href;
  throw misdirected(
    url,
    `expected a redirect to ${allowed[0]}//…, got one to ${JSON.stringify(publicUrl(next?.href ?? location))}`,
  );
}

function hasLogin({ username, password }: URL): boolean {
  return username !== "" || password !== "";
}

function statusError(url: string, { status, statusText }: Response): CodedError {
  return new CodedError("MG4002", `expected the file, got HTTP ${status} ${statusText}`.trimEnd(), {
    place: { file: publicUrl(url) },
    next: "Check the URL.",
  });
}

function misdirected(url: string, message: string): CodedError {
  return new CodedError("MG4004", message, {
    place: { file: publicUrl(url) },
    next: "Name the address of the file itself.",
  });
}

function unreachable(url: string, error: Error, timeout: number): CodedError {
  if (error.name === "TimeoutError") {
    return new CodedError("MG4003", `no complete answer within ${timeout / 1000} seconds`, {
      place: { file: publicUrl(url) },
      next: "Try again, or download the file yourself and name the copy.",
      cause: error,
    });
  }
  const reason =
    error.cause instanceof Error
      ? error.cause.message || (error.cause as NodeJS.ErrnoException).code
      : error.message;
  if (reason === "bad port") {
    return new CodedError("MG4001", `port ${new URL(url).port} is one that no web request may go to`, {
      place: { file: publicUrl(url) },
      next: "Check the port, or download the file yourself and name the copy.",
      cause: error,
    });
  }
  return new CodedError("MG4001", `the server cannot be reached: ${reason}`, {
    place: { file: publicUrl(url) },
    next:
      networkAdvice(error) ??
      "Check the URL and the connection, or download the file yourself and name the copy.",
    cause: error,
  });
}
