import { expect, test } from "vitest";
import { type Part, withoutTest } from "../support/named-tests.js";

// The rules of tasks, and the tests that check them: rules of 2025-11-25 (C), of the tasks extension of 2026-07-28 (E),
// and checks of tasks that no released conformance suite has. A rule for both sides is listed once for each.

const core = "tasks/server/core-wire";
const extension = "tasks/server/extension-wire";
const scenarios = "tasks/server/scenarios";
const guesses = "tasks/server/guesses";
const driven = "tasks/client/drive";
const client = "tasks/client/core";
const receiver = "tasks/client/receiver";
const requestor = "tasks/server/requestor";

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
  ["C23 quotas", "tasks/server/quotas", "limits: a client with too many tasks"],
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
  // Of clients that ask for tasks.
  ["C02 of clients", client, "C02–C04: the capability decides first"],
  ["C03 of clients", client, "C02–C04: the capability decides first"],
  ["C04 of clients", client, "C02–C04: the capability decides first"],
  ["C04 either code", client, "C04: a refusal with %i"],
  ["C05 of clients", client, "C05: a plain answer to a task request"],
  ["C10 of clients, with input", client, "C10, C14: a task that waits for input"],
  ["C12 of clients", client, "C12, C13: the call gets the task's result"],
  ["C17 of clients", client, "C17: an announced status is only"],
  ["C18 of clients", client, "C18: onProgress gets progress of the task"],
  ["C20 of clients", client, "C20: an abort sends tasks/cancel"],
  // Of clients that run tasks.
  ["C01 of clients", receiver, "C01: the client declares"],
  ["C05 of receivers", receiver, "C05: without the declaration"],
  ["C06 of receivers", receiver, "C06, C07, C09: a task is created"],
  ["C08 of receivers", receiver, "C08, C17: the end is announced once"],
  ["C12 of receivers", receiver, "C12, C16: tasks/result waits"],
  ["C13 of receivers", receiver, "C12, C13: an error of the request"],
  ["C15 of receivers", receiver, "C15: answers to requests"],
  ["C18 of receivers", receiver, "C15, C18: progress goes on"],
  ["C19 of receivers", receiver, "C19: the list has all tasks"],
  ["C20 of receivers", receiver, "C20: a task is cancelled before"],
  ["C21 of receivers", receiver, "C21, C22: unknown, forged and expired"],
  ["C23 of receivers", receiver, "C23: a hostile server reaches the quotas"],
  // Of servers that ask for tasks.
  ["C02 of servers", requestor, "C02, C12: a client that runs elicitation"],
  ["C10 of servers", requestor, "C10: a task that never ends"],
  ["C15 of servers", requestor, "C14, C15: a task of the server asks"],
  ["C20 of servers", requestor, "C20: the end of the call cancels"],
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
    "13, 14, 15: unknown ids",
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
  ["C", 23],
  ["E", 15],
] as const)("the rules of %s are complete", (letter, count) => {
  const named = new Set(rules.map(([rule]) => rule.slice(0, 3)));
  const all = Array.from({ length: count }, (_, index) => `${letter}${String(index + 1).padStart(2, "0")}`);
  expect(all.filter((rule) => !named.has(rule))).toEqual([]);
});
