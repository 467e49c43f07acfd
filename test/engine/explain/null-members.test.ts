// Null in the place of each member that the schemas describe, in every message that a role of a revision receives.
import { type JsonObject, type JsonValue, atPointer } from "@mcpgen/engine";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import type { Judge, Revision } from "@mcpgen/protocol/model";
import { describe, expect, test } from "vitest";
import { minimalValid, sampleValid } from "../../../generator/sample/sample.js";
import { randomFrom } from "../../../generator/sample/values.js";
import { withoutWrongNulls } from "@mcpgen/engine/explain";
import { cases, seed } from "../../support/cases.mjs";
import { releasedModel } from "../../support/models.js";
import { type Described, describedMembers } from "./schema-members.js";

/** The validators of what a role receives. */
function received({ table }: Revision): Judge[] {
  const definitions = [
    ...table.incomingRequests.values(),
    ...table.incomingNotifications.values(),
    ...[...table.outgoingRequests.values()].flatMap(({ result }) => result ?? []),
  ];
  return definitions.map(({ accepts }) => accepts);
}

function changed(value: JsonValue, { owner, name }: Described, member: null | undefined): JsonValue {
  const copy = structuredClone(value) as JsonValue;
  const object = atPointer(copy, owner) as { [name: string]: JsonValue };
  if (member === undefined) delete object[name];
  else object[name] = member;
  return copy;
}

const placeOf = ({ owner, name }: Described): string =>
  `${owner}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

describe.each(serverRevisions.map(({ id }) => id))("%s", async (id) => {
  const { schema } = await releasedModel(id);
  const validators = (await import(`@mcpgen/protocol/${id}/validators`)) as Record<string, Judge>;
  // Also tests each definition by itself: samples of whole messages are not deep enough to contain all.
  const known = [...schema.definitions.keys()]
    .map((name) => ({ name, accepts: validators[`accepts${name}`]! }))
    .filter(({ accepts }) => accepts);

  test("every message of both roles is tested", () => {
    const roles = [serverRevisions, clientRevisions].map((all) => all.find((each) => each.id === id)!);
    const messages = roles.flatMap((revision) => received(revision));
    expect(messages.length).toBeGreaterThan(20);
    expect(messages.filter((judge) => known.every(({ accepts }) => accepts !== judge))).toEqual([]);
  });

  test.each(known)("$name", ({ name, accepts }) => {
    const random = randomFrom(`${name} ${seed}`);
    const drawn = Array.from({ length: cases(50, 2) }, () => sampleValid(schema, name, random));
    const faults: string[] = [];
    for (const value of [minimalValid(schema, name), ...drawn]) {
      if (value === undefined || !accepts(value)) continue;
      const members = describedMembers(schema, name, value);
      for (const member of members) {
        const given = changed(value, member, null);
        if (accepts(given)) continue;
        const read = withoutWrongNulls(accepts, given);
        const absent = changed(value, member, undefined);
        const isOptional = accepts(absent);
        const place = placeOf(member);
        const note = `${place} of ${JSON.stringify(value)}`;
        if (!isOptional && accepts(read.value)) faults.push(`taken: ${note}`);
        if (isOptional && JSON.stringify(read) !== JSON.stringify({ value: absent, places: [place] }))
          faults.push(`${JSON.stringify(read.places)} for ${note}`);
        if (isOptional === member.isRequired) faults.push(`${isOptional ? "optional" : "required"}: ${note}`);
      }
      // Some serialisers write null for every absent member.
      const absent = members.filter((member) => {
        const object = atPointer(value, member.owner) as JsonObject;
        return !member.isRequired && !Object.hasOwn(object, member.name);
      });
      const whole = absent.reduce((all, member) => changed(all, member, null), value);
      const read = withoutWrongNulls(accepts, whole);
      if (!accepts(read.value)) faults.push(`all nulls of ${JSON.stringify(whole)}`);
      const left = absent.filter((member) => !read.places.includes(placeOf(member)));
      for (const member of left)
        if (!accepts(changed(value, member, null)))
          faults.push(`left: ${placeOf(member)} of ${JSON.stringify(whole)}`);
    }
    expect(faults.slice(0, 5)).toEqual([]);
  });
});
