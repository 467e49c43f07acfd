import {
  type Asked,
  BoundedMap,
  type Clock,
  identityOf,
  invalid,
  isObject,
  lost,
  McpError,
  ofOtherRequest,
  type Params,
  refusedState,
  type RequestMessage,
  type Round,
  stateUsed,
  wallTimeOf,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { fromBase64Url, toBase64Url } from "../protocol/binary-content.js";

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
  /** Keys of those whose answers are passed on unchecked. */
  unjudged?: Set<string>;
  /** Identity of the previous state: the next state continues it. */
  readonly before?: Round;
  /** The state of the next round is complete: an effect of `context.once` that begins now would not be in it. */
  isSealed?: boolean;
}

/** A request that a round asked for. */
export interface AskedBefore {
  readonly method: string;
  /** The form, whose answer is judged before the handler runs again. */
  readonly requestedSchema?: unknown;
}

/** The part of a state that belongs to one request, in any process. */
interface Bound {
  /** Digest of the request. */
  readonly request: string;
}

/** The state of a handler that returned a result that asks. */
interface Returned extends Bound {
  readonly requestState: string;
}

/** What a handler needs to run again from its first line. */
interface Replay extends Bound {
  readonly answers: { readonly [key: string]: Params };
  readonly once: readonly { readonly key: string; readonly value?: unknown }[];
  /** The requests of the last round, by key. */
  readonly asked: { readonly [key: string]: AskedBefore };
}

/** The content of `requestState`, which is encrypted. */
export interface State {
  /** Binds the state to the previous rounds. */
  readonly chain: Round;
  readonly principal: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** Absent if the handler waits in the process that sealed the state, which has the request. */
  readonly replay?: Replay;
  readonly returned?: Returned;
}

/** The state of a handler that runs again. */
export type Replayed = State & Required<Pick<State, "replay">>;

/** A request whose state its client carries between the rounds. */
interface Carried {
  readonly request: RequestMessage;
  readonly connection: {
    /** Name of the client, or an empty string. */
    readonly principal: string;
    readonly definition: {
      readonly seal: StateSeal;
      /** Other processes have the keys of the seal, too. */
      readonly sharesState: boolean;
      /** Bytes of the longest state. */
      readonly stateLimit: number;
      /** Records the used states. */
      readonly states: StateStore | undefined;
      readonly clock: Clock;
    };
  };
}

/** Milliseconds that the client has to retry after a round, unless its handler waits. */
const stateLifetime = 600_000;

export function newRounds(): Rounds {
  return { answers: new Map(), once: new Map(), encoding: [], wanted: new Map() };
}

/** The answers of a request, by the keys of the asks; the keys of others are those that its client chose. */
export function answersIn({ params }: RequestMessage): Readonly<Record<string, unknown>> {
  const given = params?.["inputResponses"];
  return isObject(given) ? given : {};
}

/**
 * Reads the state of a retried request.
 *
 * @throws {McpError} `state-rejected`; `state-lost`: another process sealed it, or a handler's own state has expired
 */
export async function openState({ request, connection }: Carried): Promise<State> {
  const { seal, sharesState, stateLimit, clock } = connection.definition;
  const text = request.params!["requestState"] as string;
  // Checks the length before decoding: a state is ASCII.
  if (text.length > stateLimit) throw rejected(`it has more than ${stateLimit} bytes`);
  const state = (await seal.open(text)) as State | undefined;
  if (!state && !sharesState && seal.holderOf(text)) throw lost("not-here");
  if (!state) throw rejected("it was not issued by this server, or was changed");
  if (state.principal !== connection.principal) throw rejected("it was issued to another client");
  const bound = state.replay ?? state.returned;
  if (bound && bound.request !== (await digestOf(request))) throw ofOtherRequest();
  if (state.returned && state.expires <= wallTimeOf(clock)) throw lost("expired");
  return state;
}

/**
 * Restores the rounds of a handler that runs again, and marks their state as used.
 *
 * @param judge reads and checks an answer to a request of the last round
 * @throws {McpError} `state-lost`, `state-used`, and what `judge` throws: the state can then be used with a right answer
 */
export async function openRounds(
  state: Replayed,
  carried: Carried,
  judge: (key: string, asked: AskedBefore, answer: unknown) => Promise<Params>,
): Promise<Rounds> {
  const { chain, expires, replay } = state;
  if (expires <= wallTimeOf(carried.connection.definition.clock)) throw lost("expired");
  const given = answersIn(carried.request);
  const answers = new Map(Object.entries(replay.answers));
  for (const [key, asked] of Object.entries(replay.asked))
    if (Object.hasOwn(given, key)) answers.set(key, await judge(key, asked, given[key]));
  await markUsed(state, carried);
  const once = replay.once.map(({ key, value }) => [key, Promise.resolve(value)] as const);
  return { ...newRounds(), answers, once: new Map(once), before: chain };
}

/** Records that a state is used, so that no process uses it again. @throws {McpError} `state-used` */
export async function markUsed({ chain, expires }: State, { connection }: Carried): Promise<void> {
  const { states, clock } = connection.definition;
  const isFirst = await states?.use({ expires, now: wallTimeOf(clock), ...chain });
  if (isFirst === false) throw stateUsed();
}

/**
 * Makes the `requestState` of the next round of a handler that runs again.
 *
 * @throws {McpError} `state-rejected` if it is too large
 */
