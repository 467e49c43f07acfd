import { McpError, rpc } from "../../jsonrpc/errors.js";
import type { Reading } from "./limits.js";

/** Bytes of an event stream that wait for its reader, after which a message more cuts it off. */
export const mostWaiting = 8 * 1_048_576;

/** Headers of a JSON body. */
export const jsonHeaders: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** An event stream that was opened as an answer. */
export interface EventSink {
  /** Writes text of events as it is; they leave at once. Says whether anybody is still there. */
  write(text: string): boolean;
  end(): void;
}

/**
 * One HTTP request and its answer, whatever serves HTTP. The rules of the transport are written against this
 * alone.
 */
export interface Exchange {
  /** In capitals. */
  readonly method: string;
  /** Path and query as the client wrote them, or the whole URL. */
  readonly url: string;
  /** Value of a header; several of one name are joined by commas. @param name in small letters */
  header(name: string): string | undefined;
  /**
   * Reads the whole body as UTF-8.
   *
   * @param reading hears of its bytes as they come; where it does not take them, no more are kept
   * @param done is given the text, `undefined` if there are more bytes than `limit`, or than were taken, or `null` if
   *   they are not UTF-8; not called if the client goes away first
   * @param gone is called then; after `done` it means nothing
   * @throws {McpError} `invalid-definition`: something in front has read it and kept it to itself
   */
  readBody(
    limit: number,
    reading: Reading,
    done: (text: string | undefined | null) => void,
    gone: () => void,
  ): void;
  /** Characters of the body, once it is read. */
  size: number;
  /** Name of the principal that `authenticate` found; empty without one. */
  principal: string;
  /** Answers with a whole body. */
  reply(status: number, headers: Readonly<Record<string, string>>, text?: string): void;
  /** Answers with a body that is yet to come. */
  openStream(status: number, headers: Readonly<Record<string, string>>): EventSink;
  /** Calls once if the client goes away before the answer is complete. */
  onGone(listener: () => void): void;
}

/** @param advice what to do about it, as an imperative */
export function alreadyRead(advice: string): McpError {
  return new McpError("invalid-definition", `the body was read before it came here; ${advice}`, {
    rpcCode: rpc.internalError,
  });
}

/** Bytes of the first buffer, where a body comes in pieces. */
const first = 1024;

/** A body that comes in pieces, in one buffer: a piece of one byte costs one byte, and not an object. */
export class BodyBytes {
  private buffer: Uint8Array = none;
  private length = 0;

  push(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > this.buffer.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.buffer.length, first));
      grown.set(this.buffer.subarray(0, this.length));
      this.buffer = grown;
    }
    this.buffer.set(piece, this.length);
    this.length = length;
  }

  /** All that has come. */
  get whole(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}

const none = new Uint8Array(0);

/** The query parameter that names a session of HTTP+SSE where messages are posted. */
export const parameter = "sessionId";

/** Stands in for the name of this machine, which a request does not tell for sure. */
const base = "http://localhost";

/** The session of HTTP+SSE that a message is posted to, if the request names one. */
export function sseName(exchange: Exchange): string | undefined {
  if (exchange.header("mcp-session-id") !== undefined || !exchange.url.includes(`${parameter}=`))
    return undefined;
  return locate(exchange.url)?.searchParams.get(parameter) ?? undefined;
}

/** A path and query, or a URL, taken apart. */
export function locate(url: string): URL | undefined {
  return URL.canParse(url, base) ? new URL(url, base) : undefined;
}
