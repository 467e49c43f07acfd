import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { Open } from "@mcpgen/protocol/open";
import { attempts, isObject, McpError, type Params, waitAsked, withTimeout } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { metaKeys } from "../protocol/meta.js";
import { type RevisionView, declaredIn } from "../protocol/revision-view.js";
import { type ClientProfile, byEra, requestMeta } from "./client-profile.js";
import type { Connection, Negotiated } from "./connection.js";
import { type ServerResponse, httpStatusOf, isMisunderstood, remoteError, withDefaults } from "./decode.js";
import { probeRetry } from "./retry-policy.js";

type Views = readonly RevisionView<"client">[];

/**
 * The handshake of the legacy era; `runtime/core/legacy/client` has it. It sets the view of the connection before it sends
 * anything: from then on the server may send requests.
 *
 * @param legacy the revisions to choose from, at least one
 * @throws {McpError} `unsupported-version`: there is no common revision
 */
export type Handshake = (
  connection: Connection,
  legacy: Views,
  profile: ClientProfile,
) => Promise<Negotiated>;

interface NegotiationContext extends ClientProfile {
  /** The deadline of the negotiation, by the clock. The caller enforces it. */
  readonly due: number;
  /** Absent if the client has no legacy revision. */
  readonly handshake: Handshake | undefined;
}

/**
 * Milliseconds without an answer to the probe on a pipe, after which the client also sends the handshake. A modern server
 * that starts within them (`npx`, TypeScript) keeps its era.
 */
const silenceMs = 5000;

/** Milliseconds that a handshake still has when the server has answered the probe. */
const handshakeMs = 1000;

/**
 * Finds the common revision (2026-07-28, stdio, backward compatibility): by `server/discover` if the client has a modern
 * revision, then by `initialize` if the server does not know the probe.
 *
 * @throws {McpError} `unsupported-version`: there is no common revision
 */
export async function negotiate(
  connection: Connection,
  views: Views,
  context: NegotiationContext,
): Promise<Negotiated> {
  const eras = byEra(views);
  const { modern, legacy } = eras;
  if (modern.length === 0) return context.handshake!(connection, legacy, context);
  const settled = new AbortController();
  const probe = sendProbe(connection, modern[0]!, context, settled.signal);
  if (legacy.length === 0) return conclude(connection, await probe, eras, context);
  // If the channel guarantees a reply, a missing one means that the server is still starting, not that it is legacy.
  const half = (context.due - context.clock.now()) / 2;
  const timeout = connection.channel.guaranteesReply ? half : Math.min(half, silenceMs);
  const first = await withTimeout(timeout, probe, context.clock);
  if (first !== undefined) return conclude(connection, first, eras, context);
  // Some servers treat the handshake as the start of a connection, even after they answered the probe. If a server
  // accepts the handshake, its result counts. If the handshake fails or stays unanswered, the result of the probe
  // counts.
  const shaken = context.handshake!(connection, legacy, context);
  const discovery = probe.then(async (response) => {
    const negotiated = await conclude(connection, response, { ...eras, isHandshaken: true }, context);
    await withTimeout(
      handshakeMs,
      shaken.catch(() => undefined),
      context.clock,
    );
    return negotiated;
  });
  try {
    return await Promise.any([shaken, discovery]);
  } catch (failure) {
    throw (failure as AggregateError).errors[0];
  } finally {
    settled.abort();
    connection.forget(new McpError("cancelled", "another answer has decided"));
  }
}

/** The revisions of the client. */
interface Offered {
  readonly modern: Views;
  readonly legacy: Views;
  /** Whether the handshake already runs at the same time as the probe. */
  readonly isHandshaken?: boolean;
}

/** Concludes from the response to the probe. */
async function conclude(
  connection: Connection,
  response: ServerResponse,
  offered: Offered,
  context: NegotiationContext,
): Promise<Negotiated> {
  const { modern, legacy } = offered;
  const { result, error } = response;
  if (result && Array.isArray(result["supportedVersions"])) {
    const versions = result["supportedVersions"] as unknown[];
    const chosen = modern.find(({ id }) => versions.includes(id));
    if (chosen) return discovered(chosen, result, context);
    return chooseFrom(connection, versions, offered, context);
  }
  if (
    error &&
    modern.some(({ table }) => error.code === table.errors["UNSUPPORTED_PROTOCOL_VERSION"]?.code)
  ) {
    const supported: unknown = isObject(error.data) ? error.data["supported"] : undefined;
    if (Array.isArray(supported)) return chooseFrom(connection, supported, offered, context);
    // The list is required (2026-07-28, versioning): without it, the server may have any other revision.
    const others = modern.slice(1);
    if (others.length > 0)
      return conclude(
        connection,
        await discover(connection, others[0]!, context),
        { ...offered, modern: others },
        context,
      );
  } else if (error && isModernOnly(error.code, modern, legacy))
    throw remoteError("server/discover", response);
  const status = httpStatusOf(response.refusal);
  // The status names a reason other than the revision.
  if (legacy.length === 0 && status !== undefined && !isMisunderstood(status)) throw response.refusal;
  if (legacy.length === 0)
    throw noCommonVersion(
      modern,
      undefined,
      error
        ? `it answers server/discover with: ${error.message}`
        : "it does not answer server/discover as the specification requires",
      error ? remoteError("server/discover", response) : (response.refusal as McpError | undefined),
    );
  if (offered.isHandshaken)
    throw remoteError(
      "server/discover",
      response.error
        ? response
        : { ...response, error: { code: rpc.internalError, message: "no discovery result" } },
    );
  return context.handshake!(connection, legacy, context);
}

