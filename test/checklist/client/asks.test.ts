import { createServer } from "node:http";
import { type ConnectOptions, connect, memoryChannels, userRejected } from "@mcpgen/runtime";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished, vi } from "vitest";
import {
  type Members,
  type ScriptedPeer,
  base,
  connected,
  reply,
} from "../../support/scripted-stdio-server.js";
import { row } from "./rows.js";
import { listen } from "../../support/listen.js";

/** The outcome of a question to the client: its answer or its error. */
interface Outcome {
  readonly result?: Members;
  readonly code?: number | string;
  readonly message?: string;
}

/** Asks in the way of the era: by a request, or in the course of a call. */
async function ask(
  revision: string,
  method: string,
  params: Members | undefined,
  options: Partial<ConnectOptions>,
): Promise<Outcome> {
  const question = { method, ...(params && { params }) };
  const { client, peer } = await connected(revision, { "tools/call": asking(question) }, options);
  if (revision < "2026") {
    const { result, error } = await peer.ask(method, params);
    return error ?? { result: result! };
  }
  try {
    await client.callTool("ask");
  } catch (error) {
    expect(peer.of("tools/call")).toHaveLength(1);
    return error as Outcome;
  }
  return { result: peer.of("tools/call")[1]!.params!["inputResponses"].it as Members };
}

const asking =
  (question: Members) =>
  ({ params }: { readonly params?: Members }, peer: ScriptedPeer) =>
    params?.["inputResponses"] === undefined
      ? { result: { resultType: "input_required", inputRequests: { it: question } } }
      : reply(peer, { content: [] });

const requestedSchema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
  required: ["name"],
};
const form = { message: "Who?", requestedSchema };
const page = { mode: "url", message: "Sign in", url: "https://example.com/", elicitationId: "1" };
const messages = [{ role: "user", content: { type: "text", text: "?" } }];
const sampled = { role: "assistant", content: { type: "text", text: "!" }, model: "m" } as const;

row("ELIC-01", "without the capability there is no such method", async (revision) => {
  expect(await ask(revision, "elicitation/create", form, {})).toMatchObject({ code: -32601 });
  if (revision < "2025-11") return;
  // A mode that was not declared, beside one that was (2025-11-25, elicitation, error handling).
  const elicit = () => ({ action: "cancel" }) as const;
  const elicitUrl = () => ({ action: "cancel" }) as const;
  expect(await ask(revision, "elicitation/create", page, { elicit })).toMatchObject({ code: -32602 });
  expect(await ask(revision, "elicitation/create", form, { elicit: { url: elicitUrl } })).toMatchObject({
    code: -32602,
  });
});

row("ELIC-03", "without a mode it is a form", async (revision) => {
  const elicit = vi.fn(() => ({ action: "accept" as const, content: { name: "Ada" } }));
  const elicitUrl = vi.fn(() => ({ action: "accept" as const }));
  const { result } = await ask(revision, "elicitation/create", form, {
    elicit: { form: elicit, url: elicitUrl },
  });
  expect(result).toEqual({ action: "accept", content: { name: "Ada" } });
  expect(elicit).toHaveBeenCalledOnce();
  expect(elicitUrl).not.toHaveBeenCalled();
});

row("ELIC-04", "accepted content is validated against the form before it is sent", async (revision) => {
  const wrong = [
    { name: 5 },
    { age: 3 },
    { name: "Ada", age: "x" },
    { name: "Ada", age: -1 },
    { name: "Ada", age: 1.5 },
  ];
  for (const content of wrong) {
    const elicit = () => ({ action: "accept" as const, content: content as never });
    const outcome = await ask(revision, "elicitation/create", form, { elicit });
    expect(outcome, JSON.stringify(content)).toMatchObject({
      message: expect.stringContaining("content.") as string,
    });
    expect(outcome.result).toBeUndefined();
  }
});

row("ELIC-09", "a page is left alone until the user agrees", async (revision) => {
  let hits = 0;
  const canary = createServer((_, response) => (hits++, response.end()));
  const port = await listen(canary);
  onTestFinished(() => void canary.close());
  const url = `http://127.0.0.1:${port}/secret`;
  const hitsWhenAsked: number[] = [];
  for (const action of ["decline", "accept"] as const) {
    const elicitUrl = async (given: { readonly url: string }) => {
      hitsWhenAsked.push(hits);
      if (action === "accept") await fetch(given.url);
      return { action };
    };
    const { result } = await ask(
      revision,
      "elicitation/create",
      { ...page, url },
      { elicit: { url: elicitUrl } },
    );
    expect(result).toEqual({ action });
  }
  expect(hitsWhenAsked).toEqual([0, 0]);
  expect(hits).toBe(1);
});

