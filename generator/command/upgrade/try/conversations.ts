// A separate program. It reads a plan from standard input, runs its sessions on the runtime, and prints the
// results. It runs only the runtime and the modules of the plan, which mcpgen has just generated.
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";
import type {
  Call,
  Conversation,
  Lost,
  RehearsalPlan,
  RevisionWords,
  SampledAsk,
  SampledRequest,
  SubscribedChange,
} from "./plan.js";

type Members = Readonly<Record<string, unknown>>;

/** The option `onEvent`, as far as losses go. It returns true: nothing is written to standard error. */
type EventListener = (event: { readonly type: string } & Lost) => true;
type Side = "client" | "server";

/** The parts of the runtime that the sessions need. */
interface Runtime {
  createServer(info: object, options: object): RuntimeServer;
  connect(channel: unknown, options: object): Promise<RuntimeClient>;
  memoryChannels(): [unknown, { close(): Promise<void> }];
}

interface RuntimeServer {
  connect(channel: unknown): unknown;
  handle(method: string, handler: (params: Members, context: Context) => unknown): void;
  notify(method: string, params: Members): void;
}

interface Context {
  readonly notify: (method: string, params?: unknown) => void;
  readonly ask: { all(requests: object): Promise<unknown> };
}

interface RuntimeClient {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
  subscribe(wanted: Members): Promise<RuntimeSubscription>;
  close(): Promise<void>;
}

interface RuntimeSubscription extends AsyncIterable<{ readonly method: string }> {
  close(): Promise<void>;
}

interface Testing {
  readonly Recording: new () => {
    of(channel: unknown, side: Side): unknown;
    readonly session: Iterable<unknown>;
  };
  checkSends(session: Iterable<unknown>, tables: object): { from: Side; method: string; message: string }[];
}

interface Tables {
  readonly server: readonly { readonly id: string }[];
  readonly client: readonly { readonly id: string }[];
}

/** Time limit of a call in milliseconds. Both sides are in this process, so a longer call never ends. */
const longestCall = 5_000;

/**
 * The plan may lack only the module `listed`, which is then empty: a protocol without a released revision has
 * no vocabulary.
 */
const loader = `
const scheme = "mcpgen-rehearsal:///";
let modules;
export function initialize(data) { modules = data; }
export function resolve(specifier, context, next) {
  const own = /^@mcpgen\\/protocol(?:\\/(.*))?$/.exec(specifier);
  if (own) return { url: scheme + (own[1] ?? "index"), shortCircuit: true };
  if (!context.parentURL?.startsWith(scheme)) return next(specifier, context);
  return { url: new URL(specifier, context.parentURL).href.replace(/\\.[jt]s$/, ""), shortCircuit: true };
}
export function load(url, context, next) {
  if (!url.startsWith(scheme)) return next(url, context);
  const path = url.slice(scheme.length);
  const source = modules[path] ?? (path === "listed" ? "export const listedMembers = {};" : undefined);
  if (source === undefined) throw new Error("no module " + path);
  return { format: "module", source, shortCircuit: true };
}
`;

/** Runs the sessions one after another. */
class Rehearsal {
  readonly #plan: RehearsalPlan;
  readonly #runtime: Runtime;
  readonly #testing: Testing;
  readonly #tables: Tables;

  constructor(plan: RehearsalPlan, runtime: Runtime, testing: Testing, tables: Tables) {
    this.#plan = plan;
    this.#runtime = runtime;
    this.#testing = testing;
    this.#tables = tables;
  }

