// Images, audio and blobs without base64 in any received content: the message is not changed, and a warning names the
// place.
import { describe, expect, test } from "vitest";
import { heard } from "../support/heard.mjs";
import { type Members, clientOf, served } from "../support/raw-stdio-client.js";
import { connected, reply } from "../support/scripted-stdio-server.js";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
const data = "data:image/png;base64,AAAA";
const text = { type: "text", text: "no base64: !" };
const image = { type: "image", data, mimeType: "image/png" };
const audio = { type: "audio", data, mimeType: "audio/wav" };
const lists = "2025-11-25";
const used = { type: "tool_use", id: "1", name: "t", input: {} };
const given = { type: "tool_result", toolUseId: "1", content: [text, image] };
const resource = { type: "resource", resource: { uri: "file:///a", blob: data } };

interface Case {
  readonly since: string;
  readonly content: unknown;
  /** Where the first wrong text is, from the content on. */
  readonly place: string;
}

const kinds: { readonly [kind: string]: Case } = {
  "an image": { since: "2024-11-05", content: image, place: ".data" },
  audio: { since: "2025-03-26", content: audio, place: ".data" },
  "an image of a list": { since: lists, content: [text, image, audio], place: "[1].data" },
};

const asked: { readonly [kind: string]: Case } = {
  ...kinds,
  "an image in the result of a tool": { since: lists, content: [given], place: "[0].content[1].data" },
  "a blob in the result of a tool": {
    since: lists,
    content: [{ ...given, content: [resource] }],
    place: "[0].content[0].resource.blob",
  },
};

const each = (table: typeof kinds) =>
  revisions.flatMap((revision) =>
    Object.keys(table)
      .filter((kind) => table[kind]!.since <= revision)
      .map((kind) => [kind, revision] as const),
  );

const prompt = {
  maxTokens: 5,
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "?" } }],
};
const answerOf = (content: unknown): Members => ({ role: "assistant", model: "m", content });

describe("a server warns about a model's answer", () => {
  const ways = each(kinds).flatMap(([kind, revision]) =>
    (revision === "2026-07-28" ? [false, true] : [false]).map((replay) => [kind, revision, replay] as const),
  );

  test.each(ways)("with %s (%s, replay: %s)", async (kind, revision, replay) => {
    const { content, place } = kinds[kind]!;
    const received: unknown[] = [];
    const made = served(
      (server) =>
        server.tool("ask", { replay }, async (_, { ask }) => {
          received.push((await ask.sample("s", prompt)).content);
          return "";
        }),
      replay ? { state: { parking: false } } : {},
    );
    const client = await clientOf(made, revision, { sampling: {} });
    const result = answerOf(content);
    client.answers = { "sampling/createMessage": () => ({ result }) };
    const first = await client.call("ask");
    if (client.isModern) {
      const { requestState } = first.result!;
      const again = { name: "ask", arguments: {}, requestState, inputResponses: { s: result } };
      await client.request("tools/call", again as Members);
    }
    expect(received).toEqual([content]);
    const warnings = made.warnings.filter((text) => !text.includes("runs again"));
    expect(warnings).toEqual([`sampling/createMessage: content${place} of the result is not base64`]);
  });

  test("that it requested outside of any client request", async () => {
    const made = served((server) =>
      server.tool("ask", {}, async (_, { session }) => String((await session.sample(prompt)).model)),
    );
    const client = await clientOf(made, "2025-11-25", { sampling: {} });
    client.answers = { "sampling/createMessage": () => ({ result: answerOf(image) }) };
    await client.call("ask");
    expect(made.warnings).toEqual(["sampling/createMessage: content.data of the result is not base64"]);
  });
});

describe("a client warns about a conversation for its model", () => {
  test.each(each(asked))("with %s (%s)", async (kind, revision) => {
    const { content, place } = asked[kind]!;
    const warnings: string[] = [];
    const received: unknown[] = [];
    const user = { role: "user", content };
    const messages = kind.includes("of a tool") ? [{ role: "assistant", content: [used] }, user] : [user];
    const params = { maxTokens: 5, messages };
    const { client, peer } = await connected(
      revision,
      {
        "tools/call": (request, self) =>
          request.params?.["inputResponses"]
            ? reply(self, { content: [] })
            : {
                result: {
                  resultType: "input_required",
                  inputRequests: { s: { method: "sampling/createMessage", params } },
                },
              },
      },
      {
        sample: ({ messages: [...all] }) => {
          received.push(all.at(-1)!.content);
          return { role: "assistant", model: "m", content: { type: "text", text: "" } };
        },
        onEvent: heard({ warning: (warning) => void warnings.push(warning) }),
      },
    );
    if (revision < "2026") await peer.ask("sampling/createMessage", params);
    else await client.callTool("ask");
    expect(received).toEqual([content]);
    expect(warnings).toEqual([
      `sampling/createMessage: messages[${messages.length - 1}].content${place} of the request is not base64`,
    ]);
  });
});

test("the answer to a form may have members of the same names", async () => {
  const properties = {
    type: { type: "string" },
    data: { type: "string" },
    blob: { type: "string" },
  } as const;
  const requestedSchema = { type: "object", properties } as const;
  const made = served((server) =>
    server.tool(
      "ask",
      {},
      async (_, { ask }) => (await ask.elicit("f", { message: "?", requestedSchema })).action,
    ),
  );
  const client = await clientOf(made, "2025-11-25", { elicitation: {} });
  const content = { type: "image", data: "!", blob: "!" };
  client.answers = { "elicitation/create": () => ({ result: { action: "accept", content } }) };
  expect((await client.call("ask")).result).toMatchObject({ content: [{ text: "accept" }] });
  expect(made.warnings).toEqual([]);
});

test("arguments and structured content may contain anything", async () => {
  const warnings: string[] = [];
  const held = { data, blob: data, content: [{ blob: data }] };
  const made = served((server) => server.tool("echo", {}, () => ({ content: [], structuredContent: held })));
  const raw = await clientOf(made, "2025-11-25");
  await raw.call("echo", held);
  expect(made.warnings).toEqual([]);
  const { client } = await connected(
    "2025-11-25",
    { "tools/call": () => ({ result: { content: [], structuredContent: held } }) },
    { onEvent: heard({ warning: (warning) => void warnings.push(warning) }) },
  );
  await client.callTool("echo");
  expect(warnings).toEqual([]);
});