/** Whether only modern servers send an error code: neither JSON-RPC nor a legacy revision defines it. */
function isModernOnly(code: number, modern: Views, legacy: Views): boolean {
  const defines = ({ table }: Views[number]): boolean =>
    Object.values(table.errors).some((each) => each.code === code);
  return modern.some(defines) && !legacy.some(defines) && !Object.values<number>(rpc).includes(code);
}

/** Chooses a revision from the list of a modern server. */
async function chooseFrom(
  connection: Connection,
  versions: readonly unknown[],
  { modern, legacy }: Offered,
  context: NegotiationContext,
): Promise<Negotiated> {
  // The server refused the newest revision; the client tries the next common one once.
  const other = modern.slice(1).find(({ id }) => versions.includes(id));
  if (other) {
    const { result } = await discover(connection, other, context);
    if (result) return discovered(other, result, context);
  }
  const old = legacy.filter(({ id }) => versions.includes(id));
  if (old.length > 0) return context.handshake!(connection, old, context);
  if (modern.some(({ id }) => versions.includes(id)) && !other)
    return discoverAgain(connection, modern[0]!, context);
  throw noCommonVersion([...modern, ...legacy], versions);
}

/** Sends the probe once more to a server that refused a revision although it lists that revision. */
async function discoverAgain(
  connection: Connection,
  view: RevisionView<"client">,
  context: ClientProfile,
): Promise<Negotiated> {
  const response = await discover(connection, view, context);
  if (response.result) return discovered(view, response.result, context);
  throw remoteError("server/discover", response);
}

/**
 * Sends the probe, and sends it again after each temporary HTTP status.
 *
 * @param settled aborts when the result is no longer needed
 */
async function sendProbe(
  connection: Connection,
  view: RevisionView<"client">,
  context: NegotiationContext,
  settled: AbortSignal,
): Promise<ServerResponse> {
  let response!: ServerResponse;
  let made = 0;
  const pauses = (): number | undefined => {
    const usual = probeRetry.pauses[made++];
    if (usual === undefined || !probeRetry.when(response.refusal)) return undefined;
    const pause = waitAsked(retryAfterOf(response.refusal), { usual });
    return context.clock.now() + pause < context.due ? pause : undefined;
  };
  const wakes = [(wake: () => void) => connection.whenClosed(wake)];
  for await (const _ of attempts({ pauses, clock: context.clock, signal: settled, wakes }))
    response = await discover(connection, view, context);
  return response;
}

/** Sends one probe. A refusal by HTTP without a JSON-RPC message becomes a response with an internal error. */
async function discover(
  connection: Connection,
  view: RevisionView<"client">,
  profile: ClientProfile,
): Promise<ServerResponse> {
  try {
    return await connection.exchange(view, "server/discover", { _meta: requestMeta(view, profile) });
  } catch (error) {
    if (!(error instanceof McpError) || httpStatusOf(error) === undefined) throw error;
    const { message } = error;
    return { jsonrpc: "2.0", error: { code: rpc.internalError, message }, refusal: error };
  }
}

/** Reads the result of `server/discover`; a member that is wrong counts as absent. */
async function discovered(
  view: RevisionView<"client">,
  result: Params,
  context: ClientProfile,
): Promise<Negotiated> {
  const method = "server/discover";
  const entry = view.table.outgoingRequests.get(method);
  const definition = entry?.result;
  const read = definition ? await context.readNulls(definition, withDefaults(entry, result), method) : result;
  const { capabilities, instructions, _meta } = view.lift("incomingResults", method, read);
  const serverInfo = isObject(_meta) ? _meta[metaKeys.serverInfo] : undefined;
  return {
    view,
    serverInfo: isObject(serverInfo) ? (serverInfo as unknown as Open<"Implementation">) : undefined,
    capabilities: declaredIn(read["capabilities"], capabilities) as ServerCapabilities,
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}

/**
 * The error for client and server without a common revision.
 *
 * @param theirs the revisions that the server names, if it names any
 * @param detail the answer of the server
 */
export function noCommonVersion(
  ours: Views,
  theirs?: readonly unknown[],
  detail?: string,
  cause?: McpError,
): McpError {
  const supported = ours.map(({ id }) => id).join(", ");
  const named = theirs?.filter((each) => typeof each === "string") ?? [];
  const offered =
    named.length > 0
      ? `the server has ${named.join(", ")}`
      : theirs
        ? "the server does not name its revisions"
        : "the server has none of them";
  return new McpError(
    "unsupported-version",
    `no common protocol revision: this client has ${supported}; ${offered}${detail === undefined ? "" : ` (${detail})`}`,
    { data: { ours: ours.map(({ id }) => id), ...(theirs ? { supported: theirs } : {}) }, cause },
  );
}

function retryAfterOf(refusal: Error | undefined): unknown {
  return refusal instanceof McpError && isObject(refusal.data) ? refusal.data["retryAfterMs"] : undefined;
}