  async run(): Promise<Conversation[]> {
    const conversations: Conversation[] = [];
    const { revisions, vocabulary } = this.#plan;
    const pinned = revisions.find(({ id }) => id === vocabulary);
    if (!pinned) return [];
    for (const words of revisions) {
      conversations.push(await this.#converse(words, words, words, "both"));
      conversations.push(await this.#converse(words, pinned, words, "server"));
      conversations.push(await this.#converse(words, words, pinned, "client"));
    }
    return conversations;
  }

  /**
   * @param wire the revision of the messages
   * @param served the revision whose types the server uses
   * @param asked the revision whose types the client uses
   */
  async #converse(
    wire: RevisionWords,
    served: RevisionWords,
    asked: RevisionWords,
    pinned: Conversation["pinned"],
  ): Promise<Conversation> {
    const calls: Call[] = [];
    const losses: Lost[] = [];
    const onEvent: EventListener = ({ type, method, pointer, how }) => {
      if (type === "loss") losses.push({ method, pointer, how });
      return true;
    };
    const recording = new this.#testing.Recording();
    const [near, far] = this.#runtime.memoryChannels();
    const stage: Stage = { answer: undefined, ask: undefined, tell: undefined, ran: false };
    let client: RuntimeClient | undefined;
    try {
      const server = this.#server(wire, served, stage, onEvent);
      server.connect(far);
      client = await this.#client(wire, asked, recording.of(near, "client"), onEvent);
      for (const [call, params, scene] of scenes(wire, served, asked))
        calls.push(await outcome(call, stage, scene, () => client!.request(scene.method, params)));
      calls.push(...(await announced(server, client, changesOf(wire, served, asked))));
      for (const { method, params } of asked.notifications.client)
        for (const one of params) await client.notify(method, one).catch(() => {});
    } catch (error) {
      calls.push({ name: "connect", refused: textOf(error) });
    }
    await client?.close().catch(() => {});
    await far.close();
    const tables = await this.#sends(wire.id);
    const issues = this.#testing.checkSends(recording.session, tables);
    return {
      revision: wire.id,
      pinned,
      calls,
      losses,
      invalid: issues.map(({ from, method, message }) => `${method} of the ${from}: ${message}`),
    };
  }

  #server(wire: RevisionWords, words: RevisionWords, stage: Stage, onEvent: EventListener): RuntimeServer {
    const server = this.#runtime.createServer(
      { name: "rehearsal", version: "0.0.0" },
      {
        ...this.#tablesOf("server", wire, words),
        ...unchecked,
        capabilities: words.capabilities,
        onEvent,
      },
    );
    for (const { method } of words.requests)
      attempt(() =>
        server.handle(method, async (_, { ask, notify }) => {
          stage.ran = true;
          if (stage.tell) notify(stage.tell.method, stage.tell.params[0]);
          if (stage.ask) {
            const { method: asked, params } = stage.ask;
            await ask.all({
              question: { method: asked, ...(params[0] !== undefined && { params: params[0] }) },
            });
          }
          return stage.answer;
        }),
      );
    return server;
  }

  #client(
    wire: RevisionWords,
    words: RevisionWords,
    channel: unknown,
    onEvent: EventListener,
  ): Promise<RuntimeClient> {
    return this.#runtime.connect(channel, {
      ...this.#tablesOf("client", wire, words),
      ...unchecked,
      revision: wire.id,
      onEvent,
      timeouts: { timeout: longestCall, totalTimeout: longestCall, connect: longestCall },
      elicit: { form: () => ({ action: "decline" }), url: () => ({ action: "decline" }) },
      sample: {
        answer: () => ({ role: "assistant", model: "none", content: { type: "text", text: "nothing" } }),
        tools: true,
      },
      roots: [{ uri: "file:///rehearsal", name: "rehearsal" }],
    });
  }

  /**
   * The generated tables of an application: all revisions if it uses the vocabulary, else only its own
   * revision.
   */
  #tablesOf(side: Side, wire: RevisionWords, words: RevisionWords): object {
    const isPinned = words.id === this.#plan.vocabulary;
    const revisions = this.#tables[side].filter(({ id }) => isPinned || id === wire.id);
    // An application of a revision newer than the vocabulary must name its own revision as vocabulary.
    const isAbove = !isPinned && words.id > this.#plan.vocabulary;
    return { revisions: isAbove ? { known: revisions, vocabulary: words.id } : revisions };
  }

  async #sends(id: string): Promise<object> {
    const tables = (await import(`@mcpgen/protocol/${id}/methods`)) as Members;
    return { client: tables["clientSends"], server: tables["serverSends"] };
  }
}

/** What the server's handler does for the next call. */
interface Stage {
  answer: unknown;
  ask: SampledAsk | undefined;
  tell: SampledAsk | undefined;
  ran: boolean;
}

/** The server's part in one call. */
interface Scene {
  readonly method: string;
  readonly answer: unknown;
  readonly ask?: SampledAsk;
  readonly tell?: SampledAsk;
}

