// 200 clients above their rates over sockets, beside token buckets that count every answer.
import { expect, test } from "vitest";
import { type Random, randomFrom } from "../../../generator/sample/values.js";
import { builtProgram } from "../../support/built-program.js";
import { cases, seed } from "../../support/cases.mjs";
import { type Answer, FiredProcess, type Headers, Sender, sendApart } from "./fired-process.js";

const program = builtProgram("test/runtime/http/programs/fired.ts");

const principals = Array.from({ length: 50 }, (_, index) => `p${index}`);
const rounds = cases(25, 3);
const minute = 60_000;

/** Of one session or, without sessions, of one principal. */
const bySession = 20;
/** Of one principal, which has four clients. */
const byPrincipal = 50;
/** Sampling requests of one session or principal. */
const sampling = 4;

const legacy = "2025-11-25";
const modern = "2026-07-28";
const sampled = { role: "assistant", content: { type: "text", text: "!" }, model: "m" };

/** A bucket of whole numbers: a request takes 60,000 units, a millisecond adds as many as the rate. */
class Bucket {
  private readonly rate: number;
  private units: number;
  private at = 0;

  constructor(rate: number) {
    this.rate = rate;
    this.units = rate * minute;
  }

  /** Takes a request. Returns the milliseconds until there is room, if there is none. */
  take(now: number): number | undefined {
    this.units = Math.min(this.rate * minute, this.units + (now - this.at) * this.rate);
    this.at = now;
    if (this.units < minute) return Math.ceil((minute - this.units) / this.rate);
    this.units -= minute;
    return undefined;
  }
}

/** Why a request is refused. */
interface Refusal {
  readonly limit: "calls" | "sampling";
  readonly rate: number;
  readonly retryAfterMs: number;
}

/** One client, and the buckets that count its requests. */
interface Client {
  readonly principal: string;
  readonly session: string | undefined;
  readonly calls: Bucket;
  readonly ofPrincipal: Bucket;
  readonly sampling: Bucket;
}

/** An event without the number of calls that wait: principals call at the same time. */
const line = (event: object): string => {
  const { parked: _, ...rest } = event as Readonly<Record<string, unknown>>;
  return JSON.stringify(rest, Object.keys(rest).toSorted());
};

class Load {
  now = 0;
  private lastId = 0;
  private readonly sender = new Sender();
  private readonly process: FiredProcess;
  private readonly url: string;
  readonly events: string[] = [];
  readonly limits: { [limit: string]: number } = {};
  readonly counts = { connections: 0, results: 0, errors: 0, requests: 0, limited: 0, strangers: 0 };

  constructor(process: FiredProcess, url: string) {
    this.process = process;
    this.url = url;
  }

