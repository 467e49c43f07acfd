// Bytes in the answer to a sampling request leave as base64.
import { expect, test } from "vitest";
import { asked, everyWay } from "../../support/asked-client.js";

const question = {
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 5 },
};

const kinds = {
  "a Uint8Array": new Uint8Array([0, 1, 2]),
  "a Blob": new Blob([new Uint8Array([0, 1, 2])]),
};

test.each(everyWay)("%s, %s", async (revision, transport) => {
  for (const [kind, data] of Object.entries(kinds)) {
    const { answers, failure } = await asked(revision, transport, [question], {
      sample: () => ({
        role: "assistant",
        model: "m",
        content: { type: "image", data, mimeType: "image/png" },
      }),
    });
    expect(failure, kind).toBeUndefined();
    expect(answers[0]!.result?.["content"]).toEqual({ type: "image", data: "AAEC", mimeType: "image/png" });
  }
});
