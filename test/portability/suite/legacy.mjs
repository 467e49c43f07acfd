import { ok, same } from "./assert.mjs";
import { legacy, newest, textOf } from "./party.mjs";
import { gateName } from "./world.mjs";

const token = { _meta: { progressToken: "t" } };

/** Clients of the revisions before 2026-07-28: cases with one request and one answer. */
export const oneByOne = [
  ...legacy.map((revision) => ({
    name: `${revision}: handshake, calls, errors and progress`,
    async run(world) {
      const party = await world.party(revision);
      const handshake = await party.initialize();
      same(handshake.messages[0].result.protocolVersion, revision);
      same(await party.tool("echo", { text: "hello, wörld" }), "hello, wörld");
      same((await party.request("ping")).result, {});
      same((await party.request("no/such")).error.code, -32601);
      same((await party.request("tools/call", { name: "fail", arguments: {} })).result.isError, true);
      const stepped = await (await party.post(party.call("steps", { count: 2 }, token))).whole();
      same(
        stepped.messages.map(({ params, result }) => params?.progress ?? textOf(result)),
        [1, 2, "stepped"],
      );
    },
  })),
  {
    name: "an unknown version is answered with one that is served",
    async run(world) {
      const party = world.raw("2025-11-25");
      same((await party.initialize("1999-01-01")).messages[0].result.protocolVersion, "2025-11-25");
    },
  },
  {
    name: "a batch is answered as one where the revision has batches, and refused where not",
    async run(world) {
      const party = await world.party("2025-03-26");
      const requests = [party.message("ping"), party.call("echo", { text: "a" }), party.message("no/such")];
      const silent = { jsonrpc: "2.0", method: "notifications/initialized" };
      for (const accept of ["application/json", "text/event-stream"]) {
        const answer = await (await party.post([silent, ...requests], { accept })).whole();
        same(answer.messages.map(({ id }) => id).sort(), requests.map(({ id }) => id).sort(), accept);
      }
      same((await party.post([silent])).status, 202);
      const later = await world.party("2025-06-18");
      same((await later.post([later.message("ping")])).status, 400);
    },
  },
  {
    name: "both eras are served at once",
    async run(world) {
      const parties = await Promise.all([...legacy, newest].map((revision) => world.party(revision)));
      const called = parties.flatMap((party) =>
        Array.from({ length: 5 }, (_, index) => party.tool("echo", { text: `${party.revision} ${index}` })),
      );
      const expected = parties.flatMap(({ revision }) =>
        Array.from({ length: 5 }, (_, index) => `${revision} ${index}`),
      );
      same(await Promise.all(called), expected);
    },
  },
  {
    name: "without sessions any process answers, and GET is refused at once",
    needs: ["inside"],
    async run(world) {
      const [first, second] = [0, 1].map(() => world.serve({}, { sessions: false }));
      const party = await world.party("2025-06-18", {}, first);
      same(party.session, undefined);
      const other = world.raw("2025-06-18", {}, second);
      same(await other.tool("echo", { text: "elsewhere" }), "elsewhere");
      same((await other.get()).status, 405);
      same((await other.delete()).status, 405);
    },
  },
];

/** Sessions: state that outlives a request. */
export const sessions = [
  {
    name: "a session is needed, is known by its id alone, and ends with DELETE",
    needs: ["sessions"],
    async run(world) {
      const party = await world.party("2025-11-25");
      ok(/^[\w-]{22}$/.test(party.session), "an id of 128 bits");
      const stranger = world.raw("2025-11-25");
      same((await stranger.post(stranger.message("ping"))).status, 400);
      stranger.session = "made-up";
      same((await stranger.post(stranger.message("ping"))).status, 404);
      same((await party.post(party.message("ping"), { "mcp-protocol-version": "1900-01-01" })).status, 400);
      same((await party.request("ping")).result, {});
      same((await party.delete()).status, 204);
      same((await party.post(party.message("ping"))).status, 404);
    },
  },
  {
    name: "a GET stream hears what belongs to no request, and nothing else",
    needs: ["sessions"],
    async run(world) {
      const party = await world.party("2025-11-25");
      const stream = await party.get();
      same([stream.status, stream.type], [200, "text/event-stream"]);
      await party.tool("steps", { count: 2 });
      await party.tool("change");
      await stream.count(1);
      same(
        stream.messages.map(({ method }) => method),
        ["notifications/tools/list_changed"],
      );
      same((await party.get({ accept: "application/json" })).status, 406);
      same((await world.raw("2025-11-25").get()).status, 405);
    },
  },
  ...["2025-06-18", "2025-11-25"].map((revision) => ({
    name: `${revision}: the server asks in the stream of the call, and the answer is posted`,
    needs: ["sessions"],
    async run(world) {
      const party = await world.party(revision, { elicitation: {} });
      const answer = await party.post(party.call("greet"));
      await answer.count(1);
      const [asked] = answer.messages;
      same(asked.method, "elicitation/create");
      const reply = { jsonrpc: "2.0", id: asked.id, result: { action: "accept", content: { name: "Ada" } } };
      same((await party.post(reply)).status, 202);
      await answer.whole();
      same(textOf(answer.messages.at(-1).result), "Hello, Ada");
    },
  })),
  ...["abort", "drop"].map((way) => ({
    name: `missed events of a stream are sent again, all once and in order: ${way}`,
    needs: ["sessions"],
    async run(world) {
      const party = await world.party("2025-11-25");
      const name = gateName();
      const cut = await party.post(party.call("hold", { name, steps: 3 }, token));
      await cut.count(3);
      const [priming, first] = cut.events;
      same([priming.data, priming.retry], ["", "1000"]);
      await cut[way]();
      await party.tool("open", { name });
      const resumed = await party.get({ "last-event-id": first.id });
      await resumed.whole();
      same(
        resumed.messages.map(({ params, result }) => params?.progress ?? textOf(result)),
        [2, 3, 4, 5, 6, "held"],
      );
      same((await party.get({ "last-event-id": "nothing" })).status, 400);
    },
  })),
  {
    name: "a client that goes away has not cancelled; the notification does",
    needs: ["sessions"],
    async run(world) {
      const party = await world.party("2025-11-25");
      const name = gateName();
      const call = party.call("hold", { name, steps: 1 }, token);
      const answer = await party.post(call);
      await answer.count(1);
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: call.id } };
      same((await party.post(cancel)).status, 202);
      same(await party.tool("seen", { name, what: "aborted" }), "aborted");
      await answer.whole();
      same([answer.complete, answer.messages.length], [true, 1]);
      await party.tool("open", { name });
    },
  },
  {
    name: "a handler ends the connection, and the client comes back for the rest",
    needs: ["sessions"],
    async run(world) {
      const party = await world.party("2025-11-25");
      const name = gateName();
      const polled = await (await party.post(party.call("poll", { name }))).whole();
      same([polled.complete, polled.events.map(({ retry }) => retry)], [true, ["1000", "700"]]);
      await party.tool("open", { name });
      const rest = await (await party.get({ "last-event-id": polled.events[0].id })).whole();
      same(textOf(rest.messages.at(-1).result), "polled");
    },
  },
];
