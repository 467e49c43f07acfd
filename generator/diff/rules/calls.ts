import type { Rule } from "./rule.js";

const area = "contracts" as const;

/** Whether a tool is called as a task (2025-11-25, Tasks, tool-level negotiation): clients choose, servers may reject. */
const taskRules: readonly Rule[] = [
  {
    id: "task-call-required",
    area,
    writer: "breaking",
    reader: "dangerous",
    source: "safe",
    reason:
      "A client that calls the tool without a task gets -32601; an old server does not run it as a task.",
    advice: "Call the tool as a task.",
    mirror: ["task-call-forbidden", "task-call-optional"],
  },
  {
    id: "task-call-required",
    when: "it was optional",
    area,
    writer: "breaking",
    reader: "safe",
    source: "safe",
    reason: "A client that calls the tool without a task gets -32601.",
    advice: "Call the tool as a task.",
    mirror: ["task-call-optional"],
  },
  {
    id: "task-call-forbidden",
    area,
    writer: "breaking",
    reader: "dangerous",
    source: "safe",
    reason: "A client that calls the tool as a task gets -32601; an old server accepts only tasks.",
    advice: "Call the tool without a task.",
    mirror: ["task-call-required"],
  },
  {
    id: "task-call-forbidden",
    when: "it was optional",
    area,
    writer: "dangerous",
    reader: "safe",
    source: "safe",
    reason: "A client that calls the tool as a task may get -32601.",
    advice: "Call the tool without a task.",
    mirror: ["task-call-optional"],
  },
  {
    id: "task-call-optional",
    area,
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason: "Clients of the new contract may call the tool in a way that an old server rejects.",
    advice: "In a server, accept both kinds of call.",
    mirror: ["task-call-required", "task-call-forbidden"],
  },
];

/** Headers that repeat arguments over HTTP (2026-07-28, Streamable HTTP, custom headers). */
const headerRules: readonly Rule[] = [
  {
    id: "header-added",
    area,
    writer: "breaking",
    reader: "safe",
    source: "safe",
    reason: "Over HTTP a server rejects the argument without its header, which an old client does not send.",
    advice: "Send the header with the argument; a client that lists the tools again does so.",
    mirror: ["header-removed"],
  },
  {
    id: "header-removed",
    area,
    writer: "safe",
    reader: "breaking",
    source: "safe",
    reason:
      "Over HTTP an old server rejects the argument without its header, which new clients no longer send.",
    advice: "Remove the header from the server's declaration, too; check proxies that route by it.",
    mirror: ["header-added"],
  },
  {
    id: "header-renamed",
    area,
    writer: "breaking",
    reader: "breaking",
    source: "safe",
    reason:
      "Over HTTP a server rejects the argument without its header, and the other side sends another name.",
    advice: "Send the header under its new name; check proxies that route by the old one.",
    mirror: ["header-renamed"],
  },
];

/** Scopes that a request needs over HTTP (2026-07-28, authorization, runtime insufficient scope errors). */
const scopeRules: readonly Rule[] = [
  {
    id: "scope-added",
    area,
    writer: "breaking",
    reader: "safe",
    source: "safe",
    reason: "Over HTTP a server refuses the request with 403 until the user grants the scope to the client.",
    advice: "Ask for the scope at the next login; a client without a user needs it from the administrator.",
    mirror: ["scope-removed"],
  },
  {
    id: "scope-removed",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The request needs a scope less. An old server names the scope in its refusal.",
    advice: "Stop asking for the scope if nothing else needs it.",
    mirror: ["scope-added"],
  },
];

/** How a tool is called, beside its arguments. */
export const callRules: readonly Rule[] = [...taskRules, ...headerRules, ...scopeRules];