  headers(
    { principal, session }: Pick<Client, "principal" | "session">,
    isModern: boolean,
    name?: string,
  ): Headers {
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: principal,
      "mcp-protocol-version": isModern ? modern : legacy,
      ...(isModern ? { "mcp-method": "tools/call", "mcp-name": name! } : {}),
      ...(session === undefined ? {} : { "mcp-session-id": session }),
    };
  }

  message(method: string, params: object): { readonly id: number } {
    return { jsonrpc: "2.0", id: ++this.lastId, method, params } as { id: number };
  }

  send(headers: Headers, message: object): Promise<Answer> {
    this.counts.requests++;
    return this.sender.send(this.url, "POST", headers, message);
  }

  async open(principal: string): Promise<string> {
    const params = {
      protocolVersion: legacy,
      capabilities: { sampling: {} },
      clientInfo: { name: "x", version: "1" },
    };
    const client = { principal, session: undefined };
    const { status, headers } = await this.send(
      this.headers(client, false),
      this.message("initialize", params),
    );
    expect(status).toBe(200);
    this.counts.connections++;
    this.counts.results++;
    const session = headers["mcp-session-id"] as string;
    const ready = { jsonrpc: "2.0", method: "notifications/initialized" };
    expect((await this.send(this.headers({ principal, session }, false), ready)).status).toBe(202);
    this.events.push(line({ type: "session-created", restored: false, principal, sessionId: session }));
    return session;
  }

  /** Why the next call of a client is refused, if it is. */
  private refusalOf({ calls, ofPrincipal }: Client): Refusal | undefined {
    const own = calls.take(this.now);
    if (own !== undefined) return { limit: "calls", rate: bySession, retryAfterMs: own };
    const shared = ofPrincipal.take(this.now);
    return shared === undefined ? undefined : { limit: "calls", rate: byPrincipal, retryAfterMs: shared };
  }

  params(client: Client, name: string, more: object = {}): object {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": modern,
      "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
    };
    return { name, ...more, ...(client.session === undefined ? { _meta } : {}) };
  }

  /** Counts a refused request, and expects its event. @param place of the event */
  private refused({ principal, session }: Client, { limit }: Refusal, place: object): void {
    this.counts.limited++;
    this.counts.errors++;
    const name = `rateLimit.${limit}`;
    this.limits[name] = (this.limits[name] ?? 0) + 1;
    const event = { type: "limit-hit", limit: name, ...place, principal };
    this.events.push(line({ ...event, ...(session === undefined ? {} : { sessionId: session }) }));
  }

  /** Sends some calls at once, and compares all answers. */
  async burst(client: Client, count: number): Promise<void> {
    const isModern = client.session === undefined;
    const expected = Array.from({ length: count }, () => this.refusalOf(client));
    const answers = await Promise.all(
      expected.map(() =>
        this.send(this.headers(client, isModern, "t"), this.message("tools/call", this.params(client, "t"))),
      ),
    );
    this.counts.connections += isModern ? count : 0;
    for (const refusal of expected)
      if (refusal) this.refused(client, refusal, { method: "tools/call", name: "t" });
      else this.counts.results++;
    expect(answers.map(summaryOf).toSorted()).toEqual(expected.map(expectedOf).toSorted());
  }

  /** Asks the client's model once, and compares the answer. */
  async sample(client: Client): Promise<void> {
    const refusal = this.refusalOf(client);
    const isModern = client.session === undefined;
    const headers = this.headers(client, isModern, "sample");
    const message = this.message("tools/call", this.params(client, "sample"));
    this.counts.connections += isModern ? 1 : 0;
    if (refusal) {
      this.refused(client, refusal, { method: "tools/call", name: "sample" });
      return expect(summaryOf(await this.send(headers, message))).toEqual(expectedOf(refusal));
    }
    const wait = client.sampling.take(this.now);
    if (wait !== undefined) {
      const limited = { limit: "sampling", rate: sampling, retryAfterMs: wait } as const;
      this.refused(client, limited, { method: "sampling/createMessage" });
      return expect(summaryOf(await this.send(headers, message))).toEqual(expectedOf(limited));
    }
    await (isModern
      ? this.sampleInRounds(client, headers, message)
      : this.sampleOnStream(client, headers, message));
  }

  /** The server asks on the stream of the call. */
  private async sampleOnStream(client: Client, headers: Headers, message: object): Promise<void> {
    this.counts.requests += 1;
    const sent = sendApart(this.url, "POST", headers, message);
    const asked = await sent.until(
      (text) => /"id":([^,]+),"method":"sampling\/createMessage"/.exec(text)?.[1],
    );
    const response = { jsonrpc: "2.0", id: JSON.parse(asked) as unknown, result: sampled };
    expect((await this.send(this.headers(client, false), response)).status).toBe(202);
    const { text } = await sent.answer;
    expect(text).toContain('"content":[{"type":"text","text":"m"}]');
    this.counts.results++;
  }

  /** The client sends the answer in another request; that one is no call, and takes nothing from the rate. */
  private async sampleInRounds(client: Client, headers: Headers, message: object): Promise<void> {
    const first = JSON.parse((await this.send(headers, message)).text) as {
      result: { requestState: string };
    };
    this.counts.results++;
    const { requestState } = first.result;
    const again = this.params(client, "sample", { requestState, inputResponses: { k: sampled } });
    const { principal } = client;
    this.events.push(
      line({ type: "call-parked", method: "tools/call", name: "sample", round: 1, principal }),
    );
    const answer = await this.send(headers, this.message("tools/call", again));
    this.counts.connections++;
    expect(answer.text).toContain('"content":[{"type":"text","text":"m"}]');
    this.counts.results++;
  }

  /** Requests of strangers take nothing from a client's rate. */
  async strangers(client: Client): Promise<void> {
    const isModern = client.session === undefined;
    const headers = this.headers(client, isModern, "t");
    const message = this.message("tools/call", this.params(client, "t"));
    const { authorization: _, ...unauthenticated } = headers;
    const refused = [
      [
        { ...headers, host: "evil.example" },
        "host",
        403,
        'the host "evil.example" is not served here; name it in allowedHosts',
      ],
      [
        { ...headers, origin: "https://evil.example" },
        "origin",
        403,
        'pages of "https://evil.example" may not call this server; name it in allowedOrigins',
      ],
      [unauthenticated, "credentials", 401, "who?"],
    ] as const;
    for (const [given, reason, status, text] of refused) {
      expect((await this.send(given, message)).status).toBe(status);
      this.events.push(line({ type: "request-refused", reason, status, message: text }));
    }
    this.counts.strangers++;
  }

  async advance(ms: number): Promise<void> {
    this.now += ms;
    await this.process.order("advance", ms);
  }
}

