import { McpError, rpc } from "../jsonrpc/errors.js";
import { isObject } from "../jsonrpc/message.js";
import type { Params, RequestMessage } from "../jsonrpc/message.js";
import type { StateStore, UsedState } from "./state-store.js";
import type { StateSeal } from "./state.js";

/** A request that rides in a result which asks for input (`InputRequests`). */
export interface Asked {
  readonly method: string;
  readonly params?: Params;
}

/** What a multi round-trip request has brought so far. */
export interface Rounds {
  /** Answers by key. */
  readonly answers: Map<string, Params>;
  /** Results of `context.once` by key. */
  readonly once: Map<string, Promise<unknown>>;
  /** What this round asks for, by key. */
  readonly wanted: Map<string, Asked>;
  /** The state that brought it: the next one is bound to it. */
  readonly before?: Pick<UsedState, "request" | "round">;
}

/** What rides in `requestState`, sealed. */
interface State {
  /** Binds the state to the rounds before. */
  readonly chain: Pick<UsedState, "request" | "round">;
  /** Digest of the request the state belongs to. */
  readonly request: string;
  readonly principal: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly answers: { readonly [key: string]: Params };
  readonly once: readonly { readonly key: string; readonly value?: unknown }[];
  /** Keys that the last round asked for. */
  readonly asked: readonly string[];
}

/** Milliseconds from a round to its retry. */
export const stateLifetime = 600_000;

/** Longest state, in characters. */
const longestState = 32_768;

export function newRounds(): Rounds {
  return { answers: new Map(), once: new Map(), wanted: new Map() };
}

/**
 * What earlier rounds brought, out of a request that carries state.
 *
 * @throws {McpError} `state-rejected`
 */
export async function openRounds(
  request: RequestMessage,
  seal: StateSeal,
  principal: string,
  now: number,
  store?: StateStore,
): Promise<Rounds> {
  const { requestState, inputResponses } = request.params ?? {};
  const given = isObject(inputResponses) ? inputResponses : {};
  // Answers without a state are as good as any the client may give; only what was kept needs a seal.
  if (requestState === undefined)
    return { ...newRounds(), answers: new Map(Object.entries(given) as [string, Params][]) };
  // Refused by its size before it is decoded.
  if ((requestState as string).length > longestState)
    throw rejected(`it has more than ${longestState} characters`);
  const state = (await seal.open(requestState as string)) as State | undefined;
  if (!state) throw rejected("it was not issued by this server, or was changed");
  if (state.expires <= now) throw rejected("it has expired");
  if (state.principal !== principal) throw rejected("it was issued to someone else");
  if (state.request !== (await digestOf(request))) throw rejected("it belongs to another request");
  const { chain, expires } = state;
  if (store && !(await store.use({ ...chain, expires })))
    throw rejected("it, or a later one, was used before");
  const answers = new Map(Object.entries(state.answers));
  for (const key of state.asked) if (Object.hasOwn(given, key)) answers.set(key, given[key] as Params);
  const once = state.once.map(({ key, value }) => [key, Promise.resolve(value)] as const);
  return { answers, once: new Map(once), wanted: new Map(), before: chain };
}

/**
 * The state for the next round.
 *
 * @throws {McpError} `state-rejected` if it is too large
 */
export async function sealRounds(
  rounds: Rounds,
  request: RequestMessage,
  seal: StateSeal,
  principal: string,
  now: number,
): Promise<string> {
  const once: { key: string; value: unknown }[] = [];
  for (const [key, running] of rounds.once) once.push({ key, value: await running });
  const { request: name = crypto.randomUUID(), round = 0 } = rounds.before ?? {};
  const state: State = {
    chain: { request: name, round: round + 1 },
    request: await digestOf(request),
    principal,
    expires: now + stateLifetime,
    answers: Object.fromEntries(rounds.answers),
    once,
    asked: [...rounds.wanted.keys()],
  };
  const text = await seal.close(state);
  if (text.length > longestState)
    throw new McpError(
      "state-rejected",
      `the state between rounds takes ${text.length} characters; the limit is ${longestState}. Keep large values elsewhere, and their name in the state`,
      { rpcCode: rpc.internalError },
    );
  return text;
}

function rejected(why: string): McpError {
  return new McpError("state-rejected", `requestState is refused: ${why}`, { rpcCode: rpc.invalidParams });
}

/** Parameters that differ from round to round. */
const perRound: ReadonlySet<string> = new Set(["_meta", "inputResponses", "requestState"]);

/** Method and parameters that make a request what it is, whatever the round and the order of members. */
async function digestOf({ method, params = {} }: RequestMessage): Promise<string> {
  const salient = Object.entries(params).filter(([key]) => !perRound.has(key));
  const text = JSON.stringify([method, sorted(Object.fromEntries(salient))]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, sorted(value[key])]);
}
