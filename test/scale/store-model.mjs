// Random operations on a store that processes share, compared with the store in memory. While connections are cut, an operation
// may fail, and then has happened or not; one that succeeds has happened once.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { MemoryClusterStore } from "@mcpgen/cluster";
import { until } from "../support/until.mjs";

const longTtlMs = 3_600_000;
export class StoreModel {
  /** How often what was done. */
  counts = {};
  #stores;
  #random;
  #cut;
  #model = new MemoryClusterStore();
  #connections;
  /** Stores whose next commands, so many, may meet a cut connection. */
  #doubtful = new Map();
  /** Each command may meet a cut until all connections are cut, however many succeed before. */
  #isCutting = false;
  /** Events of each session, oldest first: their ids in the model and in the store. */
  #events = new Map();
  #subscriptions = [];
  #made = 0;

  /**
   * @param stores two over the same data, each by its connections
   * @param random numbers from 0 to 1
   * @param cut cuts all connections of the stores; without it there are no faults
   * @param connections of each store for commands
   */
  constructor(stores, random, cut, connections = 1) {
    this.#connections = connections;
    this.#stores = stores;
    this.#random = random;
    this.#cut = cut;
  }

  /** Does one operation, and compares its result. */
  async step() {
    const operation = this.#draw(operations);
    const isCut = this.#cut !== undefined && this.#random() < 0.02;
    const name = isCut ? `${operation}, cut` : operation;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    try {
      // The cut comes before the operation or in the middle of it.
      if (isCut && this.#random() < 0.5) await this.#cutAll();
      else if (isCut) return await this.#cutDuring(() => this[operation]());
      await this[operation]();
    } catch (error) {
      error.message = `${name}: ${error.message}`;
      throw error;
    }
  }

  /** Ends all subscriptions, and looks at everything once more. */
  async end() {
    for (const session of sessions)
      for (const event of this.#events.get(session) ?? []) await this.#compareAfter(session, event);
    for (const key of keys) await this.#compareValue(key);
    for (const subscription of this.#subscriptions.splice(0)) await this.#settled(subscription.stop);
  }

  async #cutDuring(work) {
    this.#doubt();
    const working = work();
    working.catch(() => {});
    await this.#cutAll();
    await working;
  }

  /** Cuts all connections. @returns when the subscriptions are there again */
  async #cutAll() {
    this.#doubt();
    const open = this.#subscriptions.filter(({ isOpen }) => isOpen);
    const before = open.map(({ losses }) => losses);
    this.#isCutting = true;
    await this.#cut().finally(() => (this.#isCutting = false));
    for (const [index, each] of open.entries())
      await until("a report of lost messages", () => each.losses > before[index] || !each.isOpen, 1);
  }

  #doubt() {
    for (const store of this.#stores) this.#doubtful.set(store, this.#connections);
  }

  #draw(list) {
    return list[Math.floor(this.#random() * list.length)];
  }

  /** Makes a call by one of the stores. @returns `value` or `error`, and whether a cut may have met the call */
  async #try(call, store = this.#draw(this.#stores)) {
    const was = this.#doubtful.has(store);
    try {
      const value = await call(store);
      const isDoubtful = was || this.#doubtful.has(store);
      if (this.#isCutting) return { value, isDoubtful };
      if (this.#doubtful.get(store) > 1) this.#doubtful.set(store, this.#doubtful.get(store) - 1);
      else this.#doubtful.delete(store);
      return { value, isDoubtful };
    } catch (error) {
      assert.equal(error.code, "store-failed", error.stack);
      assert.ok(was || this.#doubtful.has(store), `failed without a cut: ${error.message}`);
      return { error, isDoubtful: true };
    }
  }

  /** Calls until it succeeds: for functions that change nothing, or are idempotent. */
  async #settled(call, store) {
    const { value } = await until("the store is back", async () => {
      const outcome = await this.#try(call, store);
      if (!outcome.error) return outcome;
      this.#doubt();
      return undefined;
    });
    return value;
  }

  async #compareValue(key) {
    const found = await this.#settled((store) => store.get(key));
    assert.equal(found, await this.#model.get(key), `the value of ${key}`);
  }

  /** Takes over the value of a key, which a call in doubt may have changed. */
  async #adopt(key, ...possible) {
    const found = await this.#settled((store) => store.get(key));
    assert.ok(possible.includes(found), `${key} is ${found}, not one of ${possible}`);
    if (found === undefined) await this.#model.take(key);
    else await this.#model.put(key, found, longTtlMs);
  }

  #text = () => JSON.stringify(`${++this.#made} é😀`);

  async put() {
    const [key, value] = [this.#draw(keys), this.#text()];
    const before = await this.#model.get(key);
    const { error } = await this.#try((store) => store.put(key, value, longTtlMs));
    if (error) await this.#adopt(key, before, value);
    else await this.#model.put(key, value, longTtlMs);
  }

  get = () => this.#compareValue(this.#draw(keys));

  async take() {
    const key = this.#draw(keys);
    const before = await this.#model.get(key);
    const { value, error, isDoubtful } = await this.#try((store) => store.take(key));
    // A driver repeats a command whose reply was lost, and then the value is already removed.
    if (!error) assert.ok(value === before || (isDoubtful && value === undefined), `${value} for ${before}`);
    if (isDoubtful) await this.#adopt(key, undefined, error ? before : undefined);
    else await this.#model.take(key);
  }

  async claim() {
    const [key, value] = [this.#draw(keys), this.#text()];
    const before = await this.#model.get(key);
    const {
      value: isMine,
      error,
      isDoubtful,
    } = await this.#try((store) => store.claim(key, value, longTtlMs));
    if (!isDoubtful) assert.equal(isMine, before === undefined);
    if (isMine) assert.equal(before, undefined, "claimed twice");
    if (isDoubtful && !isMine)
      await this.#adopt(key, ...(before === undefined ? [undefined, value] : [before]));
    else await this.#model.claim(key, value, longTtlMs);
    assert.ok(error || !isMine || (await this.#model.get(key)) === value);
  }

  /** Expired values are removed. */
  async expire() {
    const [key, value] = [this.#draw(keys), this.#text()];
    await this.#settled((store) => store.put(key, value, 1));
    await this.#model.take(key);
    await sleep(20);
    await this.#compareValue(key);
  }

  async heartbeat() {
    const node = this.#draw(nodes);
    const isLong = this.#random() < 0.7;
    await this.#settled((store) => store.heartbeat(node, isLong ? longTtlMs : 1));
    await this.#model.heartbeat(node, isLong ? longTtlMs : 1);
    if (!isLong) await sleep(20);
    for (const each of nodes)
      assert.equal(await this.#settled((store) => store.alive(each)), await this.#model.alive(each), each);
  }

  append = () => this.#append([this.#data()]);

  /** Events of one process keep the order of the calls. */
  burst = () => this.#append(Array.from({ length: 2 + Math.floor(this.#random() * 6) }, () => this.#data()));

  #data() {
    const kind = this.#random();
    if (kind < 0.1) return "";
    return kind < 0.13 ? JSON.stringify(`${++this.#made}`.padEnd(300_000, "é")) : this.#text();
  }

  async #append(data) {
    const [session, stream, store] = [this.#draw(sessions), this.#draw(streams), this.#draw(this.#stores)];
    const follow = this.#random() < 0.5 ? `events:{${session}}` : undefined;
    const results = await Promise.all(
      data.map((each) =>
        this.#try((used) => used.log.append(session, stream, each, longTtlMs, follow), store),
      ),
    );
    // It is not known which of them the log has.
    if (results.some(({ error }) => error)) return this.#drop(session);
    const known = this.#events.get(session) ?? [];
    this.#events.set(session, known);
    for (const [index, { value }] of results.entries()) {
      const id = await this.#model.log.append(session, stream, data[index], longTtlMs);
      known.push({ id, real: value });
    }
    // The model has the events that `logLimits` leaves, and a few before them are asked for.
    known.splice(0, known.length - 300);
  }

  async after() {
    const session = this.#draw(sessions);
    const known = this.#events.get(session) ?? [];
    if (known.length > 0) await this.#compareAfter(session, this.#draw(known));
    const other = this.#draw(sessions.filter((each) => each !== session));
    const foreign = this.#draw(this.#events.get(other) ?? [{ real: "1.1.abcdefgh" }]) ?? { real: "" };
    assert.equal(await this.#settled(({ log }) => log.after(session, foreign.real)), undefined, "foreign");
  }

  async #compareAfter(session, { id, real }) {
    const found = await this.#settled(({ log }) => log.after(session, real));
    const expected = await this.#model.log.after(session, id);
    const reals = new Map((this.#events.get(session) ?? []).map((each) => [each.id, each.real]));
    const plain = (missed, nameOf) =>
      missed && [missed.stream, missed.events.map((event) => [nameOf(event.id), short(event.data)])];
    assert.deepEqual(
      plain(found, (name) => name),
      plain(expected, (name) => reals.get(name)),
      `after ${real} of ${session}`,
    );
  }

  drop = () => this.#drop(this.#draw(sessions));

  async #drop(session) {
    await this.#settled(({ log }) => log.drop(session));
    await this.#model.log.drop(session);
    for (const { real } of (this.#events.get(session) ?? []).slice(-3))
      assert.equal(await this.#settled(({ log }) => log.after(session, real)), undefined, "dropped");
    this.#events.delete(session);
  }

  async subscribe() {
    if (this.#subscriptions.length >= 6) return this.unsubscribe();
    const channel = this.#draw(channels);
    const subscription = { channel, got: [], losses: 0, isOpen: false, isOver: false };
    const listen = (message) => {
      if (subscription.isOver) subscription.late = message;
      subscription.got.push(message);
    };
    const lost = () => void subscription.losses++;
    const { value: stop } = await this.#try((store) => store.subscribe(channel, listen, lost));
    // It failed: nothing arrives.
    if (!stop) return;
    subscription.stop = stop;
    subscription.isOpen = true;
    this.#subscriptions.push(subscription);
    // A subscription that met a cut is renewed by its driver at any time.
    if (this.#doubtful.size === 0) return;
    await this.#drain(channel);
  }

  async unsubscribe() {
    if (this.#subscriptions.length === 0) return;
    const [subscription] = this.#subscriptions.splice(
      Math.floor(this.#random() * this.#subscriptions.length),
      1,
    );
    subscription.isOver = true;
    subscription.isOpen = false;
    await subscription.stop().catch((error) => assert.equal(error.code, "store-failed"));
    await this.publish(subscription.channel);
    assert.equal(subscription.late, undefined, "a message came after the end of the subscription");
  }

  async publish(channel = this.#draw(channels)) {
    const message = this.#text();
    const { value: count, isDoubtful } = await this.#try((store) => store.publish(channel, message));
    const listening = this.#subscriptions.filter((each) => each.channel === channel);
    if (isDoubtful) return this.#drain(channel);
    assert.equal(count > 0, listening.length > 0, `${count} got it, of ${listening.length}`);
    for (const { got } of listening) {
      await until("a message", () => got.includes(message), 1);
      assert.equal(got.at(-1), message, "a later message came first");
      assert.equal(got.filter((each) => each === message).length, 1, "a message came twice");
      got.length = 0;
    }
    for (const { got, channel: other } of this.#subscriptions)
      if (other !== channel) assert.deepEqual(got, [], `${channel} reached ${other}`);
  }

  /** Publishes until a message arrives: messages sent during a cut arrive before it, or never. */
  async #drain(channel) {
    const listening = this.#subscriptions.filter((each) => each.channel === channel);
    await until(
      "a message",
      async () => {
        const message = this.#text();
        await this.#settled((store) => store.publish(channel, message), this.#stores[0]);
        await sleep(listening.length > 0 ? 20 : 0);
        return listening.every(({ got }) => got.includes(message));
      },
      0,
    );
    for (const { got } of listening) got.length = 0;
  }
}

const short = (data) => (data.length > 60 ? `${data.slice(0, 20)} of ${data.length}` : data);

const sessions = ["session a", "session b", 'odd "{c}"'];
const streams = ["s", "s1", "é s"];
const keys = ["a", "b", "A", "odd {'key'}"];
const nodes = ["node a", "node b"];
const channels = ["x", "y", "events:{z}"];
const operations = [
  ...Array(6).fill("append"),
  ...Array(3).fill("burst"),
  ...Array(8).fill("after"),
  ...Array(4).fill("put"),
  ...Array(4).fill("get"),
  ...Array(3).fill("take"),
  ...Array(4).fill("claim"),
  ...Array(4).fill("publish"),
  ...Array(2).fill("subscribe"),
  "unsubscribe",
  "drop",
  "heartbeat",
  "expire",
];