/** All calls of a session: methods that the wire revision has and that both sides can write. */
function* scenes(
  wire: RevisionWords,
  served: RevisionWords,
  asked: RevisionWords,
): Generator<readonly [name: string, params: unknown, scene: Scene]> {
  for (const { method } of wire.requests) {
    const [given, answered] = [asked, served].map(({ requests }) =>
      requests.find((each) => each.method === method),
    ) as [SampledRequest | undefined, SampledRequest | undefined];
    if (!given || !answered) continue;
    const count = Math.max(given.params.length, answered.results.length);
    for (let index = 0; index < count; index++) {
      const params = given.params[index % given.params.length];
      const answer = answered.results[index % answered.results.length];
      yield [`${method} ${index + 1}`, params, { method, answer }];
    }
  }
  const carrier = wire.requests.find(({ asks, method }) => {
    const both = [served, asked].every(({ requests }) => requests.some((each) => each.method === method));
    return asks && both;
  });
  if (!carrier) return;
  const { method } = carrier;
  const [params] = asked.requests.find((each) => each.method === method)!.params;
  const [answer] = served.requests.find((each) => each.method === method)!.results;
  for (const ask of served.asks)
    if (wire.asks.some((each) => each.method === ask.method))
      for (const [index, one] of ask.params.entries())
        yield [`${ask.method} ${index + 1}`, params, { method, answer, ask: { ...ask, params: [one] } }];
  for (const tell of served.notifications.server)
    for (const [index, one] of tell.params.entries())
      yield [`${tell.method} ${index + 1}`, params, { method, answer, tell: { ...tell, params: [one] } }];
}

/** The notifications of subscriptions that the wire revision has and both sides know. */
function changesOf(
  { changes }: RevisionWords,
  ...sides: readonly RevisionWords[]
): readonly SubscribedChange[] {
  return changes.filter(({ method }) =>
    sides.every((side) => side.changes.some((change) => change.method === method)),
  );
}

/** Time limit in milliseconds for the notifications of a subscription. */
const longestNotice = 1_000;

/**
 * Subscribes to everything and triggers one change of each kind. A change counts as served if the client
 * receives it.
 */
async function announced(
  server: RuntimeServer,
  client: RuntimeClient,
  changes: readonly SubscribedChange[],
): Promise<Call[]> {
  if (changes.length === 0) return [];
  const uri = "rehearsal:///changed";
  const missing = new Set(changes.map(({ method }) => method));
  let why = "no notice came";
  try {
    const wanted = { tools: true, prompts: true, resources: true, uris: [uri] };
    const subscription = await client.subscribe(wanted);
    const heard = (async () => {
      for await (const { method } of subscription) if (missing.delete(method) && missing.size === 0) return;
    })();
    for (const { method, key } of changes) server.notify(method, key === undefined ? {} : { [key]: uri });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, longestNotice)));
    await Promise.race([heard, late]);
    clearTimeout(timer);
    await subscription.close();
    await heard;
  } catch (error) {
    why = textOf(error);
  }
  return changes.map(({ method }) =>
    missing.has(method) ? { name: method, refused: why } : { name: method },
  );
}

async function outcome(
  name: string,
  stage: Stage,
  scene: Scene,
  call: () => Promise<unknown>,
): Promise<Call> {
  const { answer, ask, tell } = scene;
  Object.assign(stage, { answer, ask, tell, ran: false });
  try {
    await call();
    return stage.ran ? { name } : { name, refused: "no handler ran" };
  } catch (error) {
    return { name, refused: textOf(error) };
  }
}

function textOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  return [code, message].filter(Boolean).join(": ");
}

/** Registers a handler; ignores a method that the server's tables lack. */
function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // The client gets "method not found".
  }
}

/** Messages are sent unchecked, as in production, so that the recording shows invalid ones. */
const unchecked = { validation: { send: "off" } };

async function main(): Promise<void> {
  const chunks: string[] = [];
  for await (const chunk of process.stdin.setEncoding("utf8")) chunks.push(chunk as string);
  const plan = JSON.parse(chunks.join("")) as RehearsalPlan;
  register(`data:text/javascript,${encodeURIComponent(loader)}`, { data: plan.modules });
  const load = (name: string): Promise<unknown> =>
    import(pathToFileURL(createRequire(plan.from).resolve(name)).href);
  const runtime = (await load("@mcpgen/runtime")) as Omit<Runtime, "memoryChannels">;
  const testing = (await load("@mcpgen/testing")) as Testing & Pick<Runtime, "memoryChannels">;
  const [server, client] = ["server", "client"].map(async (side) => import(`@mcpgen/protocol/${side}`));
  const tables: Tables = {
    server: ((await server) as { serverRevisions: Tables["server"] }).serverRevisions,
    client: ((await client) as { clientRevisions: Tables["client"] }).clientRevisions,
  };
  const whole = { ...runtime, memoryChannels: testing.memoryChannels };
  const conversations = await new Rehearsal(plan, whole, testing, tables).run();
  process.stdout.write(JSON.stringify(conversations));
}

await main();
