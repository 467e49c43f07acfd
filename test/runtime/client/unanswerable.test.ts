import { type ConnectOptions, McpError } from "@mcpgen/runtime";
import { expect, onTestFinished, test } from "vitest";
import { connected } from "../../support/scripted-stdio-server.js";
import { asked, everyWay } from "../../support/asked-client.js";
import { failureOf } from "../../support/failure-of.js";

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
const message = { role: "assistant", model: "m", content: { type: "text", text: "!" } };

/** Values that JSON cannot represent, and values that no text can. */
const unsayable: readonly (readonly [string, () => unknown])[] = [
  ["answers with a BigInt", () => ({ ...message, _meta: { big: 1n } })],
  ["answers with a cycle", () => ({ ...message, _meta: cycle })],
  ["answers with an object that serialises as nothing", () => ({ ...message, toJSON: () => undefined })],
  ["answers with an object that serialises as a number", () => ({ ...message, toJSON: () => 3 })],
  ["answers with an object that throws", () => ({ ...message, toJSON: () => fail(new Error("no")) })],
  ["answers with a function", () => () => message],
  ["throws a value without text", () => fail(Object.create(null))],
  ["throws undefined", () => fail(undefined)],
  [
    "throws an error whose data no JSON says",
    () => fail(new McpError("internal-error", "x", { data: { a: 1n } })),
  ],
];

function fail(thrown: unknown): never {
  throw thrown;
}

test.each(everyWay)(
  "an application's answer that is not JSON is a coded error (%s, %s)",
  async (revision, transport) => {
    const rejections: unknown[] = [];
    const hear = (reason: unknown): void => void rejections.push(reason);
    process.on("unhandledRejection", hear);
    onTestFinished(() => void process.off("unhandledRejection", hear));
    const question = {
      method: "sampling/createMessage",
      params: { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 5 },
    };
    for (const [what, sample] of unsayable) {
      const options = { sample: async () => sample() } as unknown as Partial<ConnectOptions>;
      const { answers, failure } = await asked(revision, transport, [question], options);
      if (revision > "2026") {
        expect(failure, what).toMatchObject({ name: "McpError", code: "internal-error" });
        expect(answers).toEqual([]);
      } else
        expect(answers[0]!.error, what).toMatchObject({
          code: -32603,
          message: expect.any(String) as string,
        });
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
  },
);

test.each(["2025-11-25", "2026-07-28"])(
  "arguments that JSON cannot express are the caller's error (%s)",
  async (revision) => {
    const { client, peer } = await connected(revision);
    for (const args of [{ a: 1n }, cycle, { toJSON: () => fail(new Error("no")) }])
      expect(await failureOf(client.callTool("x", args))).toMatchObject({
        name: "McpError",
        code: "invalid-params",
      });
    expect(peer.of("tools/call")).toEqual([]);
    await client.callTool("x");
  },
);