export async function sealRounds(rounds: Rounds, carried: Carried): Promise<string> {
  const once: { key: string; value: unknown }[] = [];
  for (const [key, running] of rounds.once)
    await running.then(
      (value) => once.push({ key, value }),
      // One that fails runs again.
      () => undefined,
    );
  rounds.isSealed = true;
  const { request = crypto.randomUUID(), round = 0 } = rounds.before ?? {};
  const asked = [...rounds.wanted].map(([key, { method, params }]) => {
    const requestedSchema = rounds.unjudged?.has(key) ? undefined : params?.["requestedSchema"];
    return [key, requestedSchema === undefined ? { method } : { method, requestedSchema }] as const;
  });
  const replay = {
    request: await digestOf(carried.request),
    answers: Object.fromEntries(rounds.answers),
    once,
    asked: Object.fromEntries(asked),
  };
  return sealState({ request, round: round + 1 }, stateLifetime, carried, { replay });
}

/**
 * Seals the `requestState` of a result that asks, as its handler returned it.
 *
 * @throws {McpError} `state-rejected` if it is too large
 */
export async function sealReturned(requestState: string, carried: Carried): Promise<string> {
  const returned = { request: await digestOf(carried.request), requestState };
  const chain = { request: crypto.randomUUID(), round: 1 };
  return sealState(chain, stateLifetime, carried, { returned });
}

/**
 * Makes a `requestState`.
 *
 * @param lifetime milliseconds
 * @throws {McpError} `state-rejected` if it is too large
 */
export async function sealState(
  chain: State["chain"],
  lifetime: number,
  { connection }: Carried,
  held?: Pick<State, "replay" | "returned">,
): Promise<string> {
  const { seal, stateLimit, clock } = connection.definition;
  const state: State = {
    chain,
    principal: connection.principal,
    expires: wallTimeOf(clock) + lifetime,
    ...held,
  };
  const text = await seal.close(state);
  if (text.length > stateLimit)
    throw new McpError(
      "state-rejected",
      `requestState has ${text.length} bytes; the limit is ${stateLimit} (state.limit). Raise it, or store large values elsewhere`,
      { rpcCode: rpc.internalError },
    );
  return text;
}

function rejected(why: string): McpError {
  return refusedState("state-rejected", why);
}

async function digestOf(request: RequestMessage): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(identityOf(request)));
  return toBase64Url(new Uint8Array(digest));
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
  /**
   * Called once, when a state that another process may get is encrypted with the random key of this one: unless its handler
   * waits, and in a cluster each. Transports of several processes set it.
   */
  onRandomKey: (() => void) | undefined;
  /** Name of this instance; a cluster gives it another one. Absent before its first state: workers load without random values. */
  instance: string | undefined;
  /** Begins with the name of this instance: another one without the key can then tell the state from a forged one. */
  close(value: State): Promise<string>;
  /** The value, or `undefined` if no process with the key encrypted it. */
  open(text: string): Promise<unknown>;
  /** The other instance that a text names. */
  holderOf(text: string): string | undefined;
}

/** The type `CryptoKey`, without the types of a platform. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A text that begins with the name of an instance. */
const named = /^([\w-]{8})\./;
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
  let random: string | undefined;
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
    instance: undefined,
    async close(value) {
      const name = `${(this.instance ??= random = toBase64Url(crypto.getRandomValues(new Uint8Array(6))))}.`;
      if (!isReported && this.onRandomKey && (value.replay || value.returned || this.instance !== random)) {
        isReported = true;
        this.onRandomKey();
      }
      const [key] = await loaded();
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const text = new TextEncoder().encode(JSON.stringify(value));
      const sealed = new Uint8Array(await crypto.subtle.encrypt(cipherOf(iv, name), key!, text));
      const bytes = new Uint8Array(ivLength + sealed.length);
      bytes.set(iv);
      bytes.set(sealed, ivLength);
      return name + toBase64Url(bytes);
    },
    holderOf(text) {
      const name = named.exec(text)?.[1];
      return name === this.instance ? undefined : name;
    },
    async open(text) {
      const start = text.indexOf(".") + 1;
      const bytes = fromBase64Url(text.slice(start));
      if (!bytes || bytes.length < ivLength + tagLength) return undefined;
      const cipher = cipherOf(bytes.subarray(0, ivLength), text.slice(0, start));
      for (const key of await loaded()) {
        const plain = await crypto.subtle
          .decrypt(cipher, key, bytes.subarray(ivLength))
          .catch(() => undefined);
        if (plain) return JSON.parse(new TextDecoder().decode(plain)) as unknown;
      }
      return undefined;
    },
  };
}

/** @param name of the instance: a changed one is refused like changed content */
function cipherOf(iv: Uint8Array<ArrayBuffer>, name: string) {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(name) };
}

async function keyOf(secret: Uint8Array<ArrayBuffer>): Promise<Key> {
  const digest = await crypto.subtle.digest("SHA-256", secret);
  return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** The `requestState` of a retried request, for the store: the round that ended with it. */
export interface UsedState extends Round {
  /** Milliseconds since 1970. After this time, the server rejects the state without the store. */
  readonly expires: number;
  /** The present by the clock of the server, in the same unit. */
  readonly now: number;
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
  let time = 0;
  const used = new BoundedMap<string, number>({ count: most, full: "evict", now: () => time });
  return {
    use({ request, round, expires, now }) {
      time = now;
      return (used.get(request) ?? 0) < round && used.set(request, round, { lifeMs: expires - now });
    },
  };
}
