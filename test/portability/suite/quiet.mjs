import { same } from "./assert.mjs";
import { legacy, newest, textOf } from "./party.mjs";

/** The number of comments that have come. */
const comments = ({ text }) => text.split("\n").filter((line) => line.startsWith(":")).length;

/** Answers that take long. On workers, a timer ends with the request that set it. */
export const quiet = [legacy.at(-1), newest].map((revision) => ({
  name: `${revision}: while a handler says nothing there are comments, also after another call has ended`,
  async run(world) {
    const party = await world.party(revision);
    const first = party.post(party.call("wait", { ms: 300 }));
    // The call ends only with its client, so that the number of comments does not depend on time.
    const second = party.post(party.call("wait", { ms: 3_600_000 }));
    same((await (await first).whole()).messages.map(textOfResult), ["waited"]);
    const answer = await second;
    same([answer.status, answer.type], [200, "text/event-stream"]);
    await answer.until((each) => comments(each) >= 3);
    answer.abort();
    const third = await party.post(party.call("wait", { ms: 3_600_000 }));
    await third.until((each) => comments(each) >= 2);
    third.abort();
    // A call of a session goes on without its client.
    if (party.session !== undefined) await party.delete();
  },
}));

const textOfResult = ({ result }) => textOf(result);
