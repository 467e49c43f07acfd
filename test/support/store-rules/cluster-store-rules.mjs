import { clusterLogRules, oddJson } from "./cluster-log-rules.mjs";
import { longTtlMs, oddNames, shortTtlMs } from "./cluster-rule.mjs";
import { fails, same, until } from "./rule-checks.mjs";

const rule = (name, check) => ({ name, check });

/** Subscribes. @returns the received messages, and a function that waits for a number of them */
async function heardOn(store, channel) {
  const messages = [];
  const stop = await store.subscribe(channel, (message) => messages.push(message));
  const wait = (count) => until(() => messages.length >= count, "a message did not arrive");
  return { messages, stop, wait };
}

const channelRules = [
  rule("channel: a message reaches a subscriber in another process", async ({ store, peer }) => {
    const { messages, wait } = await heardOn(peer, "c");
    same(await store.publish("c", '"1"'), 1);
    await wait(1);
    same(messages, ['"1"']);
  }),
  rule("channel: a message reaches a subscriber in the same process", async ({ store }) => {
    const { messages, wait } = await heardOn(store, "c");
    same((await store.publish("c", '"1"')) >= 1, true);
    await wait(1);
    same(messages, ['"1"']);
  }),
  rule("channel: without a subscriber the number is 0, and the message is lost", async ({ store, peer }) => {
    same(await store.publish("c", '"lost"'), 0);
    const { messages, wait } = await heardOn(peer, "c");
    await store.publish("c", '"1"');
    await wait(1);
    same(messages, ['"1"']);
  }),
  rule("channel: messages of a publisher keep their order", async ({ store, peer }) => {
    const { messages, wait } = await heardOn(peer, "c");
    const texts = Array.from({ length: 300 }, (_, index) => `${index}`);
    await Promise.all(texts.map((text) => store.publish("c", text)));
    await wait(300);
    same(messages, texts);
  }),
  rule("channel: all subscribers get each message, in each process", async ({ store, peer }) => {
    const all = [await heardOn(store, "c"), await heardOn(peer, "c"), await heardOn(peer, "c")];
    await store.publish("c", "1");
    await peer.publish("c", "2");
    for (const { wait } of all) await wait(2);
    for (const { messages } of all) same([...messages].sort(), ["1", "2"]);
  }),
  rule("channel: messages arrive as they were", async ({ store, peer }) => {
    const { messages, wait } = await heardOn(peer, "c");
    const texts = [oddJson, "", " ", "a b", "null", "0", "\u2028é😀"];
    for (const text of texts) await store.publish("c", text);
    await wait(texts.length);
    same(messages, texts);
  }),
  rule("channel: a big message arrives whole", async ({ store, peer }) => {
    const { messages, wait } = await heardOn(peer, "c");
    const texts = [JSON.stringify("é😀\\".repeat(100_000)), '"small"', "x".repeat(8000), "x".repeat(7999)];
    for (const text of texts) await store.publish("c", text);
    await wait(texts.length);
    same(messages, texts);
  }),
  rule("channel: names are compared character by character", async ({ store, peer }) => {
    const names = oddNames.filter((name) => name.length <= 100);
    const all = await Promise.all(names.map(async (name) => [name, await heardOn(peer, name)]));
    for (const name of names) same(await store.publish(name, JSON.stringify(name)), 1);
    for (const name of ["aa", "b", "c*"]) same(await store.publish(name, "1"), 0);
    for (const [name, { messages, wait }] of all) {
      await wait(1);
      same(messages, [JSON.stringify(name)]);
    }
  }),
  rule("channel: events of the turn of a subscription come before later ones", async ({ store, peer }) => {
    const append = (data) => peer.log.append("a", "s", data, longTtlMs, "events:{a}");
    const first = await append("");
    const before = append('"1"');
    const { messages, wait } = await heardOn(peer, "events:{a}");
    const later = [append('"2"'), append('"3"')];
    await Promise.all([before, ...later]);
    const heard = () => messages.map((each) => JSON.parse(each).data);
    await until(() => heard().includes('"3"'), "an event did not arrive");
    // The subscription may exist before the first event is appended. The log has each event.
    await wait(2);
    same(heard().slice(-2), ['"2"', '"3"']);
    same(
      heard()
        .slice(0, -2)
        .every((data) => data === '"1"'),
      true,
    );
    same(
      (await store.log.after("a", first))?.events.map(({ data }) => data),
      ['"1"', '"2"', '"3"'],
    );
  }),
  rule("channel: a subscription that has ended gets nothing", async ({ store, peer }) => {
    const { messages, stop } = await heardOn(peer, "c");
    const other = await heardOn(peer, "d");
    await stop();
    same(await store.publish("c", "1"), 0);
    await store.publish("d", "2");
    await other.wait(1);
    same(messages, []);
    await stop();
  }),
  rule("channel: of two subscriptions, one may end", async ({ store, peer }) => {
    const [one, other] = [await heardOn(peer, "c"), await heardOn(peer, "c")];
    await one.stop();
    await store.publish("c", "1");
    await other.wait(1);
    same([one.messages, other.messages], [[], ["1"]]);
  }),
  rule("channel: a function may subscribe twice", async ({ store, peer }) => {
    const messages = [];
    const listener = (message) => void messages.push(message);
    const stop = await peer.subscribe("c", listener);
    await peer.subscribe("c", listener);
    await store.publish("c", "1");
    await until(() => messages.length === 2, "a message did not arrive");
    await stop();
    await store.publish("c", "2");
    await until(() => messages.length === 3, "a message did not arrive");
    same(messages, ["1", "1", "2"]);
  }),
  rule("channel: one may subscribe again after the end", async ({ store, peer }) => {
    for (let count = 0; count < 5; count++) {
      const { messages, stop, wait } = await heardOn(peer, "c");
      await store.publish("c", `${count}`);
      await wait(1);
      same(messages, [`${count}`]);
      await stop();
    }
  }),
  rule("channel: subscriptions that begin and end at once are each as they say", async ({ store, peer }) => {
    const all = await Promise.all(Array.from({ length: 20 }, () => heardOn(peer, "c")));
    await Promise.all(all.slice(1).map(({ stop }) => stop()));
    const [first] = all;
    const next = heardOn(peer, "c");
    await first.stop();
    const { messages, wait } = await next;
    same(await store.publish("c", "1"), 1);
    await wait(1);
    same([messages, ...all.map((each) => each.messages.length)], [["1"], ...all.map(() => 0)]);
  }),
  rule("channel: stores side by side share no channel", async ({ store, peer, other }) => {
    const { messages, wait } = await heardOn(peer, "c");
    same(await other.publish("c", "other"), 0);
    await store.publish("c", "1");
    await wait(1);
    same(messages, ["1"]);
  }),
];

