import {
  type Ask,
  type AskOptions,
  type ConnectOptions,
  type ServerOptions,
  memoryStateStore,
} from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { failureOf } from "../../support/failure-of.js";
import { clientOf, eras, routes, serverWith } from "../../support/served.js";
import { asked, everyWay } from "./asked.js";

// What a gateway passes on, it does not check: `checkAnswers: false` at both of its ends.

const fields = {
  type: "object" as const,
  properties: { ok: { type: "boolean" as const } },
  required: ["ok" as const],
};
const user = (content: object) => ({ role: "user", content });
const toolResult = { type: "tool_result", toolUseId: "1", content: [] };

const elicit = {
  form: () => ({ action: "accept", content: { ok: "maybe" } }),
  url: () => ({ action: "accept" }),
};
const sample = () => ({ role: "assistant", content: { type: "text", text: "." }, model: "m" });
/** What is sent is checked against the revision, unless this is off, too. */
const validation = { checkAnswers: false, send: "off" } as const;
const answerer = {
  elicit,
  sample: { answer: sample, tools: true },
  roots: () => [{ uri: "file:///a/../b" }],
} as unknown as Partial<ConnectOptions>;

interface Case {
  readonly method: string;
  readonly params?: object;
  /** The first revision that has it. */
  readonly since: string;
  readonly result: object;
}

const answered = { action: "accept", content: { ok: "maybe" } };
const cases: Readonly<Record<string, Case>> = {
  "content that does not fit its form": {
    method: "elicitation/create",
    params: { message: "?", requestedSchema: fields },
    since: "2025-06-18",
    result: answered,
  },
  "a page that is not safe": {
    method: "elicitation/create",
    params: { mode: "url", message: "?", url: "http://example.com", elicitationId: "1" },
    since: "2025-11-25",
    result: { action: "accept" },
  },
  "a tool result that no message asked for": {
    method: "sampling/createMessage",
    params: { messages: [user(toolResult)], maxTokens: 1 },
    since: "2025-11-25",
    result: sample(),
  },
  "roots that readers could take for other places": {
    method: "roots/list",
    since: "2024-11-05",
    result: { roots: [{ uri: "file:///a/../b" }] },
  },
};

describe.each(everyWay)("a client of %s over %s", (revision, transport) => {
  const known = Object.entries(cases).filter(([, { since }]) => revision >= since);
  test.each(known)("passes %s, if it checks nothing", async (_, { method, params, result }) => {
    const question = { method, ...(params && { params: params as never }) };
    const checked = await asked(revision, transport, [question], answerer);
    expect([checked.failure, checked.answers[0]?.["error"]].some(Boolean)).toBe(true);
    const { answers, failure } = await asked(revision, transport, [question], { ...answerer, validation });
    expect(failure).toBeUndefined();
    expect(answers[0]!.result).toEqual(result);
  });
});

const runsAgain = {
  keys: ["a secret that processes share"],
  parking: false,
  store: memoryStateStore(),
} as const;

/** The outcome of a tool that asks with these options, at a client that checks nothing. */
async function askedBy(
  [wire, revision]: (typeof routes)[number],
  asks: (ask: Ask, options: AskOptions) => Promise<unknown>,
  checkAnswers: boolean | undefined,
  state?: ServerOptions["state"],
) {
  let answer: unknown;
  const server = serverWith({ validation: { send: "off" }, ...(state && { state }) });
  server.tool("t", { replay: state !== undefined }, async (_, { ask }) => {
    answer = await asks(ask, checkAnswers === undefined ? {} : { checkAnswers });
    return "done";
  });
  const client = await clientOf(server, wire, revision, { ...answerer, validation });
  const result = await client.callTool("t").catch(() => ({ isError: true }));
  return { answer, failed: result.isError === true };
}

const questions: readonly ((ask: Ask, options: AskOptions) => Promise<unknown>)[] = [
  (ask, options) => ask.elicit("k", { message: "?", requestedSchema: fields }, options),
  (ask, options) => ask.sample("k", { messages: [user(toolResult)], maxTokens: 1 } as never, options),
];
const answers = [answered, sample()];

describe.each(routes)("a server over %s to a client of %s", (...route) => {
  test.each([
    ["waits", undefined],
    ["runs again", runsAgain],
  ] as const)("passes what is wrong, if it checks nothing (the handler %s)", async (_, state) => {
    for (const [index, asks] of questions.entries()) {
      const refused = { answer: undefined, failed: true };
      expect(await askedBy(route, asks, undefined, state)).toEqual(refused);
      expect(await askedBy(route, asks, true, state)).toEqual(refused);
      expect(await askedBy(route, asks, false, state)).toEqual({ answer: answers[index], failed: false });
    }
  });
});

test.each(eras)(
  "at %s a question that the client has not declared is refused all the same",
  async (revision) => {
    const server = serverWith();
    server.tool("t", {}, async (_, { ask }) => {
      await ask.roots("k", { checkAnswers: false });
      return "done";
    });
    const client = await clientOf(server, "memory", revision, { elicit: () => expect.fail("asked") });
    const failure = await failureOf(client.callTool("t"));
    const text = failure ? (failure as Error).message : JSON.stringify(await client.callTool("t"));
    expect(text).toContain("the client has not declared the capability roots");
  },
);

test("requests of a session pass what is wrong, too", async () => {
  const server = serverWith({ validation: { send: "off" } });
  const client = await clientOf(server, "memory", "2025-11-25", { ...answerer, validation });
  await client.ping();
  const [session] = server.sessions;
  const form = { message: "?", requestedSchema: fields } as never;
  await expect(session!.elicit(form)).rejects.toMatchObject({ code: "invalid-result" });
  expect(await session!.elicit(form, { checkAnswers: false })).toEqual(answered);
});
