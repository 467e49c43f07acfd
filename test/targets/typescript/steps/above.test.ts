import { describe, expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import type { Revision, Role, Step } from "@mcpgen/protocol/model";
import { type Loss, McpError } from "@mcpgen/runtime";
import { randomFrom } from "../../../../generator/sample/values.js";
import {
  type RevisionView,
  type StepKind,
  linkRevisions,
} from "../../../../runtime/core/protocol/revision-view.js";
import { type Carried, carriedBy, methodOf, sampleOf, tableOf } from "./protocol.js";
import { cases, seed } from "../../../support/cases.mjs";
import { releasedModel } from "../../../support/models.js";
import { opposite, pinnedAt } from "../../../support/pinned-revisions.js";
import { revisions } from "../../../support/revisions.js";

// For revisions above the vocabulary, a role uses the steps of the other role. So it behaves like the other role below
// its own vocabulary, which `test/targets/typescript/steps` tests against the schemas.

const models = await Promise.all(revisions.map(releasedModel));

const published = { client: clientRevisions, server: serverRevisions };

/** The revisions of a role as they are generated with the vocabulary at `place`. */
const pinned = (role: Role, place: number): readonly Revision[] => pinnedAt(revisions[place]!)[role];

type Outcome = readonly [value: unknown, losses: readonly object[]];

/** The outcome for a value: the converted value with its losses, or the reason for the refusal. */
function outcome(
  all: readonly Revision[],
  run: (views: readonly RevisionView[]) => unknown,
  vocabulary?: string,
): Outcome {
  const losses: Loss[] = [];
  const views = linkRevisions(all, { vocabulary, send: "off", onLoss: (loss) => losses.push(loss) });
  const reported = (): object[] => losses.map(({ pointer, what, how }) => ({ pointer, what, how }));
  try {
    return [run(views), reported()];
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return [error.data, reported()];
  }
}

const viewOf = (views: readonly RevisionView[], index: number): RevisionView =>
  views.find(({ id }) => id === revisions[index])!;

/** The table of steps for a value, for the role that sends or receives it. */
function kindOf(carried: Carried, direction: "incoming" | "outgoing"): StepKind {
  return `${direction}${tableOf(carried)}`;
}

const writerOf = ({ part, sender }: Carried): Role => (part === "params" ? sender : opposite(sender));

/** Random params and results of all messages that two revisions have in common. */
function* drawn(from: number, to: number, name: string): Generator<readonly [Carried, object]> {
  const random = randomFrom(`${name} ${seed}`);
  for (const carried of carriedBy(models[from]!).filter((each) => methodOf(models[to]!, each)))
    for (let draw = 0; draw < count; draw++) {
      const value = sampleOf(models[from]!, carried, random);
      if (value !== undefined) yield [carried, value];
    }
}

const count = cases(100, 3);

const pairs = revisions.flatMap((_, place) =>
  revisions.flatMap((_other, index) => (index > place ? [[place, index] as const] : [])),
);

describe.each(pairs)("with the vocabulary at %i, a revision at %i above it", (place, index) => {
  test("is read like the peer writes it for an older revision", () => {
    for (const [carried, value] of drawn(index, place, "read")) {
      const { method } = carried;
      const writer = writerOf(carried);
      const read = outcome(
        pinned(opposite(writer), place),
        (views) => viewOf(views, index).lift(kindOf(carried, "incoming"), method, value as never),
        revisions[place],
      );
      const written = outcome(published[writer].slice(0, index + 1), (views) =>
        viewOf(views, place).lower(kindOf(carried, "outgoing"), method, value as never),
      );
      expect(read, JSON.stringify([carried, value])).toEqual(written);
    }
  });

  test("is written like the peer reads an older revision", () => {
    for (const [carried, value] of drawn(place, index, "written")) {
      const { method } = carried;
      const writer = writerOf(carried);
      const written = outcome(
        pinned(writer, place),
        (views) => viewOf(views, index).lower(kindOf(carried, "outgoing"), method, value as never),
        revisions[place],
      );
      const read = outcome(published[opposite(writer)].slice(0, index + 1), (views) =>
        viewOf(views, place).lift(kindOf(carried, "incoming"), method, value as never),
      );
      expect(written, JSON.stringify([carried, value])).toEqual(read);
    }
  });
});

test("revisions below the vocabulary do not depend on revisions above it", () => {
  const place = 2;
  for (const [carried, value] of drawn(0, place, "below")) {
    const { method } = carried;
    const reader = opposite(writerOf(carried));
    const run = (views: readonly RevisionView[]): unknown =>
      viewOf(views, 0).lift(kindOf(carried, "incoming"), method, value as never);
    const alone = outcome(published[reader].slice(0, place + 1), run);
    expect(outcome(pinned(reader, place), run)).toEqual(alone);
  }
});

test("a request that the vocabulary cannot express is refused", () => {
  const refuse: Step = (_, report) => report.refuse({ code: "no-form", pointer: "/x", reason: "no" });
  const outgoingRequests = new Map([["tools/call", refuse]]);
  const all = pinned("server", 3).map((revision) =>
    revision.peerSteps ? { ...revision, peerSteps: { ...revision.peerSteps, outgoingRequests } } : revision,
  );
  const view = linkRevisions(all, { vocabulary: revisions[3], send: "off" })[0]!;
  expect(() => view.lift("incomingRequests", "tools/call", {})).toThrow(
    expect.objectContaining({ code: "not-expressible", message: "/x: no" }) as Error,
  );
});

test.each(["client", "server"] as const)(
  "messages that a %s sends above its vocabulary are always checked",
  (role) => {
    const place = 2;
    const checkedAt = (vocabulary?: string): string[] =>
      linkRevisions(pinned(role, place), { vocabulary, send: "off" })
        .filter(({ sends }) => sends)
        .map(({ id }) => id)
        .reverse();
    expect(checkedAt(revisions[place])).toEqual(revisions.slice(place + 1));
    expect(checkedAt(revisions.at(-1))).toEqual([]);
  },
);
