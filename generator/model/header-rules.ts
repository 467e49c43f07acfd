import { type Schema, type SchemaNode, naturalCompare, pointerTokens } from "@mcpgen/engine";
import type { NoteProblem } from "../notes/apply.js";
import type { HeaderNote } from "../notes/note.js";
import type { Message } from "./messages.js";
import type { HeaderRule } from "./model.js";
import { conjuncts, memberNodes } from "./object-view.js";

/** The headers that repeat a part of a message. A part that the message does not describe is a problem. */
export function headerRules(
  schema: Schema,
  notes: readonly HeaderNote[],
  messages: readonly Message[],
  problems: NoteProblem[],
): HeaderRule[] {
  const definitions = new Map(messages.map(({ method, definition }) => [method, definition]));
  const rules: HeaderRule[] = [];
  for (const note of notes) {
    for (const method of note.targets) {
      const node = definitions.get(method)?.node;
      if (method !== "*" && !node) continue;
      if (node && note.from !== null && !mayHave(schema, node, pointerTokens(note.from))) {
        const message = `the message has no member at ${note.from}, which ${note.header} is to repeat`;
        problems.push({ code: "MG1202", note, target: method, message });
        continue;
      }
      rules.push({ header: note.header, method, from: note.from });
    }
  }
  return rules.sort((a, b) => naturalCompare(a.header, b.header) || naturalCompare(a.method, b.method));
}

/** Whether a value may have a member at a place: one that the schema names, or one among any others. */
export function mayHave(schema: Schema, node: SchemaNode, tokens: readonly string[]): boolean {
  let nodes = [node];
  for (const token of tokens) {
    const members = nodes.flatMap((each) => memberNodes(schema, each, token));
    if (members.length === 0) return nodes.flatMap((each) => conjuncts(schema, each)).every(takesOthers);
    nodes = members;
  }
  return true;
}

/** Whether the schema lets members come that it does not name: it says so, or it names none. */
function takesOthers({ types, properties, additionalProperties: others }: SchemaNode): boolean {
  if (types && !types.includes("object")) return false;
  return properties === undefined || (others !== undefined && !others.never);
}
