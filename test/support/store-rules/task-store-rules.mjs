import { memoryTaskStore } from "@mcpgen/tasks";

/** A task for tests of stores. */
export function sampleTask(id, changes = {}) {
  return {
    id,
    owner: "ann",
    version: 1,
    status: "working",
    createdAt: 1000,
    updatedAt: 1000,
    dueAt: 2000,
    limits: { keepMs: 1, waitMs: 1, pollMs: 1 },
    tool: "report",
    onRestart: "replay",
    ...changes,
  };
}

/** Names that databases and their drivers tend to cut off, replace, fold or take for syntax. */
const oddNames = [
  ...[
    "A",
    "a",
    "a ",
    " a",
    "ä",
    "a\u0308",
    "ß",
    "ss",
    "İ",
    "a\u0000",
    "a\u0000b",
    "\u0000",
    "\n",
    "\ud800",
    "\udc00",
  ],
  ...[
    "\u{1f600}",
    "\uffff",
    "a'b",
    'a"b',
    "a\\",
    "a\\u0000",
    "%",
    "_",
    "$1",
    "?",
    "{a}",
    "a:b",
    "*",
    "null",
    "1",
    "01",
  ],
  ...["1e0", "__proto__", "constructor", "x".repeat(1000)],
];

const manyTasks = 1000;

