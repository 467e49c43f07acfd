// Random successors of the newest revision: after each change, all sent messages conform to their revision. Values that
// no step can express are errors or reported losses.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { expect, test } from "vitest";
import { randomFrom } from "../../generator/sample/values.js";
import { newest, next } from "../support/made-up-revision.js";
import { cases, seed } from "../support/cases.mjs";
import { documentOf, revisions } from "../support/revisions.js";
import { mutate } from "../support/schema-changes/operators.js";
import { type Conversation, type Tables, converse } from "./conversation.js";
import { comparable, judged } from "./judge.js";
import { successorOf } from "./successor.js";

const count = cases(200, 4);

const documents = new Map(revisions.map((revision) => [revision as string, documentOf(revision)]));
const released: Tables = { server: serverRevisions, client: clientRevisions };

/** Milliseconds after which a stop of the new revision ends: a notification that is refused never comes. */
const longestStop = 1_000;

/** A client of each revision, at a server of all. */
async function ownConversations(tables: Tables): Promise<Conversation[]> {
  const held: Conversation[] = [];
  for (const { id: revision } of tables.client)
    held.push(await converse(tables, { revision, ...(revision === next && { longestStop }) }));
  return held;
}

/** Peers that know the new revision with peers that know only the released ones. */
async function mixedConversations({ server, client }: Tables): Promise<Conversation[]> {
  return [
    await converse({ server: released.server, client }),
    await converse({ server, client: released.client }),
  ];
}

test(`${count} random successors of ${newest}: every sent message matches its revision`, async () => {
  const before = documents.get(newest)!;
  const usual = await ownConversations(released);
  const wrong: unknown[] = [];
  const seen = { brought: 0, served: 0 };
  for (let index = 0; index < count; index++) {
    const random = randomFrom(`conversations ${seed} ${index}`);
    const { document, changes } = mutate(before, 1 + random.below(3), random);
    const successor = await successorOf(document, before);
    if (successor instanceof Error) continue;
    if (successor.refused !== undefined) wrong.push({ index, changes, refused: successor.refused });
    seen.brought++;
    const tables: Tables = {
      server: [...released.server.slice(0, -1), ...successor.tables.server],
      client: [...released.client.slice(0, -1), ...successor.tables.client],
    };
    const held = await ownConversations(tables);
    for (const conversation of [...held, ...(await mixedConversations(tables))]) {
      const { revision } = conversation;
      const { invalid } = judged(conversation, documents.get(revision) ?? successor.document);
      if (invalid.length > 0) wrong.push({ index, changes, revision, invalid });
    }
    for (const old of usual) {
      const now = held.find(({ revision }) => revision === old.revision)!;
      expect([changes, comparable(now, next)]).toEqual([changes, comparable(old, next)]);
    }
    if (held.at(-1)!.failed.length === 0) seen.served++;
  }
  expect(wrong).toEqual([]);
  expect(seen.brought).toBeGreaterThan(count * 0.9);
  expect(seen.served).toBeGreaterThan(count / 2);
}, 3_600_000);
