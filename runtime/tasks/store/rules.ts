import type { TaskRecord } from "../state/record.js";
import type { TaskStore } from "./store.js";

/** A rule that every store obeys. */
export interface StoreRule {
  readonly name: string;
  /** Rejects if the store breaks the rule. @param store an empty one */
  readonly check: (store: TaskStore) => Promise<void>;
}

/** A task for tests of stores. */
export function sampleTask(id: string, changes: Partial<TaskRecord> = {}): TaskRecord {
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

/** The rules of stores: a test for each, with an empty store. */
export const storeRules: readonly StoreRule[] = [
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
    for (const id of ["b", "A", "", "a ", "__proto__"]) same(await store.read(id), undefined);
  }),
  rule("a second task of one id is refused, and the first stays", async (store) => {
    await store.create(sampleTask("a"));
    const refused = await store.create(sampleTask("a", { owner: "bob" })).then(
      () => false,
      () => true,
    );
    same(refused, true);
    same(await store.read("a"), sampleTask("a"));
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
  rule("remove takes the version that it names, and no other", async (store) => {
    await store.create(sampleTask("a", { version: 2 }));
    await store.create(sampleTask("b"));
    await store.remove("a", 1);
    same((await store.read("a"))?.version, 2);
    await store.remove("a", 2);
    await store.remove("a", 2);
    same(await store.read("a"), undefined);
    same(idsOf(await store.due(9000, 10)), ["b"]);
  }),
];

function rule(name: string, check: StoreRule["check"]): StoreRule {
  return { name, check };
}

function idsOf(tasks: readonly TaskRecord[]): readonly string[] {
  return tasks.map(({ id }) => id);
}

function same(actual: unknown, expected: unknown): void {
  const [one, other] = [textOf(actual), textOf(expected)];
  if (one !== other) throw new Error(`expected ${other}, got ${one}`);
}

/** The JSON of a value, whatever the order of its members. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  );
}
