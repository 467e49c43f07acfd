import { callRules } from "./calls.js";
import type { Rule } from "./rule.js";

const area = "contracts" as const;
const none = "Nothing to do.";

/** An entry of a list that comes or goes: clients ask for it, the server answers. */
function entries(kind: string, noun: string, removed: Rule["writer"]): Rule[] {
  return [
    {
      id: `${kind}-removed`,
      area,
      writer: removed,
      reader: "safe",
      source: "breaking",
      reason: `Who asks for the ${noun} gets an error.`,
      advice: `Stop asking for the ${noun}; look whether another one took its place.`,
      mirror: [`${kind}-added`],
    },
    {
      id: `${kind}-added`,
      area,
      writer: "safe",
      reader: "dangerous",
      source: "safe",
      reason: `Clients of the new contract ask for a ${noun} that an old server does not have.`,
      advice: "Use it where it helps; in a server, write it.",
      mirror: [`${kind}-removed`],
    },
  ];
}

/**
 * What contracts say beyond schemas, which the rules of types and properties are about: arguments are written by
 * clients, results and the lists themselves by servers.
 */
export const contractRules: readonly Rule[] = [
  ...entries("tool", "tool", "breaking"),
  ...entries("prompt", "prompt", "breaking"),
  ...entries("resource-template", "resource template", "breaking"),
  // Resources come and go while a server runs: a list of them is no promise.
  ...entries("resource", "resource", "dangerous"),
  {
    id: "output-schema-removed",
    area,
    writer: "safe",
    reader: "breaking",
    source: "breaking",
    reason: "Structured content is promised no more, and an old client reads it.",
    advice: "Read the content, or ask for the schema back.",
    mirror: ["output-schema-added"],
  },
  {
    id: "output-schema-added",
    area,
    writer: "dangerous",
    reader: "safe",
    source: "safe",
    reason: "Structured content is promised now; an old server does not give it.",
    advice: "In a server, give structured content that fits the schema.",
    mirror: ["output-schema-removed"],
  },
  {
    id: "schema-not-compared",
    area,
    writer: "dangerous",
    reader: "dangerous",
    source: "breaking",
    reason: "One of the two schemas cannot be read, so nothing is known of the difference.",
    advice: "Compare the two by hand.",
    mirror: ["schema-not-compared"],
  },
  {
    id: "schema-rewritten",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The schema is written in another way, and no difference in what it takes was found.",
    advice: none,
    mirror: ["schema-rewritten"],
  },
  ...callRules,
  {
    id: "hint-weakened",
    area,
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason: "The tool may do more than it said, and hosts ask their users by what it says.",
    advice: "Look at what the tool does now before you let it run unasked.",
    mirror: ["hint-strengthened"],
  },
  {
    id: "hint-strengthened",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The tool says that it does less than it might have.",
    advice: none,
    mirror: ["hint-weakened"],
  },
  {
    id: "media-type-changed",
    area,
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason: "The content is of another kind, which an old client may not read.",
    advice: "Read the media type that comes with the content.",
    mirror: ["media-type-changed"],
  },
  {
    id: "capability-removed",
    area,
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason: "The server does no more what a client may count on.",
    advice: "Look at the server's capabilities before you use it.",
    mirror: ["capability-added"],
  },
  {
    id: "capability-added",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The server can do more.",
    advice: "Use it where it helps.",
    mirror: ["capability-removed"],
  },
  {
    id: "text-changed",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "Models and people read other words: nothing breaks, but tools may be chosen otherwise.",
    advice: "Read both: what a model is told is a part of what it does.",
    mirror: ["text-changed"],
  },
  {
    id: "listing-changed",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "What the list says beside names, texts and schemas is another.",
    advice: "Look at it if you read it.",
    mirror: ["listing-changed"],
  },
  {
    id: "server-version-changed",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The server says that it is another version of itself.",
    advice: none,
    mirror: ["server-version-changed"],
    hidden: true,
  },
];
