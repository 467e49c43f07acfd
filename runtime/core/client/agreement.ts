import type { Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { RevisionView } from "../protocol/revision-view.js";
import type { Clock } from "../time/clock.js";
import { McpError, rpc } from "../jsonrpc/errors.js";
import { isObject } from "../jsonrpc/message.js";
import { discover, discovered, probed } from "./discovery.js";
import { handshake, noCommonVersion } from "./handshake.js";
import type { Opening } from "./introduction.js";
import type { Link } from "./link.js";
import { isMisunderstood, statusOf } from "./refused.js";
import { type Answer, remoteError } from "./remote-error.js";

/** What both sides settled on. */
export interface Agreement {
  readonly spoken: RevisionView<"client">;
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
  spoken: readonly RevisionView<"client">[],
  intro: Opening,
): Promise<Agreement> {
  const modern = spoken.filter(({ era }) => era === "modern");
  const legacy = spoken.filter(({ era }) => era === "legacy");
  if (modern.length === 0) return handshake(link, legacy, intro);
  const settled = new AbortController();
  const probe = probed(link, modern[0]!, intro, settled.signal);
  if (legacy.length === 0) return conclude(link, await probe, modern, legacy, intro);
  // A server that has yet to start is no legacy one: where an answer is certain, it is waited for.
  const patience = link.answersAll ? (intro.due - intro.clock.now()) / 2 : hedge;
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
    settled.abort();
    link.forget(new McpError("cancelled", "another answer has decided"));
  }
}

/** Straight to the handshake: for a server that does not live through a probe. */
export function handshakeOnly(
  link: Link,
  spoken: readonly RevisionView<"client">[],
  intro: Opening,
): Promise<Agreement> {
  return handshake(
    link,
    spoken.filter(({ era }) => era === "legacy"),
    intro,
  );
}

/** What the answer to the probe says of the server. */
async function conclude(
  link: Link,
  response: Answer,
  modern: readonly RevisionView<"client">[],
  legacy: readonly RevisionView<"client">[],
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
  const status = statusOf(response.refusal);
  // Refused for another reason than what it speaks.
  if (legacy.length === 0 && status !== undefined && !isMisunderstood(status)) throw response.refusal;
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

/** The server is modern and has named its versions: one of them, or none. */
async function useListed(
  link: Link,
  supported: unknown,
  modern: readonly RevisionView<"client">[],
  legacy: readonly RevisionView<"client">[],
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
async function retried(link: Link, spoken: RevisionView<"client">, intro: Opening): Promise<Agreement> {
  const response = await discover(link, spoken, intro);
  if (response.result) return discovered(spoken, response.result);
  throw remoteError("server/discover", response);
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
