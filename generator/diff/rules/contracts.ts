import { callRules } from "./calls.js";
import type { Rule } from "./rule.js";

const area = "contracts" as const;
const none = "Nothing to do.";

/** An entry is added to a list or removed, or a live server lists it wrong: clients request it, the server answers. */
function entries(kind: string, noun: string, removed: Rule["writer"]): Rule[] {
  return [
    {
      id: `${kind}-removed`,
      area,
      writer: removed,
      reader: "safe",
      source: "breaking",
      reason: `A request for the ${noun} gets an error.`,
      advice: `Stop requesting the ${noun}; look for a replacement.`,
      mirror: [`${kind}-added`],
    },
    {
      id: `${kind}-added`,
      area,
      writer: "safe",
      reader: "dangerous",
      source: "safe",
      reason: `Clients of the new contract may request a ${noun} that an old server does not have.`,
      advice: "Use it where it helps; a server must implement it.",
      mirror: [`${kind}-removed`],
    },
    {
      id: `${kind}-invalid`,
      area,
      writer: removed,
      reader: "safe",
      source: "breaking",
      reason: `The live server lists the ${noun}, and its definition is invalid: clients leave it out.`,
      advice: `Correct the ${noun} in the server.`,
      mirror: [`${kind}-invalid`],
      isOneFinding: true,
    },
  ];
}

/**
 * The parts of a contract beyond schemas; the rules of types and properties cover schemas. Clients write arguments;
 * servers write results and the lists.
 */
export const contractRules: readonly Rule[] = [
  ...entries("tool", "tool", "breaking"),
  ...entries("prompt", "prompt", "breaking"),
  ...entries("resource-template", "resource template", "breaking"),
  // A server may add and remove resources while it runs, so their list is not a promise.
  ...entries("resource", "resource", "dangerous"),
  {
    id: "method-moved",
    area,
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
    area,
    writer: "safe",
    reader: "breaking",
    source: "breaking",
    reason: "The server no longer promises structured content, and an old client reads it.",
    advice: "Read `content` instead, or ask the server's author to restore the schema.",
    mirror: ["output-schema-added"],
  },
  {
    id: "output-schema-added",
    area,
    writer: "dangerous",
    reader: "safe",
    source: "safe",
    reason: "Clients expect structured content; an old server does not return it.",
    advice: "In a server, return structured content that fits the schema.",
    mirror: ["output-schema-removed"],
  },
  {
    id: "schema-not-compared",
    area,
    writer: "dangerous",
    reader: "dangerous",
    source: "breaking",
    reason: "This part cannot be read in one of the two schemas, so it was not compared.",
    advice: "Compare the two by hand.",
    mirror: ["schema-not-compared"],
  },
  {
    id: "schema-rewritten",
    area,
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
    area,
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
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The new hints promise less impact than the old ones.",
    advice: none,
    mirror: ["hint-weakened"],
  },
  {
    id: "media-type-changed",
    area,
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason: "The content has another media type, which an old client may not be able to read.",
    advice: "Read the media type that is sent with the content.",
    mirror: ["media-type-changed"],
  },
  {
    id: "capability-removed",
    area,
    writer: "safe",
    reader: "dangerous",
    source: "safe",
    reason: "The server no longer supports a feature that a client may rely on.",
    advice: "Check the server's capabilities before you use the feature.",
    mirror: ["capability-added"],
  },
  {
    id: "capability-added",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The server supports another feature.",
    advice: "Use it where it helps.",
    mirror: ["capability-removed"],
  },
  {
    id: "text-changed",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "Texts for models and people changed: nothing breaks, but a model may choose tools differently.",
    advice: "Read both texts: descriptions influence what a model does.",
    mirror: ["text-changed"],
  },
  {
    id: "listing-changed",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "Other data of the listed entry changed: neither its name, nor a text, nor a schema.",
    advice: "Check it if your code reads this data.",
    mirror: ["listing-changed"],
  },
  {
    id: "server-version-changed",
    area,
    writer: "safe",
    reader: "safe",
    source: "safe",
    reason: "The server reports another version number.",
    advice: none,
    mirror: ["server-version-changed"],
    hidden: true,
  },
];
