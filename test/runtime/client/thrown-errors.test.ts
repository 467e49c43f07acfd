// The error that a server gets when a handler of a client throws.
import { McpError } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { asked, everyWay } from "../../support/asked-client.js";

const secret = "no such file: /home/ada/key";
const hidden = "the client failed to answer";
const sampling = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 5 },
};
const questions = [sampling, { method: "acme/a", params: {} }];

const coded = { code: -7, message: "no", data: { why: "policy" } };

const cases = [
  [undefined, () => new Error(secret), { code: -32603, message: hidden }],
  ["hide", () => new Error(secret), { code: -32603, message: hidden }],
  ["message", () => new Error(secret), { code: -32603, message: secret }],
  ["message", () => secret, { code: -32603, message: secret }],
  [
    "hide",
    () => new McpError("timeout", "the model is slow"),
    { code: -32603, message: "the model is slow" },
  ],
  ["hide", () => new McpError("cancelled", coded.message, { rpcCode: coded.code, data: coded.data }), coded],
  [
    "message",
    () => new McpError("cancelled", coded.message, { rpcCode: coded.code, data: coded.data }),
    coded,
  ],
] as const;

test.each(everyWay)("%s, %s", async (revision, transport) => {
  // The transport sends what the client answers: one case of each setting shows that.
  const some = transport === "http" ? [cases[0], cases[2]] : cases;
  for (const [thrown, make, error] of some) {
    const fails = (): never => {
      throw make();
    };
    const { answers, failure } = await asked(revision, transport, questions, {
      sample: fails,
      prepare: (client) => void client.handle("acme/a", fails),
      ...(thrown ? { errors: { thrown } } : {}),
    });
    if (revision > "2026") {
      // No error goes to the server; the caller gets it.
      expect(answers).toEqual([]);
      expect(failure).toBeInstanceOf(McpError);
    } else expect(answers.map((answer) => answer.error)).toEqual([error, error]);
  }
});
