import type { Row, Rule } from "./rule.js";

const none = "Nothing to do.";

/** Rules for an added, removed or invalid entry of a list. Clients request entries, the server answers. */
function entries(kind: string, noun: string, removed: Rule["writer"]): Row[] {
  return [
    {
      id: `${kind}-removed`,
      writer: removed,
      reader: "safe",
      source: "breaking",
      reason: "A request for it gets an error.",
      advice: `Stop requesting the ${noun}; look for a replacement.`,
      mirror: [`${kind}-added`],
    },
    {
      id: `${kind}-added`,
      writer: "safe",
      reader: "dangerous",
      source: "safe",
      reason: "Clients of the new contract may request it, and an old server does not have it.",
      advice: "Use it where it helps; a server must implement it.",
      mirror: [`${kind}-removed`],
    },
    {
      id: `${kind}-invalid`,
      writer: removed,
      reader: "safe",
      source: "breaking",
      reason: "The live server lists it, and its definition is invalid: clients leave it out.",
      advice: `Correct the ${noun} in the server.`,
      mirror: [`${kind}-invalid`],
      isOneFinding: true,
    },
  ];
}

/**
 * Rules on calling a tool as a task (2025-11-25, Tasks, tool-level negotiation): clients choose, servers may
 * reject.
 */
const taskRules: readonly Row[] = [
  {
    id: "task-call-required",
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
    writer: "breaking",
    reader: "safe",
    source: "safe",
    reason: "A client that calls the tool without a task gets -32601.",
    advice: "Call the tool as a task.",
    mirror: ["task-call-optional"],
  },
  {
    id: "task-call-forbidden",
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
    writer: "dangerous",
    reader: "safe",
    source: "safe",
    reason: "A client that calls the tool as a task may get -32601.",
    advice: "Call the tool without a task.",
    mirror: ["task-call-optional"],
  },
  {
    id: "task-call-optional",
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason: "Clients of the new contract may call the tool in a way that an old server rejects.",
    advice: "In a server, accept both kinds of call.",
    mirror: ["task-call-required", "task-call-forbidden"],
  },
];

/** Rules for HTTP headers that repeat arguments (2026-07-28, Streamable HTTP, custom headers). */
const headerRules: readonly Row[] = [
  {
    id: "header-added",
    writer: "breaking",
    reader: "safe",
    source: "safe",
    reason: "Over HTTP a server rejects the argument without its header, which an old client does not send.",
    advice: "Send the header with the argument; a client that lists the tools again does so.",
    mirror: ["header-removed"],
  },
  {
    id: "header-removed",
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
    writer: "breaking",
    reader: "breaking",
    source: "safe",
    reason:
      "Over HTTP a server rejects the argument without its header, and the other side sends another name.",
    advice: "Send the header under its new name; check proxies that route by the old one.",
    mirror: ["header-renamed"],
  },
];

/**
 * Rules for scopes that a request requires over HTTP (2026-07-28, authorization, runtime insufficient scope
 * errors).
 */
const scopeRules: readonly Row[] = [
  {
    id: "scope-added",
    writer: "breaking",
    reader: "safe",
    source: "safe",
    reason: "Over HTTP a server refuses the request with 403 until the user grants the scope to the client.",
    advice: "Ask for the scope at the next login; a client without a user needs it from the administrator.",
    mirror: ["scope-removed"],
  },
  {
    id: "scope-removed",
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The request needs a scope less. An old server names the scope in its refusal.",
    advice: "Stop asking for the scope if nothing else needs it.",
    mirror: ["scope-added"],
  },
];

/** Rules for how a tool is called, apart from its arguments. */
const callRules: readonly Row[] = [...taskRules, ...headerRules, ...scopeRules];

/**
 * Rules for the parts of a contract outside of schemas. (Rules for types and properties cover schemas.)
 * Clients write arguments; servers write results and lists.
 */
export const contractRules: readonly Row[] = [
  ...entries("tool", "tool", "breaking"),
  ...entries("prompt", "prompt", "breaking"),
  ...entries("resource-template", "resource template", "breaking"),
  // A server may add and remove resources while it runs, so their list is no promise.
  ...entries("resource", "resource", "dangerous"),
  {
    id: "method-moved",
    writer: "dangerous",
    reader: "safe",
    source: "safe",
    reason:
      "Names of the contract give one method, and it belongs to another of them now: calls compile, and go there.",
    advice:
      "In code that uses the generated client, look at each call of the method before you generate again.",
    mirror: ["method-moved"],
  },
  {
    id: "output-schema-removed",
    writer: "safe",
    reader: "breaking",
    source: "breaking",
    reason: "The server no longer promises structured content, and an old client reads it.",
    advice: "Read `content` instead, or ask the server's author to restore the schema.",
    mirror: ["output-schema-added"],
  },
  {
    id: "output-schema-added",
    writer: "dangerous",
    reader: "safe",
    source: "safe",
    reason: "Clients expect structured content; an old server does not return it.",
    advice: "In a server, return structured content that fits the schema.",
    mirror: ["output-schema-removed"],
  },
  {
    id: "schema-not-compared",
    writer: "dangerous",
    reader: "dangerous",
    source: "breaking",
    reason: "This part cannot be read in one of the two schemas, so it was not compared.",
    advice: "Compare the two by hand.",
    mirror: ["schema-not-compared"],
  },
  {
    id: "schema-rewritten",
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The schema is written differently, but no difference in the values it accepts was found.",
    advice: none,
    mirror: ["schema-rewritten"],
  },
  ...callRules,
  {
    id: "hint-weakened",
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason:
      "The tool may now do more than its old hints said; hosts use hints to decide when to ask the user.",
    advice: "Check what the tool does now before you let it run without asking the user.",
    mirror: ["hint-strengthened"],
  },
  {
    id: "hint-strengthened",
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The new hints promise less impact than the old ones.",
    advice: none,
    mirror: ["hint-weakened"],
  },
  {
    id: "media-type-changed",
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason: "The content has another media type, which an old client may not be able to read.",
    advice: "Read the media type that is sent with the content.",
    mirror: ["media-type-changed"],
  },
  {
    id: "capability-removed",
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason: "The server no longer supports a feature that a client may rely on.",
    advice: "Check the server's capabilities before you use the feature.",
    mirror: ["capability-added"],
  },
  {
    id: "capability-added",
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The server supports another feature.",
    advice: "Use it where it helps.",
    mirror: ["capability-removed"],
  },
  {
    id: "text-changed",
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "Texts for models and people changed: nothing breaks, but a model may choose tools differently.",
    advice: "Read both texts: descriptions influence what a model does.",
    mirror: ["text-changed"],
  },
  {
    id: "listing-changed",
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "Other data of the listed entry changed: neither its name, nor a text, nor a schema.",
    advice: "Check it if your code reads this data.",
    mirror: ["listing-changed"],
  },
  {
    id: "server-version-changed",
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The server reports another version number.",
    advice: none,
    mirror: ["server-version-changed"],
    hidden: true,
  },
];