/** The rules of task stores. Make one test for each, with empty stores. */
export const storeRules = [
  rule("a task that was created is read as it was", async (store) => {
    const journal = {
      answers: { size: { action: "accept", content: { "ünï\u0000": "\u{1f600}" } } },
      once: [],
    };
    const task = sampleTask("a", { journal, result: { content: [{ type: "text", text: '"\\' }] } });
    await store.create(task);
    same(await store.read("a"), task);
  }),
  rule("an id that was never used reads as undefined", async (store) => {
    await store.create(sampleTask("a"));
    for (const id of ["b", "A", "", "a ", "a\u0000", "\ud800", "__proto__"])
      same(await store.read(id), undefined);
  }),
  rule("names are compared character by character, whatever they hold", async (store) => {
    const tasks = oddNames.map((name) => sampleTask(name, { owner: name, message: name, tool: name }));
    for (const task of tasks) await store.create(task);
    for (const task of tasks) same(await store.read(task.id), task);
    same(idsOf(await store.due(2000, tasks.length)).toSorted(), oddNames.toSorted());
    for (const task of tasks) {
      same(await store.replace({ ...task, version: 2 }, 1), true);
      if (store.list) same(idsOf(await store.list(task.owner, undefined, 9)), [task.id]);
      await store.remove(task.id, 2);
      same(await store.read(task.id), undefined);
    }
  }),
  rule("a record of a megabyte stays whole", async (store) => {
    const text = 'é"\n\u0000\u{1f600} of a report, which has pages'.repeat(25_000);
    const task = sampleTask("a", { request: { params: { text } } });
    await store.create(task);
    same(await store.read("a"), task);
    const next = { ...task, version: 2, result: { content: [{ type: "text", text }] } };
    same(await store.replace(next, 1), true);
    same(await store.due(2000, 1), [next]);
  }),
  rule("a second task of one id is refused, and the first stays", async (store) => {
    await store.create(sampleTask("a"));
    const refused = await store.create(sampleTask("a", { owner: "bob" })).then(
      () => false,
      () => true,
    );
    same(refused, true);
    same(await store.read("a"), sampleTask("a"));
    if (store.list) same(await store.list("bob", undefined, 9), []);
  }),
  rule("of tasks of one id that are created at once, one stays", async (store) => {
    const owners = Array.from({ length: 20 }, (_, index) => `owner ${index}`);
    const made = await Promise.allSettled(owners.map((owner) => store.create(sampleTask("a", { owner }))));
    const won = made.flatMap(({ status }, index) => (status === "fulfilled" ? [owners[index]] : []));
    same(won.length, 1);
    same((await store.read("a"))?.owner, won[0]);
    same(idsOf(await store.due(2000, 9)), ["a"]);
  }),
  rule("replace puts a record in the place of the version that it names", async (store) => {
    await store.create(sampleTask("a"));
    const next = sampleTask("a", { version: 2, message: "half done" });
    same(await store.replace(next, 1), true);
    same(await store.read("a"), next);
  }),
  rule("replace refuses another version, and a task that is gone", async (store) => {
    await store.create(sampleTask("a", { version: 3 }));
    same(await store.replace(sampleTask("a", { version: 3, message: "late" }), 2), false);
    same(await store.replace(sampleTask("b", { version: 2 }), 1), false);
    same(await store.read("a"), sampleTask("a", { version: 3 }));
    same(await store.read("b"), undefined);
    same(idsOf(await store.due(9000, 9)), ["a"]);
  }),
  rule("versions are numbers: 10 follows 9", async (store) => {
    await store.create(sampleTask("a"));
    for (let version = 1; version < 12; version++)
      same(await store.replace(sampleTask("a", { version: version + 1 }), version), true);
    same((await store.read("a"))?.version, 12);
  }),
  rule("of replacements of one version at once, one succeeds", async (store) => {
    await store.create(sampleTask("a"));
    const messages = Array.from({ length: 20 }, (_, index) => `writer ${index}`);
    const won = await Promise.all(
      messages.map((message) => store.replace(sampleTask("a", { version: 2, message }), 1)),
    );
    same(won.filter(Boolean).length, 1);
    same((await store.read("a"))?.message, messages[won.indexOf(true)]);
  }),
  rule("due returns the tasks whose time has come, the earliest first", async (store) => {
    await store.create(sampleTask("late", { dueAt: 3000 }));
    await store.create(sampleTask("second", { dueAt: 2000 }));
    await store.create(sampleTask("first", { dueAt: 1500 }));
    same(idsOf(await store.due(2000, 10)), ["first", "second"]);
    same(idsOf(await store.due(1000, 10)), []);
    same(idsOf(await store.due(9000, 2)), ["first", "second"]);
  }),
  rule("due returns tasks whose times are equal in an order that stays the same", async (store) => {
    for (const id of ["c", "a", "d", "b"]) await store.create(sampleTask(id));
    await store.create(sampleTask("first", { dueAt: 1999 }));
    const all = idsOf(await store.due(2000, 9));
    same(all[0], "first");
    same(all.toSorted(), ["a", "b", "c", "d", "first"]);
    for (let limit = 1; limit < 5; limit++) same(idsOf(await store.due(2000, limit)), all.slice(0, limit));
  }),
  rule("due compares the times of this century to the millisecond", async (store) => {
    const times = [1_800_000_000_000, 1_800_000_000_001, 4_100_000_000_000];
    for (const dueAt of times) await store.create(sampleTask(`at ${dueAt}`, { dueAt, version: 1 }));
    for (const [index, dueAt] of times.entries()) {
      same((await store.due(dueAt, 9)).length, index + 1);
      same((await store.due(dueAt - 1, 9)).length, index);
    }
  }),
  rule(`${manyTasks} tasks that are due are had in steps, each once`, async (store) => {
    const ids = Array.from({ length: manyTasks }, (_, index) => `task ${index}`);
    await Promise.all(ids.map((id, index) => store.create(sampleTask(id, { dueAt: 1000 + (index % 7) }))));
    const seen = [];
    for (let step = 0; step < 10; step++) {
      const due = await store.due(2000, manyTasks / 10);
      seen.push(...idsOf(due));
      await Promise.all(due.map((task) => store.replace({ ...task, version: 2, dueAt: 5000 }, 1)));
    }
    same(seen.toSorted(), ids.toSorted());
    same(await store.due(2000, 9), []);
    same((await store.due(5000, manyTasks * 2)).length, manyTasks);
  }),
  rule("due follows replacements", async (store) => {
    await store.create(sampleTask("a", { dueAt: 1500 }));
    await store.replace(sampleTask("a", { version: 2, dueAt: 5000 }), 1);
    same(idsOf(await store.due(2000, 10)), []);
    same(await store.due(5000, 10), [sampleTask("a", { version: 2, dueAt: 5000 })]);
  }),
  rule("list returns the tasks of one owner, page by page", async (store) => {
    if (!store.list) return;
    for (const id of ["d", "b", "a", "c"]) await store.create(sampleTask(id));
    await store.create(sampleTask("e", { owner: "bob" }));
    await store.create(sampleTask("f", { owner: "" }));
    const first = await store.list("ann", undefined, 3);
    const second = await store.list("ann", first.at(-1)?.id, 3);
    same([first.length, second.length], [3, 1]);
    same(idsOf([...first, ...second]).toSorted(), ["a", "b", "c", "d"]);
    same(idsOf(await store.list("", undefined, 9)), ["f"]);
    same(await store.list("eve", undefined, 9), []);
  }),
  rule("usage counts the tasks of one owner, and the sizes of their results", async (store) => {
    if (!store.usage) return;
    for (const id of ["a", "b", "c"]) await store.create(sampleTask(id));
    await store.create(sampleTask("d", { owner: "bob", size: 7 }));
    await store.replace(sampleTask("b", { version: 2, size: 40 }), 1);
    await store.replace(sampleTask("c", { version: 2, size: 2 }), 1);
    same(await store.usage("ann"), { tasks: 3, bytes: 42 });
    await store.remove("b", 2);
    await store.remove("c", 1);
    same(await store.usage("ann"), { tasks: 2, bytes: 2 });
    same(await store.usage("bob"), { tasks: 1, bytes: 7 });
    same(await store.usage("eve"), { tasks: 0, bytes: 0 });
  }),
  rule("what one client has stays within its limit", async (store) => {
    const limits = { bytes: 100, totalBytes: Infinity };
    same(await store.create(sampleTask("a", { size: 60 }), limits), undefined);
    same(await store.create(sampleTask("b", { size: 41 }), limits), "full");
    same(await store.read("b"), undefined);
    same(await store.create(sampleTask("b", { size: 40 }), limits), undefined);
    same(await store.replace(sampleTask("b", { version: 2, size: 41 }), 1, limits), "full");
    same(await store.read("b"), sampleTask("b", { size: 40 }));
    // The limits do not apply to a record that does not grow.
    const below = { bytes: 1, totalBytes: 1 };
    same(await store.replace(sampleTask("b", { version: 2, size: 40 }), 1, below), true);
    same(await store.replace(sampleTask("b", { version: 3, size: 30 }), 2, below), true);
    same(await store.replace(sampleTask("b", { version: 4, size: 40 }), 3, limits), true);
    same(await store.replace(sampleTask("b", { version: 9, size: 99 }), 3, limits), false);
    same(await store.create(sampleTask("c", { owner: "bob", size: 100 }), limits), undefined);
    await store.remove("a", 1);
    same(await store.create(sampleTask("d", { size: 60 }), limits), undefined);
  }),
  rule("what all clients have stays within its limit, and each leaves as much as it has", async (store) => {
    const limits = { bytes: Infinity, totalBytes: 100 };
    const owned = (owner, size) => sampleTask(`${owner} ${size}`, { owner, size });
    same(await store.create(owned("ann", 10), limits), undefined);
    same(await store.create(owned("ann", 41), limits), "full");
    same(await store.create(owned("ann", 40), limits), undefined);
    same(await store.create(owned("bob", 51), limits), "full");
    same(await store.create(owned("bob", 20), limits), undefined);
    same(await store.create(owned("bob", 6), limits), "full");
    same(await store.create(owned("bob", 5), limits), undefined);
    same(await store.create(owned("eve", 25), limits), undefined);
    same(await store.create(owned("dan", 1), limits), "full");
    same(await store.create(owned("dan", 0), limits), undefined);
    await store.remove("ann 40", 1);
    same(await store.create(owned("dan", 30), limits), undefined);
  }),
  rule("records that grow at once stay within the limits together", async (store) => {
    const limits = { bytes: 100, totalBytes: 150 };
    const owners = ["ann", "bob"];
    const all = Array.from({ length: 40 }, (_, index) => ({
      id: `task ${index}`,
      owner: owners[index % 2],
    }));
    const made = await Promise.all(
      all.map(({ id, owner }) => store.create(sampleTask(id, { owner, size: 1 }), limits)),
    );
    same(
      made,
      all.map(() => undefined),
    );
    const grown = await Promise.all(
      all.map(({ id, owner }) => store.replace(sampleTask(id, { owner, version: 2, size: 11 }), 1, limits)),
    );
    const taken = owners.map(
      (name) => all.filter(({ owner }, at) => owner === name && grown[at] === true).length,
    );
    same(
      taken.every((count) => count > 0 && 20 + count * 10 <= 100),
      true,
    );
    same(40 + (taken[0] + taken[1]) * 10 <= 150, true);
    // A refused record may grow when there is room.
    same(
      grown.every((each) => each === true || each === "full"),
      true,
    );
    const first = grown.indexOf("full");
    for (const [at, { id }] of all.entries())
      if (at !== first) await store.remove(id, grown[at] === true ? 2 : 1);
    same(
      await store.replace(
        sampleTask(all[first].id, { owner: all[first].owner, version: 2, size: 75 }),
        1,
        limits,
      ),
      true,
    );
  }),
  rule(
    "of first tasks of one client that are made at once, no more stay than there is room for",
    async (store) => {
      const ids = Array.from({ length: 20 }, (_, index) => `task ${index}`);
      for (let round = 0; round < 5; round++) {
        const limits = { bytes: 35, totalBytes: Infinity };
        const made = await Promise.all(ids.map((id) => store.create(sampleTask(id, { size: 10 }), limits)));
        same(made.filter((each) => each !== "full").length, 3);
        await Promise.all(ids.map((id, index) => made[index] !== "full" && store.remove(id, 1)));
        if (store.usage) same(await store.usage("ann"), { tasks: 0, bytes: 0 });
      }
    },
  ),
  rule("pages of a list stay where they are while tasks go and come", async (store) => {
    if (!store.list) return;
    for (let index = 0; index < 9; index++) await store.create(sampleTask(`task ${index}`));
    const order = idsOf(await store.list("ann", undefined, 9));
    const first = idsOf(await store.list("ann", undefined, 3));
    for (const id of [order[0], order[2], order[4]]) await store.remove(id, 1);
    await store.create(sampleTask("of another", { owner: "bob" }));
    const second = idsOf(await store.list("ann", first.at(-1), 3));
    await store.replace(sampleTask(order[7], { version: 2 }), 1);
    const third = idsOf(await store.list("ann", second.at(-1), 3));
    same(
      [...first, ...second, ...third],
      order.filter((_, index) => index !== 4),
    );
  }),
  rule("remove takes the version that it names, and no other", async (store) => {
    await store.create(sampleTask("a", { version: 2 }));
    await store.create(sampleTask("b"));
    same(await store.remove("a", 1), false);
    same((await store.read("a"))?.version, 2);
    same(await store.remove("a", 2), true);
    same(await store.remove("a", 2), false);
    same(await store.read("a"), undefined);
    same(idsOf(await store.due(9000, 10)), ["b"]);
    await store.create(sampleTask("a", { owner: "bob" }));
    same((await store.read("a"))?.owner, "bob");
  }),
  rule("of two removals at once, one succeeds", async (store) => {
    await store.create(sampleTask("a"));
    same((await Promise.all([store.remove("a", 1), store.remove("a", 1)])).toSorted(), [false, true]);
  }),
  rule("the clock of a store, if it has one, goes on", async (store) => {
    if (!store.now) return;
    const first = await store.now();
    const second = await store.now();
    same([typeof first, second >= first, first > Date.UTC(2000)], ["number", true, true]);
  }),
  rule("of a replacement and a removal of one version at once, one succeeds", async (store) => {
    const ids = Array.from({ length: 20 }, (_, index) => `task ${index}`);
    for (const id of ids) await store.create(sampleTask(id));
    const replaced = await Promise.all(
      ids.map(async (id, index) => {
        const next = sampleTask(id, { version: 2 });
        if (index % 2 === 0) return (await Promise.all([store.replace(next, 1), store.remove(id, 1)]))[0];
        return (await Promise.all([store.remove(id, 1), store.replace(next, 1)]))[1];
      }),
    );
    for (const [index, id] of ids.entries())
      same((await store.read(id))?.version, replaced[index] ? 2 : undefined);
    same((await store.due(9000, 99)).length, replaced.filter(Boolean).length);
  }),
  rule("a random walk gives what the store in memory gives", async (store) => {
    const model = memoryTaskStore();
    const random = randomOf(20_261_123);
    const one = (count) => Math.floor(random() * count);
    for (let step = 0; step < 400; step++) {
      const id = `task ${one(9)}`;
      const version = (await model.read(id))?.version ?? 1;
      // All times differ, because the order of equal times is not defined.
      const changes = { owner: `owner ${id.charCodeAt(5) % 3}`, dueAt: one(9) * 1000 + step, size: one(100) };
      const stale = version - one(2);
      const limits = [undefined, { bytes: 150, totalBytes: 300 }][one(2)];
      const act = [
        (on) => on.create(sampleTask(id, changes), limits).catch(() => "refused"),
        (on) => on.replace(sampleTask(id, { ...changes, version: version + 1 }), stale, limits),
        (on) => on.remove(id, stale),
      ][one(3)];
      same(await act(store), await act(model));
      same(await store.read(id), await model.read(id));
      same(await store.due(step * 10, 4), await model.due(step * 10, 4));
      if (store.usage) same(await store.usage(changes.owner), model.usage(changes.owner));
      if (!store.list) continue;
      const listed = [store, model].map((each) => each.list(changes.owner, undefined, 9));
      const [own, expected] = (await Promise.all(listed)).map((tasks) => idsOf(tasks).toSorted());
      same(own, expected);
    }
  }),
  rule("a store shows nothing of another one beside it", async (store, other) => {
    await store.create(sampleTask("a"));
    await other.create(sampleTask("a", { version: 7, dueAt: 1500 }));
    await other.create(sampleTask("b", { dueAt: 1500 }));
    same(await store.read("b"), undefined);
    same(await store.replace(sampleTask("a", { version: 8 }), 7), false);
    await store.remove("b", 1);
    same(idsOf(await store.due(9000, 9)), ["a"]);
    if (store.list) same(idsOf(await store.list("ann", undefined, 9)), ["a"]);
    same((await other.read("a"))?.version, 7);
    same(idsOf(await other.due(9000, 9)).toSorted(), ["a", "b"]);
  }),
];

function rule(name, check) {
  return { name, check };
}

/** Makes pseudo-random numbers from 0 to 1 by a linear congruential generator. */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function idsOf(tasks) {
  return tasks.map(({ id }) => id);
}

function same(actual, expected) {
  const [one, other] = [textOf(actual), textOf(expected)];
  if (one !== other) throw new Error(`expected ${other}, got ${one}`);
}

/** Returns the JSON of a value, independent of the order of members. */
function textOf(value) {
  return JSON.stringify(value, (_, each) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
