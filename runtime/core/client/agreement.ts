import type { ClientCapabilities, Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import { metaKeys } from "../era/meta.js";
import type { Spoken } from "../era/spoken.js";
import type { LogLevel } from "../era/meta.js";
import { McpError, rpc } from "../peer/errors.js";
import type { Clock } from "../peer/clock.js";
import type { Timeouts } from "../peer/pending.js";
import { type Params, type ResponseMessage, isObject } from "../peer/message.js";
import { type Nulls, decode } from "./decode.js";
import type { Link } from "./link.js";
import { mirrorHeaders } from "./mirror-headers.js";
import { remoteError } from "./link.js";

/** What a client says of itself. */
export interface Introduction {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Log messages it wants: of each request (2026-07-28), or of a connection (before). */
  readonly logLevel: LogLevel | undefined;
  /** Milliseconds that finding the revision may take. */
  readonly connectTimeout: number;
  /** Of requests whose options say nothing else. */
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly nulls: Nulls;
}

/** The same, while it is being said. */
export interface Opening extends Introduction {
  /** Called before a handshake is sent: from then on the server may ask. */
  readonly handshaking: (offered: Spoken<"client">) => void;
}

/** What both sides settled on. */
export interface Agreement {
  readonly spoken: Spoken<"client">;
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

/** Milliseconds after which a probe that nobody answers is joined by a handshake on the same pipe. */
const hedge = 1000;

/**
 * Finds the revision to speak (2026-07-28, stdio, backward compatibility): a probe first if a modern one is
 * spoken, then the handshake if the server knows no probe.
 *
 * @throws {McpError} `unsupported-version` where there is no common revision
 */
export async function agree(
  link: Link,
  spoken: readonly Spoken<"client">[],
  intro: Opening,
): Promise<Agreement> {
  const modern = spoken.filter(({ era }) => era === "modern");
  const legacy = spoken.filter(({ era }) => era === "legacy");
  if (modern.length === 0) return handshake(link, legacy, intro);
  const probe = probed(link, modern[0]!, intro);
  if (legacy.length === 0) return conclude(link, await probe, modern, legacy, intro);
  // A server that has yet to start is no legacy one: where an answer is certain, it is waited for.
  const patience = link.answersAll ? intro.connectTimeout / 2 : hedge;
  const first = await within(patience, probe, intro.clock);
  if (first !== undefined) return conclude(link, first, modern, legacy, intro);
  // Some servers take the handshake for the opening, whatever they answered before: where they accept it, that
  // decides. The discovery does where the handshake fails, or stays without an answer.
  const shaken = handshake(link, legacy, intro);
  const discovery = probe.then(async (response) => {
    const agreement = await conclude(link, response, modern, legacy, intro, false);
    await within(
      hedge,
      shaken.catch(() => undefined),
      intro.clock,
    );
    return agreement;
  });
  try {
    return await Promise.any([shaken, discovery]);
  } catch (failure) {
    throw (failure as AggregateError).errors[0];
  } finally {
    link.forget(new McpError("cancelled", "another answer has decided"));
  }
}

/** Straight to the handshake: for a server that does not live through a probe. */
export function handshakeOnly(
  link: Link,
  spoken: readonly Spoken<"client">[],
  intro: Opening,
): Promise<Agreement> {
  return handshake(
    link,
    spoken.filter(({ era }) => era === "legacy"),
    intro,
  );
}

/** The answer to the probe; a server that refuses it in the words of HTTP alone gives an error that says nothing. */
async function probed(link: Link, spoken: Spoken<"client">, intro: Opening): Promise<ResponseMessage> {
  try {
    return await discover(link, spoken, intro);
  } catch (error) {
    if (!(error instanceof McpError) || !isObject(error.data) || typeof error.data["status"] !== "number")
      throw error;
    return { jsonrpc: "2.0", error: { code: rpc.internalError, message: error.message } };
  }
}

function discover(link: Link, spoken: Spoken<"client">, intro: Opening): Promise<ResponseMessage> {
  const limits = { timeout: intro.connectTimeout, totalTimeout: intro.connectTimeout };
  const headers = (method: string, params: Params | undefined): Record<string, string> =>
    mirrorHeaders(spoken, method, params);
  return link.request("server/discover", () => ({ _meta: requestMeta(spoken, intro) }), limits, { headers });
}

/** What a client declares: where it can send notifications, that its roots may change, too (2025-11-25, roots). */
export function declaredBy(
  { table }: Spoken<"client">,
  { capabilities }: Pick<Introduction, "capabilities">,
): ClientCapabilities {
  const { roots } = capabilities;
  if (!roots || !table.outgoingNotifications.has("notifications/roots/list_changed")) return capabilities;
  const changing: typeof roots & { listChanged: true } = { ...roots, listChanged: true };
  return { ...capabilities, roots: changing };
}

/** What every modern request carries (2026-07-28, basic, `_meta`). */
export function requestMeta(
  spoken: Spoken<"client">,
  { info, capabilities, logLevel: usual }: Introduction,
  logLevel = usual,
): Params {
  return {
    [metaKeys.protocolVersion]: spoken.id,
    [metaKeys.clientInfo]: info,
    [metaKeys.clientCapabilities]: declaredBy(spoken, { capabilities }),
    ...(logLevel === undefined ? {} : { [metaKeys.logLevel]: logLevel }),
  };
}

/** What the answer to the probe says of the server. */
async function conclude(
  link: Link,
  response: ResponseMessage,
  modern: readonly Spoken<"client">[],
  legacy: readonly Spoken<"client">[],
  intro: Opening,
  fallBack = true,
): Promise<Agreement> {
  const { result, error } = response;
  if (result && Array.isArray(result["supportedVersions"])) {
    const versions = result["supportedVersions"] as unknown[];
    const chosen = modern.find(({ id }) => versions.includes(id));
    if (chosen) return discovered(chosen, result);
    return useListed(link, versions, modern, legacy, intro);
  }
  const { errors } = modern[0]!.table;
  if (error && error.code === errors["UNSUPPORTED_PROTOCOL_VERSION"]?.code)
    return useListed(link, isObject(error.data) ? error.data["supported"] : undefined, modern, legacy, intro);
  // Other codes that only modern servers send: the server is modern, and says what is wrong.
  const modernOnly = ["MISSING_REQUIRED_CLIENT_CAPABILITY", "HEADER_MISMATCH"].map(
    (name) => errors[name]?.code,
  );
  if (error && modernOnly.includes(error.code)) throw remoteError("server/discover", response);
  if (legacy.length === 0)
    throw noCommonVersion(
      modern,
      undefined,
      error
        ? `it answers server/discover with: ${error.message}`
        : "it does not answer server/discover as the specification says",
    );
  if (!fallBack)
    throw remoteError(
      "server/discover",
      response.error
        ? response
        : { ...response, error: { code: rpc.internalError, message: "no discovery result" } },
    );
  return handshake(link, legacy, intro);
}

function discovered(spoken: Spoken<"client">, result: Params): Agreement {
  const { capabilities, instructions, _meta } = result;
  return {
    spoken,
    serverInfo: _meta?.[metaKeys.serverInfo] as Implementation | undefined,
    capabilities: (isObject(capabilities) ? capabilities : {}) as ServerCapabilities,
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}

/** The server is modern and has named its versions: one of them, or none. */
async function useListed(
  link: Link,
  supported: unknown,
  modern: readonly Spoken<"client">[],
  legacy: readonly Spoken<"client">[],
  intro: Opening,
): Promise<Agreement> {
  const versions: readonly unknown[] = Array.isArray(supported) ? supported : [];
  // The newest was refused; what the server names is tried once.
  const other = modern.slice(1).find(({ id }) => versions.includes(id));
  if (other) {
    const { result } = await discover(link, other, intro);
    if (result) return discovered(other, result);
  }
  const old = legacy.filter(({ id }) => versions.includes(id));
  if (old.length > 0) return handshake(link, old, intro);
  if (modern.some(({ id }) => versions.includes(id)) && !other) return retried(link, modern[0]!, intro);
  throw noCommonVersion([...modern, ...legacy], versions);
}

/** A server that refuses a version and lists it all the same gets one more chance. */
async function retried(link: Link, spoken: Spoken<"client">, intro: Opening): Promise<Agreement> {
  const response = await discover(link, spoken, intro);
  if (response.result) return discovered(spoken, response.result);
  throw remoteError("server/discover", response);
}

/** The handshake of the legacy era (2025-11-25, lifecycle, initialization). */
async function handshake(
  link: Link,
  legacy: readonly Spoken<"client">[],
  intro: Opening,
): Promise<Agreement> {
  const offered = legacy[0]!;
  const params = offered.lower("outgoingRequests", "initialize", {
    protocolVersion: offered.id,
    capabilities: declaredBy(offered, intro),
    clientInfo: intro.info,
  });
  const limits = { timeout: intro.connectTimeout, totalTimeout: intro.connectTimeout };
  intro.handshaking(offered);
  const response = await link.request("initialize", () => params, limits, { cancellable: false });
  const { result, error } = response;
  if (error) {
    const supported = isObject(error.data) ? error.data["supported"] : undefined;
    if (Array.isArray(supported) || error.code === rpc.methodNotFound)
      throw noCommonVersion(legacy, Array.isArray(supported) ? supported : undefined, error.message);
    throw remoteError("initialize", response);
  }
  const version = result?.["protocolVersion"];
  const spoken = legacy.find(({ id }) => id === version);
  if (!spoken) throw noCommonVersion(legacy, [version]);
  const entry = spoken.table.outgoingRequests.get("initialize")!;
  const decoded = await decode(spoken, "initialize", entry, result, intro.nulls);
  const headers = (method: string): Record<string, string> => mirrorHeaders(spoken, method, undefined);
  link.speak(headers(""));
  link.notify("notifications/initialized", undefined, headers);
  const lifted = spoken.lift("incomingResults", "initialize", decoded.result);
  return {
    spoken,
    serverInfo: lifted["serverInfo"] as Implementation,
    capabilities: lifted["capabilities"] as ServerCapabilities,
    instructions: lifted["instructions"] as string | undefined,
  };
}

function noCommonVersion(ours: readonly Spoken[], theirs?: readonly unknown[], detail?: string): McpError {
  const spoken = ours.map(({ id }) => id).join(", ");
  const offered = theirs
    ? `the server speaks ${theirs.map(String).join(", ")}`
    : "the server speaks none of them";
  return new McpError(
    "unsupported-version",
    `no common protocol revision: this client speaks ${spoken}; ${offered}${detail === undefined ? "" : ` (${detail})`}`,
    {
      data: { ours: ours.map(({ id }) => id), ...(theirs ? { supported: theirs } : {}) },
    },
  );
}

/** What the promise gives, if it does within `delay` milliseconds. */
async function within<T>(delay: number, promise: Promise<T>, clock: Clock): Promise<T | undefined> {
  let timer: unknown;
  const late = new Promise<undefined>((resolve) => {
    timer = clock.schedule(() => resolve(undefined), delay);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clock.clear(timer);
  }
}