row("ELIC-10", "forms that are more than flat are refused", async (revision) => {
  const nested: Members[] = [
    { type: "object", properties: { name: { type: "object", properties: {} } } },
    { type: "object", properties: { list: { type: "array", items: { type: "object" } } } },
    { type: "array", items: { type: "string" } },
    { type: "object", properties: { name: { $ref: "#/$defs/name" } } },
  ];
  for (const schema of nested) {
    const elicit = vi.fn();
    const question = { message: "?", requestedSchema: schema };
    const { code } = await ask(revision, "elicitation/create", question, { elicit });
    expect(code).toBe(revision < "2026" ? -32602 : "invalid-params");
    expect(elicit).not.toHaveBeenCalled();
  }
});

row("SAMP-01", "a refusal of the user's is -1, a missing capability -32601", async (revision) => {
  const params = { messages, maxTokens: 5 };
  const sample = (): never => {
    throw userRejected();
  };
  expect(await ask(revision, "sampling/createMessage", params, { sample })).toMatchObject({ code: -1 });
  expect(await ask(revision, "sampling/createMessage", params, {})).toMatchObject({ code: -32601 });
  // If a handler returns nothing, the client sends an error, not a response without a result.
  const nothing = (() => undefined) as never;
  expect(await ask(revision, "sampling/createMessage", params, { sample: nothing })).toMatchObject({
    code: -32603,
  });
});

row("SAMP-03", "results of tools stand alone, and answer each use", async (revision) => {
  const use = (id: string) => ({ type: "tool_use", id, name: "t", input: {} });
  const result = (toolUseId: string) => ({ type: "tool_result", toolUseId, content: [] });
  const text = { type: "text", text: "and" };
  const conversation = (...answers: Members[]) => [
    ...messages,
    { role: "assistant", content: [use("a"), use("b")] },
    { role: "user", content: answers },
  ];
  const sample = vi.fn(() => sampled);
  const outcome = (given: Members[]) =>
    ask(
      revision,
      "sampling/createMessage",
      { messages: given, maxTokens: 5, tools: [] },
      { sample: { answer: sample, tools: true } },
    );
  const refused = [
    conversation(result("a"), result("b"), text),
    conversation(result("a")),
    conversation(text),
    conversation(result("a"), result("b"), result("c")),
    [...messages, { role: "assistant", content: [use("a")] }],
  ];
  for (const given of refused)
    expect((await outcome(given)).code).toBe(revision < "2026" ? -32602 : "invalid-params");
  expect(sample).not.toHaveBeenCalled();
  expect((await outcome(conversation(result("b"), result("a")))).result).toEqual(sampled);
  const tools = await ask(
    revision,
    "sampling/createMessage",
    { messages, maxTokens: 5, tools: [] },
    { sample },
  );
  expect(tools.code).toBe(revision < "2026" ? -32602 : "invalid-params");
});

row("ROOT-01", "the server is notified when roots change, as was declared", async (revision) => {
  let list = [{ uri: "file:///a" }];
  const { client, peer } = await connected(revision, {}, { roots: () => list });
  expect(peer.received[0]!.params!["capabilities"].roots).toEqual({ listChanged: true });
  expect((await peer.ask("roots/list")).result).toEqual({ roots: list });
  list = [{ uri: "file:///b" }];
  await client.rootsChanged();
  await peer.until("notifications/roots/list_changed");
  expect((await peer.ask("roots/list")).result).toEqual({ roots: list });
});

row("ROOT-02", "a root that is no file is refused on this side", async (revision) => {
  const roots = [{ uri: "file:///a" }, { uri: "http://example.com/" }];
  const [near] = memoryChannels();
  await expect(connect(near, { ...base(new VirtualClock()), revision, roots })).rejects.toMatchObject({
    code: "invalid-definition",
    message: expect.stringContaining("http://example.com/") as string,
  });
  const { result, message } = await ask(revision, "roots/list", undefined, { roots: () => roots });
  expect(result).toBeUndefined();
  expect(message).toContain("http://example.com/");
});

row("ROOT-03", "without roots there is no such method", async (revision) => {
  expect(await ask(revision, "roots/list", undefined, {})).toMatchObject({ code: -32601 });
});
