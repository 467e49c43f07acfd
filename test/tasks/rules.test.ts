import { expect, test } from "vitest";
import { type Part, withoutTest } from "../support/named-tests.js";

// The rules of tasks, and the tests that hold them: those of 2025-11-25 (C), of the tasks extension of 2026-07-28 (E), and the
// checks of tasks that no released conformance suite has. A rule of both sides stands once for each.

const core = "tasks/server/core-wire";
const extension = "tasks/server/extension-wire";
const scenarios = "tasks/server/scenarios";
const guesses = "tasks/server/guesses";
const driven = "tasks/client/drive";

const rules: readonly Part[] = [
  ["C01 declared", core, "C01: the server declares"],
  ["C04 support of tools", core, "C04: a call that does not fit"],
  ["C05 not declared", core, "C05: a server that does not declare"],
  ["C06 created at once, working", core, "C06, C07: a task is created"],
  ["C07 ids", core, "C06, C07: a task is created"],
  ["C08 life cycle", core, "C08: a status follows"],
  ["C08 every event in every state", "tasks/state/advance", "C08"],
  ["C08 races", "tasks/server/races", "B14: updates, cancels and ends"],
  ["C09 times and ttl", core, "C09: each answer has times"],
  ["C10 a client waits for the interval", driven, "B16: a task of a minute is polled"],
  ["C11 no stream", core, "C11: tasks/get is answered with JSON"],
  ["C12 result waits", core, "C12: tasks/result waits"],
  ["C13 failures", core, "C13: a JSON-RPC error"],
  ["C14 input", core, "C14, C15: a task that needs input"],
  ["C15 related task of requests", core, "C14, C15: a task that needs input"],
  ["C15 related task of notifications", core, "C15, C18: progress has the token"],
  ["C16 the parameter counts", core, "C16: the parameter names the task"],
  ["C17 polling suffices", core, "C17: a client that only polls"],
  ["C18 progress token", core, "C15, C18: progress has the token"],
  ["C19 pages", core, "C19: lists have pages"],
  ["C19 all of the client", guesses, "C19, C21: lists have all tasks"],
  ["C20 cancel", core, "C20: a task is cancelled before"],
  ["C21 principals", core, "C21: tasks belong to a principal"],
  ["C21 one refusal", guesses, "C21, E12: guesses of any form"],
  ["C22 no principals", core, "C22: without principals"],
  ["C23 limits", core, "C23: tasks at once"],
  ["C23 quotas", "tasks/server/quotas", "quotas: a client with too many tasks"],
  ["C23 audit", "tasks/server/audit", "events of a task of 2025-11-25"],
  ["E01 per request", extension, "E01: only a call whose request declares"],
  ["E01 both shapes", driven, "callTool resolves with the result of a task"],
  ["E02 -32021", extension, "E02: a client without the extension"],
  ["E03 resultType", extension, "E03: resultType is task"],
  ["E04 rounds first", extension, "E04, E05, E06, E08: rounds first"],
  ["E05 input requests", extension, "E04, E05, E06, E08: rounds first"],
  ["E05 outcomes", extension, "E05, E10: a task that has failed"],
  ["E06 keys", extension, "E04, E05, E06, E08: rounds first"],
  ["E07 input of clients", driven, "input comes from the handlers of the client"],
  ["E08 updates", extension, "E04, E05, E06, E08: rounds first"],
  ["E09 cancel", extension, "E09: tasks/cancel is acknowledged"],
  ["E09 the handler's signal", "tasks/server/promotion", "E09: cancelling aborts the handler's signal"],
  ["E10 unknown, failed", extension, "E05, E10: a task that has failed"],
  ["E11 interval and ttl", extension, "E11: a task names its interval"],
  ["E11 polling", extension, "E11: a client that polls too often"],
  ["E11 ids outlive a client", driven, "B17: a client that ends after"],
  ["E12 authorised", extension, "E12: each request for a task is authorised"],
  ["E12 subscriptions", "tasks/server/notifications", "a subscription gets each status of its tasks"],
  ["E13 revisions apart", extension, "E13: at 2025-11-25 the extension gives no tasks"],
  ["E14 reserved names", "runtime/extension-clashes", "a name has one owner"],
  ["E15 durable creation", extension, "E15: a task is stored before"],
  ...[
    "01: a tool without tasks",
    "02, 16, 17: the task of a call",
    "03, 27: tasks/get is flat",
    "04, 20: a tool that fails",
    "05, 26: tasks/result is",
    "06: a cancelled task",
    "07: the list has",
    "08, 09: a call without",
    "10, 11: a job",
    "12: a call that asks for no task",
    "13, 14, 15: ids",
    "18: a task does not expire",
    "19: five calls",
    "21: tools/list says",
    "%s: %s asks through tasks/result",
    "24, 25: progress and status",
  ].map((title) => [title, scenarios, `conformance#244-${title}`] as const),
  ["conformance#487", scenarios, "conformance#487, sep-2663-tasks-get-status-cancelled"],
];

test("each rule of tasks has a test", () => {
  expect(withoutTest(rules)).toEqual([]);
});

test.each([
  // Those of C02 and C03 bind clients that ask for tasks.
  ["C", 23, ["C02", "C03"]],
  ["E", 15, []],
] as const)("the rules of %s are complete", (letter, count, others) => {
  const named = new Set(rules.map(([rule]) => rule.slice(0, 3)));
  const all = Array.from({ length: count }, (_, index) => `${letter}${String(index + 1).padStart(2, "0")}`);
  expect(all.filter((rule) => !named.has(rule))).toEqual(others);
});
