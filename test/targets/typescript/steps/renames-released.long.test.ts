import { type JsonObject, type JsonValue, canonicalise, isJsonObject, readSchema } from "@mcpgen/engine";
import { expect, it } from "vitest";
import { planSteps } from "../../../../generator/targets/typescript/steps/methods.js";
import { diffModels } from "../../../../generator/diff/diff-models.js";
import { buildModel } from "../../../../generator/model/build-model.js";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { assumeNotes } from "../../../../generator/model/assume.js";
import { type Random, randomFrom } from "../../../../generator/sample/values.js";
import { cases, seed } from "../../../support/cases.mjs";
import { documentOf } from "../../../support/revisions.js";
import { notes } from "../../../support/notes.js";
import { stepsBetween } from "./between.js";
import { carriedBy, deepFrozen, isAccepted, listener, sampleOf, stepFor } from "./protocol.js";

/** Instances of all params and results of messages. */
const count = cases(10, 4);

/** Members whose names have a meaning in the protocol, so they are not renamed. */
const fixed = new Set(["_meta", "error", "id", "jsonrpc", "method", "params", "result", "resultType"]);

interface Renaming {
  readonly target: string;
  readonly from: string;
}

/** The document with some members renamed, and the list of these members. */
function withRenamed(document: JsonObject, random: Random): { document: JsonObject; renamed: Renaming[] } {
  const copy = structuredClone(document);
  const renamed: Renaming[] = [];
  const chosen: { [key: string]: boolean } = {};
  for (const [name, node] of Object.entries(copy["$defs"] as { [name: string]: JsonObject })) {
    const { properties } = node;
    if (!isJsonObject(properties)) continue;
    for (const key of Object.keys(properties)) {
      // The same suffix everywhere: the tag of a union still distinguishes its arms.
      if (fixed.has(key) || key.includes("/") || !(chosen[key] ??= random.chance(0.4))) continue;
      properties[`${key}Again`] = properties[key]!;
      delete properties[key];
      const { required } = node;
      if (Array.isArray(required))
        node["required"] = required.map((each) => (each === key ? `${key}Again` : each));
      renamed.push({ target: `/$defs/${name}/properties/${key}Again`, from: key });
    }
  }
  return { document: copy, renamed };
}

function modelOf(revision: string, document: JsonObject, renamed: readonly Renaming[] = []): ProtocolModel {
  const canonical = canonicalise(document);
  const entries = renamed.map((each) => ({ kind: "renamed", previous: "r1", ...each }));
  const all = [...assumeNotes(canonical).notes, ...notes(...entries)];
  return buildModel({ revision, status: "draft", schema: readSchema(canonical), notes: all }).model;
}

it.each(["2025-11-25", "2026-07-28"])(
  "%s with other names carries everything there and back",
  async (revision) => {
    const random = randomFrom(`${seed}: renames of ${revision}`);
    const original = documentOf(revision);
    const { document, renamed } = withRenamed(original, random);
    const old = modelOf("r1", original);
    const all = modelOf("r2", document, renamed);
    const idle = new Set(planSteps(old, all).renames.idle.map(({ target }) => target));
    const effective = renamed.filter(({ target }) => !idle.has(target));
    expect(effective.length).toBeGreaterThan(20);
    const next = modelOf("r2", document, effective);

    const steps = await stepsBetween(old, next);
    let changed = 0;
    for (const carried of carriedBy(next)) {
      const [lower, lift] = [stepFor(steps, carried, "lower"), stepFor(steps, carried, "lift")];
      for (let made = 0; made < count; made++) {
        const sample = sampleOf(next, carried, random);
        if (sample === undefined || !isAccepted(next, carried, sample)) continue;
        const value = deepFrozen(sample);
        const report = listener();
        const older = deepFrozen(lower ? lower(value, report) : value);
        const text = `${JSON.stringify(carried)}: ${JSON.stringify(value)} → ${JSON.stringify(older)}`;
        expect(report.losses, text).toEqual([]);
        expect(isAccepted(old, carried, older as JsonValue), text).toBe(true);
        expect(lift ? lift(older, report) : older, text).toEqual(value);
        expect(report.losses, text).toEqual([]);
        if (older !== value) changed++;
      }
    }
    expect(changed).toBeGreaterThan(20);
    const findings = diffModels(old, next);
    const targets = new Set(effective.map(({ target }) => target));
    const halves = findings.filter(
      ({ rule, pointers }) => rule.startsWith("property-added") && targets.has(pointers.new!),
    );
    expect(halves.map(({ pointers }) => pointers.new)).toEqual([]);
    expect(findings.filter(({ rule }) => rule === "property-renamed").length).toBeGreaterThan(20);
  },
);
