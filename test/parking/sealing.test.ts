import { expect, test } from "vitest";
import { raw } from "../support/raw-stdio-client.js";
import { uncaughtErrors } from "../support/uncaught.js";
import { questionOf } from "./answers.js";
import { nextTurn } from "./journal.js";
import { modern } from "./line.js";

test("a client may cancel a call while its round is sealed, although the round cannot be sent", async () => {
  const uncaught = uncaughtErrors();
  const params = { ...questionOf("k", "flag").params, message: 5 } as never;
  const ends: unknown[] = [];
  const { client } = await raw(
    modern,
    (server) =>
      void server.tool("t", {}, async (_, { ask }) => {
        await ask.elicit("k", params).catch((error: unknown) => ends.push(error));
        return "";
      }),
    { elicitation: {} },
  );
  // Sealing takes some turns.
  for (let turns = 0; turns < 8; turns++) {
    const id = client.startCall("t");
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    client.cancel(id);
  }
  await expect.poll(() => ends.length).toBe(8);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  expect(uncaught).toEqual([]);
});
