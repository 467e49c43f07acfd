import { logLimits } from "@mcpgen/cluster";
import { same, until } from "./rule-checks.mjs";
import { followed, longTtlMs, shortTtlMs, oddNames } from "./cluster-rule.mjs";

/** JSON with characters that databases and their drivers tend to replace, fold or cut off. */
export const oddJson = JSON.stringify({
  // Deno refuses a literal lone surrogate in a template, which the bundler makes of this text.
  text: `ünï\u0000${String.fromCharCode(0xd800)}\u{1f600}"\\'\n\r\t %_$1 {}`,
});

/** A data text of `length` characters. */
const dataOf = (length, mark = "x") => JSON.stringify(mark.padEnd(length - 2, "x"));

const append = (log, data, session = "a", stream = "s") => log.append(session, stream, data, longTtlMs);

/** The data of the events after one. */
const dataAfter = async (log, event, session = "a") =>
  (await log.after(session, event))?.events.map(({ data }) => data);

/** The ids of the events after one, with it. */
const idsFrom = async (log, event, session = "a") => [
  event,
  ...(await log.after(session, event)).events.map(({ id }) => id),
];

const rule = (name, check) => ({ name: `log: ${name}`, check });

/** The rules of the log of a cluster store. */
export const clusterLogRules = [
  rule("the later events of a stream come with their ids and data", async ({ store: { log } }) => {
    const ids = [];
    for (const data of ['"1"', '"2"', '"3"']) ids.push(await append(log, data));
    const expected = {
      stream: "s",
      events: [
        { id: ids[1], data: '"2"' },
        { id: ids[2], data: '"3"' },
      ],
    };
    const found = await log.after("a", ids[0]);
    same(
      [found?.stream, found?.events.map(({ id, data }) => [id, data])],
      [expected.stream, expected.events.map(({ id, data }) => [id, data])],
    );
  }),
  rule("after the last event there is none, and the stream has its name", async ({ store: { log } }) => {
    const id = await append(log, '"1"', "a", "the stream");
    same(await log.after("a", id), { stream: "the stream", events: [] });
  }),
  rule("an event that a process appends is found by another one", async ({ store, peer }) => {
    const first = await append(store.log, '"1"');
    const second = await append(peer.log, '"2"');
    const third = await append(store.log, '"3"');
    same(await idsFrom(peer.log, first), [first, second, third]);
    same(await idsFrom(store.log, first), [first, second, third]);
  }),
  rule(
    "ids differ: in a session, between sessions, and between streams",
    async ({ store: { log }, peer }) => {
      const ids = await Promise.all(
        Array.from({ length: 120 }, (_, index) =>
          append(index % 2 ? log : peer.log, '""', `session ${index % 6}`, `s${index % 5}`),
        ),
      );
      same(new Set(ids).size, 120);
    },
  ),
  rule("ids can be headers: short and visible ASCII", async ({ store: { log } }) => {
    for (let count = 0; count < 20; count++) same(/^[\x21-\x7e]{1,200}$/.test(await append(log, '""')), true);
  }),
  rule("streams of a session are apart", async ({ store: { log } }) => {
    const first = await append(log, '"a1"', "a", "one");
    const other = await append(log, '"b1"', "a", "other");
    await append(log, '"a2"', "a", "one");
    await append(log, '"b2"', "a", "other");
    same(await dataAfter(log, first), ['"a2"']);
    same(await dataAfter(log, other), ['"b2"']);
    same((await log.after("a", other))?.stream, "other");
  }),
  rule("an event belongs to one session", async ({ store: { log } }) => {
    const id = await append(log, '"1"', "a");
    await append(log, '"2"', "b");
    for (const session of ["b", "A", "a ", "", "unknown"]) same(await log.after(session, id), undefined);
    same(await dataAfter(log, id), []);
  }),
  rule("an event that was never appended is unknown", async ({ store: { log } }) => {
    const id = await append(log, '"1"');
    for (const event of [
      "",
      "0",
      "1",
      "-1",
      `${id}0`,
      ` ${id}`,
      id.slice(0, -1),
      id.slice(1),
      id.toUpperCase() + "_",
    ])
      same(await log.after("a", event), undefined);
  }),
  rule("hostile ids of events are unknown: long, odd, syntax of databases", async ({ store: { log } }) => {
    const id = await append(log, '"1"');
    const events = [
      "x".repeat(1_000_000),
      "9".repeat(1_000_000),
      `${id}${"0".repeat(100_000)}`,
      "9".repeat(400),
    ];
    for (const event of [...events, ...oddNames, "\u0000", "\ud800", "1e400", "NaN", "inf", "-0", "1.5"])
      same(await log.after("a", event), undefined);
    for (const changed of [id.replace(/\d+/, "9999999999999999999"), id.replace(/\d+/, "0")])
      if (changed !== id) same(await log.after("a", changed), undefined);
    same(await dataAfter(log, id), []);
  }),
  rule("an event without data is not returned; a client continues after it", async ({ store: { log } }) => {
    const first = await append(log, "");
    await append(log, '"1"');
    const second = await append(log, "");
    await append(log, '"2"');
    same(await dataAfter(log, first), ['"1"', '"2"']);
    same(await dataAfter(log, second), ['"2"']);
  }),
  rule("data is kept as it is", async ({ store: { log } }) => {
    const texts = [oddJson, "{}", "[]", '"', "0", "null", " ", "  a  ", "a b c", "1 2 3 4 5", "\u2028é😀"];
    const first = await append(log, "");
    for (const text of texts) await append(log, text);
    same(await dataAfter(log, first), texts);
  }),
  rule("names of streams are kept as they are", async ({ store: { log } }) => {
    for (const stream of [...oddNames, "", " ", "a b", "1 2 3", "ünï", "😀"]) {
      const id = await append(log, '"1"', "a", stream);
      await append(log, '"2"', "a", stream);
      same([(await log.after("a", id))?.stream, await dataAfter(log, id)], [stream, ['"2"']]);
      await log.drop("a");
    }
  }),
  rule("sessions are compared character by character", async ({ store: { log } }) => {
    const ids = new Map();
    for (const session of oddNames) ids.set(session, await append(log, JSON.stringify(session), session));
    for (const session of oddNames) await append(log, JSON.stringify(`${session}!`), session);
    for (const [session, id] of ids) same(await dataAfter(log, id, session), [JSON.stringify(`${session}!`)]);
  }),
  rule("calls at once keep their order", async ({ store: { log } }) => {
    const texts = Array.from({ length: 200 }, (_, index) => `"${index}"`);
    const first = await append(log, "");
    const ids = await Promise.all(texts.map((text) => append(log, text)));
    same(await dataAfter(log, first), texts);
    same(await idsFrom(log, first), [first, ...ids]);
  }),
  rule("calls at once keep their order, whatever their channels and times", async ({ store: { log } }) => {
    const channels = ["follow {a}", "elsewhere", undefined];
    const texts = Array.from({ length: 60 }, (_, index) => dataOf(20 + index * 200, `${index}`));
    const first = await append(log, "");
    await Promise.all(
      texts.map((text, index) => log.append("a", "s", text, longTtlMs + (index % 4), channels[index % 3])),
    );
    same(await dataAfter(log, first), texts);
  }),
  rule("calls at once of two streams are apart, and in one order", async ({ store: { log } }) => {
    const firsts = await Promise.all(["s", "t"].map((stream) => append(log, "", "a", stream)));
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, index) => append(log, `"${index}"`, "a", index % 2 ? "t" : "s")),
    );
    for (const [turn, first] of firsts.entries())
      same(await idsFrom(log, first), [first, ...ids.filter((_, index) => index % 2 === turn)]);
  }),
  rule("drop deletes the events of calls before it", async ({ store: { log } }) => {
    const [id] = await Promise.all([append(log, '"1"'), log.drop("a")]);
    same(await log.after("a", id), undefined);
  }),
  rule("calls at once of many sessions keep the order of each", async ({ store: { log } }) => {
    const sessions = Array.from({ length: 40 }, (_, index) => `session ${index}`);
    const firsts = await Promise.all(sessions.map((session) => append(log, "", session)));
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        sessions.map((session) => append(log, `"${index} of ${session}"`, session)),
      ).flat(),
    );
    for (const [index, session] of sessions.entries())
      same(
        await dataAfter(log, firsts[index], session),
        Array.from({ length: 10 }, (_, number) => `"${number} of ${session}"`),
      );
  }),
  rule(
    "calls at once of several processes lose nothing, and keep the order of each",
    async ({ store, peer }) => {
      const first = await append(store.log, "");
      await Promise.all(
        Array.from({ length: 60 }, (_, index) => [
          append(store.log, `"one ${index}"`),
          append(peer.log, `"two ${index}"`),
        ]).flat(),
      );
      const found = await dataAfter(peer.log, first);
      for (const who of ["one", "two"])
        same(
          found.filter((each) => each.includes(who)),
          Array.from({ length: 60 }, (_, index) => `"${who} ${index}"`),
        );
    },
  ),
  rule("a session keeps so many events", async ({ store: { log } }) => {
    const ids = [];
    for (let index = 0; index < logLimits.events + 4; index++) ids.push(append(log, `"${index}"`));
    const settled = await Promise.all(ids);
    for (const gone of settled.slice(0, 4)) same(await log.after("a", gone), undefined);
    same((await dataAfter(log, settled[4])).length, logLimits.events - 1);
    same(await dataAfter(log, settled.at(-2)), [`"${logLimits.events + 3}"`]);
  }),
  rule("the limit of events counts all streams of a session", async ({ store: { log } }) => {
    const first = await append(log, '"1"', "a", "quiet");
    const second = await append(log, '"2"', "a", "quiet");
    await Promise.all(Array.from({ length: logLimits.events - 1 }, () => append(log, '"n"', "a", "noisy")));
    same(await log.after("a", first), undefined);
    same(await log.after("a", second), { stream: "quiet", events: [] });
    await append(log, '"n"', "a", "noisy");
    same(await log.after("a", second), undefined);
  }),
  rule("a session keeps so many characters", async ({ store: { log } }) => {
    const length = logLimits.characters / 4 - logLimits.overhead;
    const ids = [];
    for (let index = 0; index < 4; index++) ids.push(await append(log, dataOf(length, `${index}`)));
    same(
      await dataAfter(log, ids[0]),
      [1, 2, 3].map((index) => dataOf(length, `${index}`)),
    );
    await append(log, "");
    same(await log.after("a", ids[0]), undefined);
    same(
      await dataAfter(log, ids[1]),
      [2, 3].map((index) => dataOf(length, `${index}`)),
    );
  }),
  rule("characters are UTF-16 code units, not bytes", async ({ store: { log } }) => {
    const half = logLimits.characters / 2 - logLimits.overhead;
    const text = `"${"é".repeat(half - 2)}"`;
    const first = await append(log, text);
    await append(log, text);
    same(await dataAfter(log, first), [text]);
    await append(log, "");
    same(await log.after("a", first), undefined);
  }),
  rule("one event above the limit is kept, alone", async ({ store: { log } }) => {
    const first = await append(log, '"1"');
    const big = dataOf(3 * logLimits.characters);
    const second = await append(log, big);
    same(await log.after("a", first), undefined);
    same(await log.after("a", second), { stream: "s", events: [] });
    const third = await append(log, '"3"');
    same(await log.after("a", second), undefined);
    same(await log.after("a", third), { stream: "s", events: [] });
  }),
  rule("a big event arrives whole", async ({ store: { log } }) => {
    const first = await append(log, "");
    const big = JSON.stringify("é😀\\".repeat(150_000));
    await append(log, big);
    same(await dataAfter(log, first), [big]);
  }),
  rule("the limits are for each session", async ({ store: { log } }) => {
    const id = await append(log, '"1"', "quiet");
    await append(log, '"2"', "quiet");
    await Promise.all(Array.from({ length: logLimits.events + 10 }, () => append(log, '"n"', "noisy")));
    same(await dataAfter(log, id, "quiet"), ['"2"']);
  }),
  rule("drop deletes the events of one session", async ({ store: { log }, peer }) => {
    const id = await append(log, '"1"', "a");
    const other = await append(log, '"1"', "b");
    await peer.log.drop("a");
    same(await log.after("a", id), undefined);
    same(await dataAfter(log, other, "b"), []);
    await log.drop("unknown");
  }),
  rule("no id of before is known after drop", async ({ store: { log } }) => {
    const before = [await append(log, '"1"'), await append(log, '"2"')];
    await log.drop("a");
    const after = [await append(log, '"3"'), await append(log, '"4"')];
    for (const id of before) same([await log.after("a", id), after.includes(id)], [undefined, false]);
    same(await dataAfter(log, after[0]), ['"4"']);
  }),
  rule("the events of a session are gone after its time", async ({ store: { log } }) => {
    const id = await log.append("a", "s", '"1"', shortTtlMs);
    const other = await append(log, '"1"', "b");
    await until(async () => (await log.after("a", id)) === undefined, "the event is still there");
    same(await dataAfter(log, other, "b"), []);
    const next = await append(log, '"2"');
    same([await log.after("a", id), await dataAfter(log, next)], [undefined, []]);
  }),
  rule("append replaces the time of all events of the session", async ({ store: { log } }) => {
    const first = await log.append("a", "s", '"1"', longTtlMs);
    const second = await log.append("a", "s", '"2"', shortTtlMs);
    await until(async () => (await log.after("a", first)) === undefined, "the event is still there");
    same(await log.after("a", second), undefined);
    const third = await log.append("b", "s", '"1"', 20_000);
    await log.append("b", "s", '"2"', longTtlMs);
    same(await dataAfter(log, third, "b"), ['"2"']);
  }),
  rule("times are fractions and very long, too", async ({ store: { log } }) => {
    const first = await log.append("a", "s", '"1"', 600_000.5);
    await log.append("a", "s", '"2"', 1e15);
    same(await dataAfter(log, first), ['"2"']);
  }),
  rule("a channel follows the events of a session, in order", async ({ store, peer }) => {
    for (const channel of ["follow {a}", "elsewhere"]) {
      const heard = [];
      const stop = await peer.subscribe(channel, (message) => heard.push(message));
      const texts = [
        oddJson,
        "",
        '"3"',
        dataOf(20_000),
        ...Array.from({ length: 20 }, (_, index) => `"${index}"`),
      ];
      const ids = await Promise.all(
        texts.map((text) => store.log.append("a", "s", text, longTtlMs, channel)),
      );
      await until(() => heard.length >= texts.length, "an event did not arrive");
      const expected = texts.map((data, index) => ({ id: ids[index], stream: "s", data }));
      same(
        heard.map(followed),
        expected.map((each) => followed(JSON.stringify(each))),
      );
      await stop();
    }
  }),
  rule("an event without a channel to follow reaches none", async ({ store, peer }) => {
    const heard = [];
    await peer.subscribe("follow {a}", (message) => heard.push(message));
    await append(store.log, '"1"');
    await store.log.append("a", "s", '"2"', longTtlMs, "follow {b}");
    await store.publish("follow {a}", "end");
    await until(() => heard.length > 0, "the message did not arrive");
    same(heard, ["end"]);
  }),
  rule("stores side by side share no events", async ({ store, other }) => {
    const id = await append(store.log, '"1"');
    same(await other.log.after("a", id), undefined);
    await other.log.drop("a");
    await append(other.log, '"other"');
    same(await dataAfter(store.log, id), []);
  }),
];