/** Status, headers and error of an answer, to be compared. */
function summaryOf({ status, headers, text }: Answer): string {
  if (status === 200) return JSON.stringify([status, JSON.parse(text).result.content]);
  const { error } = JSON.parse(text) as { error: { code: number; data: object } };
  return JSON.stringify([status, headers["retry-after"], headers["content-type"], error.code, error.data]);
}

function expectedOf(refusal: Refusal | undefined): string {
  if (!refusal) return JSON.stringify([200, [{ type: "text", text: "done" }]]);
  const seconds = String(Math.ceil(refusal.retryAfterMs / 1000));
  return JSON.stringify([429, seconds, "application/json", -31429, refusal]);
}

test("200 clients above their rates are refused in accordance with token buckets, and counted", async () => {
  const { process: child, urls } = await FiredProcess.start(program, {
    endpoints: 1,
    http: { limits: { work: 100_000 } },
    rates: [{ calls: bySession }, { calls: byPrincipal, per: "principal" }, { sampling }],
  });
  const load = new Load(child, urls[0]!);
  const random: Random = randomFrom(`${seed}: rates`);
  const groups = await Promise.all(
    principals.map(async (principal) => {
      const ofPrincipal = new Bucket(byPrincipal);
      const clients: Client[] = [];
      for (let count = 0; count < 2; count++)
        clients.push({
          principal,
          session: await load.open(principal),
          calls: new Bucket(bySession),
          ofPrincipal,
          sampling: new Bucket(sampling),
        });
      // Without sessions, both clients share the rates of their principal.
      const shared = {
        principal,
        session: undefined,
        calls: new Bucket(bySession),
        ofPrincipal,
        sampling: new Bucket(sampling),
      };
      return [...clients, shared, shared];
    }),
  );
  const heaps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      groups.map(async (clients) => {
        for (const client of clients) {
          await load.burst(client, 1 + random.below(bySession));
          if (random.chance(0.5)) await load.sample(client);
          if (random.chance(0.2)) await load.strangers(client);
          if (random.chance(0.3)) await load.burst(client, 1 + random.below(5));
        }
      }),
    );
    const [reading] = await child.order("read");
    expect(reading!.events.map(line).toSorted()).toEqual(load.events.splice(0).toSorted());
    const { connections, results, errors, requests, limited, strangers } = load.counts;
    const counters = { connections, results, errors, cancelled: 0, aborted: 0, limits: load.limits };
    expect(reading!.server).toEqual({
      gauges: { connections: 100, sessions: 100, requests: 0, parked: 0 },
      counters,
    });
    expect(reading!.http!.counters).toMatchObject({
      requests,
      refused: { 429: limited, 403: 2 * strangers, 401: strangers },
      limits: {},
    });
    await load.advance(random.pick([0, 1, 999, 1500, 20_000, 61_000]));
    if (round % 2 === 0) heaps.push(await child.order("heap"));
  }
  // 20 bytes for each request of the long run would be more. The first rounds load and compile code.
  expect(heaps.at(-1)! - heaps[heaps.length > 5 ? 2 : 0]!).toBeLessThan(1_048_576);
  expect(load.counts.limited).toBeGreaterThan(rounds * 200);
  expect(await child.order("close")).toEqual({ timers: 0, handles: [], connections: 0 });
});
