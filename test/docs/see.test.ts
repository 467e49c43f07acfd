import { describe, expect, test } from "vitest";
import { releasedModel } from "../support/models.js";
import { revisions } from "../support/revisions.js";

describe.each(revisions)("pages of %s", (revision) => {
  test("are linked from the messages of methods, and from nothing else", async () => {
    const { methods, schema } = await releasedModel(revision);
    const linked = [...schema.definitions.values()].flatMap(({ name, see = [] }) =>
      see.map((page) => [name, page]),
    );
    const messages = methods.map(({ message, see }) => [message, see]);
    expect(linked.sort()).toEqual(messages.sort());
  });

  test("are not linked from unions of a side's messages, even from a union of one message", async () => {
    const { schema } = await releasedModel(revision);
    const unions = ["ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification"];
    const linked = unions.filter((name) => schema.definitions.get(name)?.see !== undefined);
    expect(linked).toEqual([]);
  });
});
