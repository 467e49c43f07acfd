import {
  BoundedMap,
  type Clock,
  invalid,
  isObject,
  McpError,
  type Params,
  type RequestMessage,
  wallTimeOf,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { fromBase64Url, toBase64Url } from "../protocol/binary-content.js";

/** A request to the client inside a result (`InputRequests`). */
export interface Asked {
  readonly method: string;
  readonly params?: Params;
}

/** The state of a multi round-trip request. */
export interface Rounds {
  /** Answers by key. */
  readonly answers: Map<string, Params>;
  /** Results of `context.once` by key. */
  readonly once: Map<string, Promise<unknown>>;
  /** Asks whose bytes are still being encoded; they belong to this round. */
  readonly encoding: Promise<unknown>[];
  /** Requests of this round, by key. */
  readonly wanted: Map<string, Asked>;
  /** Identity of the previous state: the next state continues it. */
  readonly before?: Pick<UsedState, "request" | "round">;
}

/** The content of `requestState`, which is encrypted. */
interface State {
  /** Binds the state to the previous rounds. */
  readonly chain: Pick<UsedState, "request" | "round">;
  /** Digest of the request that the state belongs to. */
  readonly request: string;
  readonly principal: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly answers: { readonly [key: string]: Params };
  readonly once: readonly { readonly key: string; readonly value?: unknown }[];
  /** Keys of the requests of the last round. */
  readonly asked: readonly string[];
}

/** A request whose state its client carries between the rounds. */
interface Carried {
  readonly request: RequestMessage;
  readonly connection: {
    /** Name of the client, or an empty string. */
    readonly principal: string;
    readonly definition: {
      readonly seal: StateSeal;
      /** Records the used states. */
      readonly states: StateStore | undefined;
      readonly clock: Clock;
    };
  };
}

/** Milliseconds that the client has to retry after a round. */
const stateLifetime = 600_000;

/** Characters of the longest state. */
const stateLimit = 32_768;

export function newRounds(): Rounds {
  return { answers: new Map(), once: new Map(), encoding: [], wanted: new Map() };
}

/**
 * Restores the rounds from a retried request.
 *
 * @throws {McpError} `state-rejected`
 */
export async function openRounds({ request, connection }: Carried): Promise<Rounds> {
  const { seal, states, clock } = connection.definition;
  const { requestState, inputResponses } = request.params ?? {};
  const given = isObject(inputResponses) ? inputResponses : {};
  // Without a state there is nothing to verify: a client is free to choose its answers.
  if (requestState === undefined)
    return { ...newRounds(), answers: new Map(Object.entries(given) as [string, Params][]) };
  // Checks the length before decoding.
  if ((requestState as string).length > stateLimit)
    throw rejected(`it has more than ${stateLimit} characters`);
  const state = (await seal.open(requestState as string)) as State | undefined;
  if (!state) throw rejected("it was not issued by this server, or was changed");
  if (state.expires <= wallTimeOf(clock)) throw rejected("it has expired");
  if (state.principal !== connection.principal) throw rejected("it was issued to another client");
  if (state.request !== (await digestOf(request))) throw rejected("it belongs to another request");
  const { chain, expires } = state;
  if (states && !(await states.use({ ...chain, expires })))
    throw rejected("it, or a later one, was used before");
  const answers = new Map(Object.entries(state.answers));
  for (const key of state.asked) if (Object.hasOwn(given, key)) answers.set(key, given[key] as Params);
  const once = state.once.map(({ key, value }) => [key, Promise.resolve(value)] as const);
  return { ...newRounds(), answers, once: new Map(once), before: chain };
}

/**
 * Makes the `requestState` of the next round.
 *
 * @throws {McpError} `state-rejected` if it is too large
 */
export async function sealRounds(rounds: Rounds, { request, connection }: Carried): Promise<string> {
  const { seal, clock } = connection.definition;
  const once: { key: string; value: unknown }[] = [];
  for (const [key, running] of rounds.once) once.push({ key, value: await running });
  const { request: name = crypto.randomUUID(), round = 0 } = rounds.before ?? {};
  const state: State = {
    chain: { request: name, round: round + 1 },
    request: await digestOf(request),
    principal: connection.principal,
    expires: wallTimeOf(clock) + stateLifetime,
    answers: Object.fromEntries(rounds.answers),
    once,
    asked: [...rounds.wanted.keys()],
  };
  const text = await seal.close(state);
  if (text.length > stateLimit)
    throw new McpError(
      "state-rejected",
      `requestState has ${text.length} characters; the limit is ${stateLimit}. Store large values elsewhere`,
      { rpcCode: rpc.internalError },
    );
  return text;
}

function rejected(why: string): McpError {
  return new McpError("state-rejected", `requestState is refused: ${why}`, { rpcCode: rpc.invalidParams });
}

/** Parameters that differ between the rounds of a request. */
const perRound: ReadonlySet<string> = new Set(["_meta", "inputResponses", "requestState"]);

/** Digest of the method and parameters that are equal in all rounds, whatever the order of members. */
async function digestOf({ method, params = {} }: RequestMessage): Promise<string> {
  const salient = Object.entries(params).filter(([key]) => !perRound.has(key));
  const text = JSON.stringify([method, sorted(Object.fromEntries(salient))]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(digest));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, sorted(value[key])]);
}