const keyRules = [
  rule("key: a value that was put is found as it was, in each process", async ({ store, peer }) => {
    for (const value of [oddJson, "", " ", "0", "null", "\u2028é😀"]) {
      await store.put("k", value, longTtlMs);
      same([await store.get("k"), await peer.get("k")], [value, value]);
    }
  }),
  rule("key: one without a value is not found", async ({ store }) => {
    await store.put("k", "1", longTtlMs);
    for (const key of ["", "K", "k ", "kk", "*", "%", "{k}"]) same(await store.get(key), undefined);
    same(await store.take("l"), undefined);
  }),
  rule("key: names are compared character by character", async ({ store }) => {
    for (const key of oddNames) await store.put(key, JSON.stringify(key), longTtlMs);
    for (const key of oddNames) same(await store.get(key), JSON.stringify(key));
    for (const key of oddNames)
      same([await store.take(key), (await store.get(key)) ?? "none"], [JSON.stringify(key), "none"]);
  }),
  rule("key: a big value is found whole", async ({ store }) => {
    const value = JSON.stringify("é😀\\".repeat(200_000));
    await store.put("k", value, longTtlMs);
    same(await store.take("k"), value);
  }),
  rule("key: put replaces a value and its time", async ({ store }) => {
    await store.put("k", "1", longTtlMs);
    await store.put("k", "2", longTtlMs);
    same(await store.get("k"), "2");
    await store.put("k", "3", shortTtlMs);
    await until(async () => (await store.get("k")) === undefined, "the value is still there");
    await store.put("k", "4", shortTtlMs);
    await store.put("k", "5", longTtlMs);
    same(await store.get("k"), "5");
  }),
  rule("key: a value is gone after its time", async ({ store, peer }) => {
    await store.put("k", "1", shortTtlMs);
    await store.put("l", "2", longTtlMs);
    await until(async () => (await peer.get("k")) === undefined, "the value is still there");
    same([await store.take("k"), await store.get("l")], [undefined, "2"]);
  }),
  rule("key: times are fractions and very long, too", async ({ store }) => {
    await store.put("k", "1", 600_000.5);
    same(await store.get("k"), "1");
    await store.put("k", "2", 1e15);
    same(await store.get("k"), "2");
  }),
  rule("key: take returns a value once", async ({ store, peer }) => {
    await store.put("k", "1", longTtlMs);
    same([await peer.take("k"), await store.take("k")], ["1", undefined]);
  }),
  rule("key: of many takers at once, one gets the value", async ({ store, peer }) => {
    for (let round = 0; round < 10; round++) {
      await store.put("k", `${round}`, longTtlMs);
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? store : peer).take("k")),
      );
      same(
        taken.filter((each) => each !== undefined),
        [`${round}`],
      );
    }
  }),
  rule("key: what is done to many keys at once is done to each", async ({ store }) => {
    const keys = Array.from({ length: 300 }, (_, index) => `many ${index}`);
    await Promise.all(keys.map((key) => store.put(key, key, longTtlMs)));
    await Promise.all(keys.filter((_, index) => index % 3 === 0).map((key) => store.take(key)));
    const found = await Promise.all(keys.map((key) => store.get(key)));
    same(
      found.map((each) => each ?? "none"),
      keys.map((key, index) => (index % 3 === 0 ? "none" : key)),
    );
  }),
  rule("key: stores side by side share none", async ({ store, other }) => {
    await store.put("k", "1", longTtlMs);
    same(
      [await other.get("k"), await other.take("k"), await other.claim("k", "2", longTtlMs)],
      [undefined, undefined, true],
    );
    same(await store.get("k"), "1");
  }),
  rule("claim: a key is claimed once", async ({ store, peer }) => {
    same(await store.claim("k", "1", longTtlMs), true);
    same([await store.claim("k", "2", longTtlMs), await peer.claim("k", "3", longTtlMs)], [false, false]);
    same(await peer.get("k"), "1");
  }),
  rule("claim: of many at once, one is granted", async ({ store, peer }) => {
    for (let round = 0; round < 10; round++) {
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? store : peer).claim(`k${round}`, `${index}`, longTtlMs),
        ),
      );
      same(claims.filter(Boolean).length, 1);
      same(await store.get(`k${round}`), `${claims.indexOf(true)}`);
    }
  }),
  rule("claim: a value that was put is a claim", async ({ store }) => {
    await store.put("k", "1", longTtlMs);
    same(await store.claim("k", "2", longTtlMs), false);
    same(await store.get("k"), "1");
  }),
  rule("claim: what was taken may be claimed again", async ({ store, peer }) => {
    await store.claim("k", "1", longTtlMs);
    same(await peer.take("k"), "1");
    same(await store.claim("k", "2", longTtlMs), true);
  }),
  rule("claim: it ends after its time, and a refused one does not prolong it", async ({ store }) => {
    await store.claim("k", "1", shortTtlMs);
    await store.claim("k", "2", longTtlMs);
    await until(async () => (await store.get("k")) !== "1", "the claim is still there");
    await store.take("k");
    same(await store.claim("k", "3", longTtlMs), true);
  }),
  rule("claim: of many at once after the time of the last, one is granted", async ({ store, peer }) => {
    await store.put("k", "1", shortTtlMs);
    await until(async () => (await store.get("k")) === undefined, "the value is still there");
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? store : peer).claim("k", `${index}`, longTtlMs)),
    );
    same(claims.filter(Boolean).length, 1);
  }),
];

