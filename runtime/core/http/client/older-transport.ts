import type * as platform from "../../platform/platform.js";
import type { McpError } from "../../jsonrpc/errors.js";
import type { HttpRequests } from "./http-requests.js";

/** What a stream of HTTP+SSE needs from its connection. */
export interface SseUser {
  readonly message: (text: string) => void;
  /** All messages that arrived together were delivered. */
  readonly turn: () => void;
  /** Resolves when more may be read; `undefined` if it may be read now. */
  readonly room: () => Promise<void> | undefined;
  /** The stream ended, and the session with it: it cannot be resumed. */
  readonly ended: (why: McpError) => void;
  /** The server has forgotten the session, though the stream is open. */
  readonly forgotten: () => void;
}

/** An open connection over HTTP+SSE. */
export interface OlderConnection {
  /** Posts a message. Its answer comes on the stream. @throws {McpError} `connection-closed`, `session-lost` */
  post(body: string, headers: Readonly<Record<string, string>>, signal: platform.AbortSignal): Promise<void>;
}

/** HTTP+SSE (2024-11-05), for servers that have no other transport; `runtime/core/legacy/client` has it. */
export interface OlderTransport {
  /**
   * Opens the stream. Resolves with `undefined` if the server does not have HTTP+SSE.
   *
   * @throws {McpError} `connection-closed`, `invalid-result`
   */
  openSse(
    requests: HttpRequests,
    limit: number,
    signal: platform.AbortSignal,
    user: SseUser,
  ): Promise<OlderConnection | undefined>;
  /** The error of a stream that cannot be opened. @param refused body of the earlier answer to the handshake */
  noSse(error: unknown, status: number, refused: string): unknown;
}
