import fc from "fast-check";
import { type TaskEvent, type TaskRecord, type TaskStatus, advance } from "@mcpgen/tasks";
import { sampleTask } from "../../support/store-rules/task-store-rules.mjs";
import { expect, test } from "vitest";
import { cases } from "../../support/cases.mjs";

/** 2025-11-25, tasks, task status lifecycle. */
const allowed: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  working: ["working", "input_required", "completed", "failed", "cancelled"],
  input_required: ["input_required", "working", "completed", "failed", "cancelled"],
  completed: ["completed"],
  failed: ["failed"],
  cancelled: ["cancelled"],
};

const isFinal = (status: TaskStatus): boolean => allowed[status].length === 1;

const run = fc.constantFrom("run 1", "run 2", "run 3");
const keys = fc.uniqueArray(fc.constantFrom("a", "b", "c", "__proto__"), { maxLength: 4 });
const error = { code: -32603, message: "broken" };

const wantedOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((key) => [key, { method: "elicitation/create", params: {} }]));
const answersOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((key) => [key, { action: "accept" }]));

const event: fc.Arbitrary<TaskEvent> = fc.oneof(
  fc.record({
    type: fc.constant("leased" as const),
    lease: fc.record({ run, until: fc.integer({ min: 0, max: 3000 }) }),
  }),
  fc.record({ type: fc.constant("released" as const), run }),
  fc.record({ type: fc.constant("queued" as const), waitMs: fc.integer({ min: 1, max: 500 }) }),
  fc.record({ type: fc.constant("noted" as const), run, message: fc.string() }),
  fc.record({
    type: fc.constant("done" as const),
    run,
    effect: fc.record({ key: fc.constantFrom("x", "y"), value: fc.jsonValue() }),
  }),
  fc.record({ type: fc.constant("asked" as const), run, wanted: keys.map(wantedOf) }),
  fc.record({ type: fc.constant("answered" as const), answers: keys.map(answersOf) }),
  fc.record({ type: fc.constant("completed" as const), run, result: fc.constant({ content: [] }) }),
  fc.record({ type: fc.constant("failed" as const), run, error: fc.constant(error) }),
  fc.constant<TaskEvent>({ type: "cancelled" }),
  fc.constant<TaskEvent>({ type: "failed", error }),
);

/** Events that end a task are rarer here: walks are longer. */
const walk = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: event.filter(({ type }) => !["completed", "failed", "cancelled"].includes(type)),
    },
    { weight: 1, arbitrary: event },
  ),
  { maxLength: 40 },
);

function steps(events: readonly TaskEvent[]): (readonly [TaskRecord, TaskEvent, TaskRecord, number])[] {
  let record = sampleTask("t", { lease: { run: "run 1", until: 1500 }, dueAt: 1500 });
  return events.map((each, index) => {
    const at = 1000 + index * 50;
    const before = record;
    record = advance(before, each, at);
    return [before, each, record, at] as const;
  });
}

test("C08: whatever happens, the status follows the allowed edges, and final records never change", () => {
  fc.assert(
    fc.property(walk, (events) => {
      for (const [before, , after] of steps(events)) {
        expect(allowed[before.status]).toContain(after.status);
        if (isFinal(before.status)) expect(after).toBe(before);
        else expect(after === before || after.version === before.version + 1).toBe(true);
      }
    }),
    { numRuns: cases(5000) },
  );
});

test("a run without the lease has no effect; a lease changes its owner only after it has lapsed", () => {
  fc.assert(
    fc.property(walk, (events) => {
      for (const [before, each, after, at] of steps(events)) {
        if ("run" in each && each.run !== before.lease?.run) expect(after).toBe(before);
        if (each.type !== "leased" || after === before) continue;
        expect(before.status).toBe("working");
        expect(!before.lease || before.lease.run === each.lease.run || before.lease.until <= at).toBe(true);
      }
    }),
    { numRuns: cases(5000) },
  );
});

test("a task is handed to a queue only when it is due; a later run forgets how often it was", () => {
  fc.assert(
    fc.property(walk, (events) => {
      for (const [before, { type }, after, at] of steps(events)) {
        expect((after.queued ?? 0) > 0 && after.lease !== undefined).toBe(false);
        if (type !== "queued" || after === before) continue;
        expect(before).toMatchObject({ status: "working" });
        expect(before.dueAt).toBeLessThanOrEqual(at);
        expect(before.lease === undefined || before.lease.until <= at).toBe(true);
        expect(after.dueAt).toBeGreaterThan(at);
        expect((after.restarts ?? 0) - (before.restarts ?? 0)).toBe(before.lease ? 1 : 0);
      }
    }),
    { numRuns: cases(5000) },
  );
});

test("E06: an answered key is never outstanding again; only tasks in input_required have outstanding keys", () => {
  fc.assert(
    fc.property(walk, (events) => {
      for (const [, , { status, wanted, journal, lease }] of steps(events)) {
        const outstanding = Object.keys(wanted ?? {});
        expect(outstanding.length > 0).toBe(status === "input_required");
        expect(outstanding.filter((key) => Object.hasOwn(journal?.answers ?? {}, key))).toEqual([]);
        if (status !== "working") expect(lease).toBeUndefined();
      }
    }),
    { numRuns: cases(5000) },
  );
});

test("a partial answer leaves the rest outstanding; the last one frees the task for any worker", () => {
  const asked = advance(
    sampleTask("t", { lease: { run: "r", until: 9000 } }),
    { type: "asked", run: "r", wanted: wantedOf(["a", "b"]) },
    1100,
  );
  const half = advance(asked, { type: "answered", answers: answersOf(["b", "other"]) }, 1200);
  expect(half).toMatchObject({ status: "input_required", wanted: { a: {} }, updatedAt: 1200 });
  expect(Object.keys(half.wanted!)).toEqual(["a"]);
  const whole = advance(half, { type: "answered", answers: answersOf(["a", "b"]) }, 1300);
  expect(whole).toMatchObject({ status: "working", dueAt: 1300, journal: { answers: { a: {}, b: {} } } });
  expect(advance(whole, { type: "answered", answers: answersOf(["a"]) }, 1400)).toBe(whole);
});

test("an ended task only keeps its outcome; retention counts from the end", () => {
  const working = sampleTask("t", {
    limits: { keepMs: 500, waitMs: 1, pollMs: 1 },
    lease: { run: "r", until: 9000 },
    journal: { answers: answersOf(["a"]), once: [{ key: "x", value: 1 }] },
  });
  const ended = advance(working, { type: "completed", run: "r", result: { content: [] } }, 8000);
  expect(ended).toMatchObject({ status: "completed", dueAt: 8500, result: { content: [] } });
  for (const member of ["journal", "lease", "request", "wanted"]) expect(ended).not.toHaveProperty(member);
});