const nodeRules = [
  rule("node: it is alive after a heartbeat, for each process", async ({ store, peer }) => {
    same(await peer.alive("n"), false);
    await store.heartbeat("n", longTtlMs);
    same([await store.alive("n"), await peer.alive("n"), await peer.alive("m")], [true, true, false]);
  }),
  rule("node: without another heartbeat it is not alive", async ({ store, peer }) => {
    await store.heartbeat("n", shortTtlMs);
    await until(async () => !(await peer.alive("n")), "the node is still alive");
    await store.heartbeat("n", longTtlMs);
    same(await peer.alive("n"), true);
  }),
  rule("node: each heartbeat replaces the time", async ({ store }) => {
    await store.heartbeat("n", longTtlMs);
    await store.heartbeat("n", shortTtlMs);
    await until(async () => !(await store.alive("n")), "the node is still alive");
  }),
  rule("node: names are compared character by character, and are no keys", async ({ store, other }) => {
    await store.heartbeat("a", longTtlMs);
    for (const name of oddNames) same(await store.alive(name), name === "a");
    same(
      [await store.get("a"), await other.alive("a"), await store.claim("a", "1", longTtlMs)],
      [undefined, false, true],
    );
  }),
];

const endRules = [
  rule("names of sessions, keys, channels and nodes are apart", async ({ store }) => {
    const { messages, wait } = await heardOn(store, "x");
    const id = await store.log.append("x", "x", '"1"', longTtlMs);
    await store.put("x", "value", longTtlMs);
    same(await store.alive("x"), false);
    await store.heartbeat("x", longTtlMs);
    await store.publish("x", "message");
    await wait(1);
    same([await store.take("x"), messages], ["value", ["message"]]);
    same([await store.alive("x"), (await store.log.after("x", id))?.events], [true, []]);
    await store.log.drop("x");
    same(await store.alive("x"), true);
  }),
  rule("close ends subscriptions, and fails what follows", async ({ store, peer }) => {
    const { messages, stop } = await heardOn(peer, "c");
    await peer.close();
    await until(async () => (await store.publish("c", "1")) === 0, "the subscription is still there");
    same(
      messages.filter((each) => each !== "1"),
      [],
    );
    await stop();
    await fails(() => peer.get("k"), "store-failed");
    await fails(() => peer.put("k", "1", longTtlMs), "store-failed");
    await fails(() => peer.take("k"), "store-failed");
    await fails(() => peer.claim("k", "1", longTtlMs), "store-failed");
    await fails(() => peer.publish("c", "1"), "store-failed");
    await fails(() => peer.subscribe("c", () => {}), "store-failed");
    await fails(() => peer.heartbeat("n", longTtlMs), "store-failed");
    await fails(() => peer.alive("n"), "store-failed");
    await fails(() => peer.log.append("a", "s", '"1"', longTtlMs), "store-failed");
    await fails(() => peer.log.after("a", "1"), "store-failed");
    await fails(() => peer.log.drop("a"), "store-failed");
    await peer.close();
  }),
  rule("close keeps the events that were appended before it", async ({ store, peer }) => {
    const first = await peer.log.append("a", "s", "", longTtlMs);
    const appended = ['"1"', '"2"'].map((data) => peer.log.append("a", "s", data, longTtlMs));
    await peer.close();
    same(
      (await Promise.allSettled(appended)).map(({ status }) => status),
      ["fulfilled", "fulfilled"],
    );
    same(
      (await store.log.after("a", first))?.events.map(({ data }) => data),
      ['"1"', '"2"'],
    );
  }),
  rule("what a store kept outlives its close", async ({ store, peer }) => {
    const id = await peer.log.append("a", "s", '"1"', longTtlMs);
    await peer.put("k", "1", longTtlMs);
    await peer.heartbeat("n", longTtlMs);
    const { messages, wait } = await heardOn(store, "c");
    await peer.close();
    same(
      [await store.get("k"), await store.alive("n"), (await store.log.after("a", id))?.stream],
      ["1", true, "s"],
    );
    await store.publish("c", "1");
    await wait(1);
    same(messages, ["1"]);
  }),
];

/** The rules of cluster stores. Make one test for each, with empty stores. */
export const clusterStoreRules = [
  ...clusterLogRules,
  ...channelRules,
  ...keyRules,
  ...nodeRules,
  ...endRules,
];
