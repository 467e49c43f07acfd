import { McpError, rpc } from "../../jsonrpc/errors.js";
import { isObject } from "../../jsonrpc/message.js";

/**
 * Who asks, and by what name their state and sessions go. There is no `auth` without a `principal`: a session
 * would be anybody's who knows its id.
 */
export type Principal =
  | {
      /** What handlers see as `context.auth`: that of the request at hand. */
      readonly auth: unknown;
      /** Never empty. */
      readonly principal: string;
    }
  | { readonly auth?: undefined; readonly principal?: string };

/** The answer to a request that is refused before it is read. */
export interface Denial {
  /** From 200 to 599. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/**
 * What `authenticate` gave, if it is what it has to be.
 *
 * @throws {McpError} `invalid-definition`: it is neither, or who asks has no name
 */
export function authenticated(found: unknown): Principal | Denial {
  const given = isObject(found) ? found : { status: undefined };
  const { status, auth, principal } = given as Record<string, unknown>;
  const fits =
    "status" in given
      ? Number.isInteger(status) && (status as number) >= 200 && (status as number) <= 599
      : principal === undefined
        ? auth === undefined
        : typeof principal === "string" && principal !== "";
  if (fits) return found as Principal | Denial;
  throw new McpError(
    "invalid-definition",
    "authenticate gave neither auth with a principal nor a status from 200 to 599",
    { rpcCode: rpc.internalError },
  );
}
