import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import type { IncomingRequest } from "@mcpgen/protocol/model";
import type { LogLevel } from "../protocol/meta.js";
import type { Spoken } from "../protocol/spoken.js";
import type { Params } from "../jsonrpc/message.js";
import type { Ask } from "./ask.js";
import type { RequestContext } from "./context.js";
import type { CacheHints } from "./prepared.js";
import type { ServerCore } from "./core.js";

/** What holds while one request is answered: negotiated once in the legacy era, said with each request in the modern one. */
export interface Terms {
  readonly era: ServerEra;
  readonly spoken: Spoken<"server">;
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo: Implementation | undefined;
  /** Why nothing can be asked of the client, whatever it has declared. */
  readonly unasked?: string;
  /** False until the client says that it takes requests and notifications: nothing but pings and logs are sent before. */
  readonly ready?: boolean;
  /** Log messages below it are not sent; without it, none are. */
  readonly logLevel: LogLevel | undefined;
}

/** What the eras do differently once a request's terms are known. */
export interface ServerEra {
  /**
   * Adds the members that the era owns to a result.
   *
   * @param resultType of what is no complete result
   */
  finish(
    result: Params,
    entry: IncomingRequest,
    hints: CacheHints,
    core: ServerCore,
    resultType?: string,
  ): Params;
  /** How a handler asks the client while it runs. */
  ask(context: RequestContext): Ask;
}
