import { readFileSync } from "node:fs";
import { type JsonObject, canonicalise } from "@mcpgen/engine";
import { expect, it } from "vitest";
import { undocumented } from "../../../../generator/revision/schema-source.js";
import { resolveRevision } from "../../../../generator/revision/revision-source.js";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { carryNotes } from "../../../../generator/revision/carried-notes.js";
import { parseNotes } from "../../../../generator/notes/parse.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { mutate } from "../../../support/schema-changes/operators.js";
import { cases, seed } from "../../../support/cases.mjs";
import { documentOf, revisions } from "../../../support/revisions.js";
import { stepsBetween } from "./between.js";
import {
  Refusal,
  carriedBy,
  deepFrozen,
  isAccepted,
  listener,
  methodOf,
  sampleOf,
  stepFor,
  takesOwned,
  withOwned,
} from "./protocol.js";

const newest = revisions.at(-1)!;
const document = documentOf(newest);
const file = new URL(`../../../../schema/${newest}/notes.json`, import.meta.url);
const notesFile = {
  file: "notes.json",
  text: readFileSync(file, "utf8"),
  value: JSON.parse(readFileSync(file, "utf8")) as JsonObject,
} as unknown as Parameters<typeof carryNotes>[2];

const count = cases(440, 2);

/** A revision with the changed document, and the notes that are carried over to it. */
async function modelOf(changed: JsonObject, revision: string): Promise<ProtocolModel> {
  const canonical = canonicalise(changed);
  const place = { file: "schema.json", text: "" };
  const { notes } = await carryNotes(place, canonical, notesFile);
  const parsed = parseNotes({ file: "notes.json", value: { format: 1, notes: [...notes] } });
  const about = { revision, status: "draft" } as const;
  return (await resolveRevision(place, canonical, parsed, { ...about, docs: undocumented })).model;
}

it(`${count} random successors of ${newest}: values that both accept are kept, the rest is converted or refused`, async () => {
  const base = await modelOf(document, newest);
  expect(takesOwned(base)).toBe(true);
  const failed: string[] = [];
  let asked = 0;
  for (let index = 0; index < count; index++) {
    const random = randomFrom(`successor ${seed} ${index}`);
    const { document: changed, changes } = mutate(document, 1 + random.below(3), random);
    const next = await modelOf(changed, "2027-01-01");
    const steps = await stepsBetween(base, next);
    for (const [source, target, way] of [
      [base, next, "lift"],
      [next, base, "lower"],
    ] as const) {
      for (const carried of carriedBy(source).filter((each) => methodOf(target, each))) {
        for (let draw = 0; draw < 4; draw++) {
          const value = sampleOf(source, carried, random);
          if (value === undefined || !isAccepted(source, carried, value)) continue;
          const isTaken = isAccepted(target, carried, value);
          const asks = value["resultType"] === "input_required";
          if (asks && isTaken) asked++;
          // Requests inside of results belong to the era, which converts each of them separately.
          if (!isTaken && (asks || !takesOwned(target))) continue;
          const context = `${changes.join("; ")}: ${way} ${JSON.stringify(carried)} ${JSON.stringify(value)}`;
          try {
            const step = stepFor(steps, carried, way);
            const made = (step ? step(deepFrozen(value), listener()) : value) as JsonObject;
            const filled = isTaken ? made : withOwned(target, carried, made);
            if (!isAccepted(target, carried, filled)) failed.push(`spoiled: ${context}`);
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            if (isTaken) failed.push(`${error.code} at ${error.pointer}: ${context}`);
          }
        }
      }
    }
  }
  expect(failed).toEqual([]);
  expect(asked).toBeGreaterThan(0);
}, 3_600_000);
