import { type JsonValue, canonicalText, descendants, isJsonObject } from "@mcpgen/engine";
import { expect, it } from "vitest";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { cases, seed } from "../../../support/cases.mjs";
import {
  type Carried,
  Refusal,
  carriedBy,
  deepFrozen,
  isAccepted,
  listener,
  methodOf,
  sampleOf,
  stepFor,
  withOwned,
  withStrays,
} from "./protocol.js";
import { later, models, stepsOf } from "./released.js";

/** Instances of all params and results of messages. */
const count = cases(100, 14);

/** The codes of errors in the notes about a pair. */
function codesOf({ stepNotes }: ProtocolModel, way: "lift" | "lower"): (string | undefined)[] {
  return stepNotes.filter(({ kind }) => kind === way).map(({ code }) => code);
}

/** Converts a value step by step as far as possible, and validates it at every revision. */
function travel(
  start: number,
  carried: Carried,
  value: JsonValue,
  way: "lift" | "lower",
  seen: Set<string>,
): void {
  let current = value as object;
  const towards = way === "lower" ? -1 : 1;
  for (let index = start + towards; models[index]; index += towards) {
    const target = models[index]!;
    if (!methodOf(target, carried)) return;
    const step = stepFor(stepsOf(Math.max(index, index - towards)), carried, way);
    const accepts = (each: object): boolean =>
      isAccepted(target, carried, withOwned(target, carried, each as JsonValue));
    const wasAccepted = accepts(current);
    const report = listener();
    const before = deepFrozen(current);
    try {
      current = step ? step(before, report) : before;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      expect(codesOf(models[Math.max(index, index - towards)]!, way), error.message).toContain(error.code);
      seen.add(`${way} ${error.code}`);
      return;
    }
    const text = (): string =>
      `${JSON.stringify(carried)} ${way} to ${target.revision}: ${JSON.stringify(before)} → ${JSON.stringify(current)}`;
    if (!accepts(current)) expect.fail(text());
    const isChanged = current !== before && canonicalText(plain(current)) !== canonicalText(plain(before));
    if (wasAccepted && report.losses.length === 0 && isChanged) expect.fail(`changed for nothing: ${text()}`);
    if (report.losses.length === 0 && isChanged && !isFill(before, current))
      expect.fail(`lost in silence: ${text()}`);
    for (const { how } of report.losses) seen.add(`${way} ${how}`);
  }
}

/**
 * A value without what steps add: choices have their values and titles in two lists, as before 2025-11-25, and content does not
 * repeat the structured content.
 */
function plain(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value as JsonValue)) return value as JsonValue;
  const { oneOf, ...rest } = value as { readonly oneOf?: readonly { const: JsonValue; title: JsonValue }[] };
  const isChoice = Array.isArray(oneOf) && oneOf.every((each) => isJsonObject(each) && "title" in each);
  const lists = isChoice && {
    enum: oneOf.map((each) => each.const),
    enumNames: oneOf.map(({ title }) => title),
  };
  const { content, structuredContent } = value as { readonly [name: string]: JsonValue };
  const text = [{ type: "text", text: JSON.stringify(structuredContent) ?? "" }];
  const isRepeated =
    structuredContent !== undefined && canonicalText(content ?? null) === canonicalText(text);
  const all = { ...(lists ? { ...rest, ...lists } : (value as object)), ...(isRepeated && { content: [] }) };
  return Object.fromEntries(Object.entries(all).map(([key, inner]) => [key, plain(inner)]));
}

/** Whether all leaves of the value are still there. An array of one may have become its item. */
function isFill(before: object, after: object): boolean {
  const left = leavesOf(after);
  return leavesOf(before).every((leaf) => {
    const index = left.indexOf(leaf);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}

function leavesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [JSON.stringify(value)];
  return Object.entries(value).flatMap(([key, inner]) =>
    Array.isArray(value) ? leavesOf(inner) : [key, ...leavesOf(inner)],
  );
}

const names = [
  ...new Set(
    models.flatMap(({ schema }) =>
      [...schema.definitions.values()].flatMap(({ node }) =>
        [...descendants(node)].flatMap(({ properties }) => [...(properties?.keys() ?? [])]),
      ),
    ),
  ),
].concat("__proto__", "constructor");

/** Every outcome that notes declare, except `fill`, which a separate test covers. */
const asked = new Set(
  models.flatMap(({ stepNotes }) =>
    stepNotes
      .filter(({ how }) => how !== "fill")
      .map(
        ({ kind, how, code }) => `${kind} ${how === "refuse" ? code! : how === "text" ? "text" : "dropped"}`,
      ),
  ),
);

it("translates every valid message to every other revision, or refuses it in accordance with the notes", () => {
  const seen = new Set<string>();
  const unseen = (): string[] => [...asked].filter((outcome) => !seen.has(outcome));
  let travelled = 0;
  const draw = (round: number): void => {
    for (const [start, model] of models.entries()) {
      for (const carried of carriedBy(model)) {
        const random = randomFrom(`${seed}: ${round} ${model.revision} ${JSON.stringify(carried)}`);
        for (let made = 0; made < count; made++) {
          const plain = sampleOf(model, carried, random);
          if (plain === undefined) continue;
          const stray = made % 2 === 0 ? plain : withStrays(plain, names, random);
          const value = isAccepted(model, carried, stray) ? stray : plain;
          travel(start, carried, value, "lower", seen);
          travel(start, carried, value, "lift", seen);
          travelled++;
        }
      }
    }
  };
  draw(0);
  expect(travelled).toBeGreaterThan(count * 150);
  // A rare outcome, such as a schema that is true, may need more draws.
  for (let round = 1; round < 20 && unseen().length > 0; round++) draw(round);
  expect(unseen()).toEqual([]);
});

it("writes schemas that are true or false as objects that mean the same", () => {
  const step = stepsOf(later.indexOf("2026-07-28") + 1).serverSteps.outgoingResults.get("tools/list")!;
  const tools = (properties: JsonValue): { tools: JsonValue[] } => ({
    tools: [{ name: "t", inputSchema: { type: "object", properties } }],
  });
  const report = listener();
  const before = deepFrozen(tools({ x: false, y: true, z: { type: "string" } }));
  expect(step(before, report)).toEqual(tools({ x: { not: {} }, y: {}, z: { type: "string" } }));
  expect(report.losses.map(({ pointer, how }) => [pointer, how])).toEqual([
    ["/tools/0/inputSchema/properties/x", "filled"],
    ["/tools/0/inputSchema/properties/y", "filled"],
  ]);
});
