import { memoryStateStore } from "@mcpgen/runtime";
import { ok, same } from "./assert.mjs";
import { newest, textOf } from "./party.mjs";

const asking = { elicitation: {} };

/** Asks in the modern era: rounds, with the state between them sealed (2026-07-28, multi round-trip requests). */
export const rounds = [
  {
    name: "a call that asks is answered with what it asks, and goes on with the answer",
    async run(world) {
      const party = world.raw(newest, asking);
      const { result } = await party.request("tools/call", { name: "greet", arguments: {} });
      same([result.resultType, Object.keys(result.inputRequests)], ["input_required", ["name"]]);
      same(result.inputRequests.name.method, "elicitation/create");
      const read = result.requestState.split(".").map(atobUrl).join();
      ok(!read.includes("order"), "the state cannot be read");
      same(textOf((await answered(party, result.requestState)).result), "Hello, Ada");
      const next = await party.request("tools/call", { name: "greet", arguments: {} });
      same(
        textOf((await answered(party, next.result.requestState, { action: "decline" })).result),
        "decline",
      );
    },
  },
  {
    name: "a state that was changed, or belongs to another request, is refused",
    async run(world) {
      const party = world.raw(newest, asking);
      const { result } = await party.request("tools/call", { name: "greet", arguments: {} });
      const state = result.requestState;
      const middle = Math.floor(state.length / 2);
      const other = state[middle] === "A" ? "B" : "A";
      for (const forged of [
        state.slice(0, middle) + other + state.slice(middle + 1),
        state.slice(4),
        "",
        "%",
      ])
        same((await answered(party, forged)).error.code, -32602, forged.slice(0, 8));
      const elsewhere = {
        name: "greet",
        arguments: { other: true },
        requestState: state,
        inputResponses: {},
      };
      same((await party.request("tools/call", elsewhere)).error.code, -32602);
      same(textOf((await answered(party, state)).result), "Hello, Ada");
    },
  },
  {
    name: "a client without the capability gets an error that names it",
    async run(world) {
      const party = world.raw(newest);
      const answer = await (await party.post(party.call("greet"))).whole();
      same([answer.status, answer.messages[0].error.code], [400, -32021]);
    },
  },
  {
    name: "servers that share a key share rounds, old keys count, and others do not",
    needs: ["inside"],
    async run(world) {
      const secrets = ["a secret of tests, the first", "a secret of tests, the second"];
      const served = (keys) =>
        world.raw(
          newest,
          asking,
          world.serve({ state: { keys, parking: false, store: memoryStateStore() } }),
        );
      const [first, second, third] = [[secrets[0]], [secrets[1], secrets[0]], [secrets[1]]].map(served);
      const { result } = await first.request("tools/call", { name: "greet", arguments: {} });
      same(textOf((await answered(second, result.requestState)).result), "Hello, Ada, who ordered twice");
      same((await answered(third, result.requestState)).error.code, -32602);
      const ofKeys = world.warnings.filter((text) => /state\.keys/.test(text));
      same(ofKeys, []);
    },
  },
  {
    name: "a key of one process alone is warned of, once",
    needs: ["inside"],
    async run(world) {
      const party = world.raw(newest, asking, world.serve({ state: { parking: false } }));
      for (let count = 0; count < 2; count++)
        await party.request("tools/call", { name: "greet", arguments: {} });
      same([world.warnings.length, /state\.keys/.test(world.warnings[0])], [1, true]);
    },
  },
];

/** The next round of `greet`. */
function answered(party, requestState, response = { action: "accept", content: { name: "Ada" } }) {
  const inputResponses = { name: response };
  return party.request("tools/call", { name: "greet", arguments: {}, requestState, inputResponses });
}

function atobUrl(text) {
  return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
}