/** The rejection of an ask that has no answer yet. The handler runs again when the client retries. */
export class Suspended extends Error {
  override readonly name = "Suspended";

  constructor() {
    super("the handler runs again when the client sends its input");
  }
}

/** Whether a thrown value is `Suspended`. Never throws: `instanceof` on a proxy may. */
export function isSuspended(thrown: unknown): boolean {
  try {
    return thrown instanceof Suspended;
  } catch {
    return false;
  }
}

/** Encrypts and authenticates JSON that the client carries. */
export interface StateSeal {
  /** Called once, when state is encrypted with the random key of this process; transports of several processes set it. */
  onRandomKey: (() => void) | undefined;
  close(value: unknown): Promise<string>;
  /** The value, or `undefined` if this server did not encrypt it. */
  open(text: string): Promise<unknown>;
}

/** The type `CryptoKey`, without the types of a platform. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const ivLength = 12;
const tagLength = 16;
/** Characters of the shortest secret. */
const shortestSecret = 16;

/**
 * Encrypts with AES-256-GCM.
 *
 * @param secrets the current secret first, then earlier secrets that state may still be encrypted with. The processes
 *   that serve the rounds of one request need the same secrets. Without secrets, the key is random.
 * @throws {McpError} `invalid-definition`: a secret is too short
 */
export function stateSeal(secrets: readonly string[]): StateSeal {
  if (secrets.some((secret) => secret.length < shortestSecret))
    throw invalid(`each of state.keys has at least ${shortestSecret} characters`);
  let isReported = secrets.length > 0;
  let keys: Promise<readonly Key[]> | undefined;
  const loaded = (): Promise<readonly Key[]> =>
    (keys ??= Promise.all(
      (secrets.length > 0
        ? secrets.map((secret) => new TextEncoder().encode(secret))
        : [crypto.getRandomValues(new Uint8Array(32))]
      ).map(keyOf),
    ));
  return {
    onRandomKey: undefined,
    async close(value) {
      if (!isReported && this.onRandomKey) {
        isReported = true;
        this.onRandomKey();
      }
      const [key] = await loaded();
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const text = new TextEncoder().encode(JSON.stringify(value));
      const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key!, text));
      const bytes = new Uint8Array(ivLength + sealed.length);
      bytes.set(iv);
      bytes.set(sealed, ivLength);
      return toBase64Url(bytes);
    },
    async open(text) {
      const bytes = fromBase64Url(text);
      if (!bytes || bytes.length < ivLength + tagLength) return undefined;
      const iv = bytes.subarray(0, ivLength);
      for (const key of await loaded()) {
        const plain = await crypto.subtle
          .decrypt({ name: "AES-GCM", iv }, key, bytes.subarray(ivLength))
          .catch(() => undefined);
        if (plain) return JSON.parse(new TextDecoder().decode(plain)) as unknown;
      }
      return undefined;
    },
  };
}

async function keyOf(secret: Uint8Array<ArrayBuffer>): Promise<Key> {
  const digest = await crypto.subtle.digest("SHA-256", secret);
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** The `requestState` of a retried request, for the store. */
export interface UsedState {
  /** Identifies the request in all its rounds. */
  readonly request: string;
  /** The round that ended with the state: 1 for the first. */
  readonly round: number;
  /** Milliseconds since 1970. After this time, the server rejects the state without the store. */
  readonly expires: number;
}

/** Records the used states of multi round-trip requests, so that each state is used once. */
export interface StateStore {
  /**
   * Whether the state may be used: its round must be later than every used round of that request. Records the use in the
   * same atomic step.
   */
  use(state: UsedState): boolean | Promise<boolean>;
}

/** Requests that a store in memory records by default. */
const recordedRequests = 100_000;

/**
 * A store in the memory of this process. It does not know states that another process used. It records a request until
 * its last state has expired.
 *
 * @param most number of requests to record; the oldest are removed. Default: 100,000
 */
export function memoryStateStore(most: number = recordedRequests): StateStore {
  /** The last round of each request. */
  const used = new BoundedMap<string, number>({ count: most, full: "evict", now: () => Date.now() });
  return {
    use: ({ request, round, expires }) =>
      (used.get(request) ?? 0) < round && used.set(request, round, { lifeMs: expires - Date.now() }),
  };
}
