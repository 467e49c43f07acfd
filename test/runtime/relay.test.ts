import { clientRevisions } from "@mcpgen/protocol";
import {
  type AskedRequest,
  type Client,
  type ConnectOptions,
  type InputRequired,
  type Server,
  type ServerOptions,
  type Source,
  connect,
  memoryStateStore,
} from "@mcpgen/runtime";
import { createHttpHandler } from "@mcpgen/runtime/http";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { cases, seed } from "../support/cases.mjs";
import { type Wire, serverWith, sourceOf } from "../support/served.js";

// A front that forwards calls and the rounds of input of a server behind it keeps nothing between two rounds.

const keys = ["a secret that all fronts have"];

interface Question {
  readonly kind: "form" | "url" | "sample" | "roots";
  /** Characters of the question and of its answer. */
  readonly asks: number;
  readonly answers: number;
}

/** The questions of a conversation, round by round. */
type Plan = readonly (readonly Question[])[];

const question = fc.record<Question>({
  kind: fc.constantFrom("form", "url", "sample", "roots"),
  asks: fc.integer({ min: 0, max: 3000 }),
  answers: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 3000 }) }, fc.constant(50_000)),
});
const large: Question = { kind: "form", asks: 0, answers: 1_000_000 };
const plans = fc
  .array(fc.array(question, { minLength: 1, maxLength: 2 }), { maxLength: 4 })
  .filter((rounds) => rounds.flat().length <= 4);

const askedOf = ({ kind, asks, answers }: Question): AskedRequest => {
  const message = `${answers} ${"?".repeat(asks)}`;
  const text = { type: "string" as const };
  const forms = {
    form: {
      method: "elicitation/create",
      params: { mode: "form", message, requestedSchema: { type: "object", properties: { text } } },
    },
    url: {
      method: "elicitation/create",
      params: { mode: "url", message, url: "https://example.com/page", elicitationId: "1" },
    },
    sample: {
      method: "sampling/createMessage",
      params: { messages: [{ role: "user", content: { type: "text", text: message } }], maxTokens: 10 },
    },
    roots: { method: "roots/list" },
  };
  return forms[kind] as AskedRequest;
};

/** A server whose tool asks the questions of its argument, and answers with what it got. */
function backOf(replay: boolean): Server {
  const state = replay ? ({ keys, parking: false, store: memoryStateStore() } as const) : {};
  const back = serverWith({ state });
  back.tool("talk", { inputSchema: { type: "object" }, replay }, async (args, { ask }) => {
    const heard: object[] = [];
    for (const [round, questions] of (args as { plan: Plan }).plan.entries()) {
      const asked = questions.map((each, at) => [`${round}.${at}`, askedOf(each)] as const);
      heard.push(await ask.all(Object.fromEntries(asked)));
    }
    return JSON.stringify(heard);
  });
  return back;
}

interface User {
  /** The questions that it got. */
  readonly asked: unknown[];
  readonly options: Partial<ConnectOptions>;
}

/** A user who answers each question by its text. */
function user(): User {
  const asked: unknown[] = [];
  const answerTo = (message: string): string => "!".repeat(Number.parseInt(message, 10));
  const options: Partial<ConnectOptions> = {
    elicit: {
      form: ({ message, requestedSchema }) => {
        asked.push({ message, requestedSchema });
        return { action: "accept", content: { text: answerTo(message) } };
      },
      url: ({ message, url }) => {
        asked.push({ message, url });
        return { action: "decline" };
      },
    },
    sample: ({ messages, maxTokens }) => {
      asked.push({ messages, maxTokens });
      const [{ content }] = messages as unknown as [{ content: { text: string } }];
      return { role: "assistant", content: { type: "text", text: answerTo(content.text) }, model: "m" };
    },
    roots: () => {
      asked.push("roots");
      return [{ uri: "file:///home" }];
    },
  };
  return { asked, options };
}

const options = { revisions: clientRevisions, onEvent: () => true };

/** The client of a front: it can be asked for all, and its functions are never called. */
function clientBehind(source: Source): Promise<Client> {
  const never = (): never => expect.fail("the front answered a question");
  const functions = { elicit: { form: never, url: never }, sample: never, roots: never };
  return connect(source, { ...options, revision: "2026-07-28", ...functions });
}

/** Forwards each call, and what its server asks. */
function frontOf(back: Client, state?: ServerOptions["state"]): Server {
  const front = serverWith({ capabilities: { tools: {} }, ...(state && { state }) });
  front.handle("tools/call", (params, { signal }) =>
    back.request<InputRequired, string>("tools/call", params, { signal, inputRequired: "return" }),
  );
  return front;
}

/** Sends each request to another front, which has its own connection to the server behind it and is closed after the answer. */
function balanced(source: () => Promise<Source>): NonNullable<NonNullable<ConnectOptions["http"]>["fetch"]> {
  return async (url, init) => {
    const client = await clientBehind(await source());
    const front = createHttpHandler(frontOf(client, { keys, parking: false }), {
      allowedHosts: ["front.example"],
    });
    const response = await front.fetch(new Request(url, init as RequestInit));
    const { status, headers } = response;
    const text = await response.text();
    await Promise.all([front.close(), client.close()]);
    return new Response(status === 202 ? null : text, { status, headers: headers as Headers });
  };
}

/** How a conversation went. */
async function talked(source: Source, plan: Plan, more: Partial<ConnectOptions>): Promise<object> {
  const { asked, options: functions } = user();
  const client = await connect(source, { ...options, ...functions, ...more });
  try {
    const { content, isError } = await client.callTool("talk", { plan });
    return {
      content,
      isError,
      asked: asked.toSorted((one, other) => (String(one) < String(other) ? -1 : 1)),
    };
  } finally {
    await client.close();
  }
}

const behind: readonly (readonly [Wire, "waits" | "runs again"])[] = [
  ["memory", "runs again"],
  ["stdio", "runs again"],
  ["HTTP", "runs again"],
  ["HTTP", "waits"],
];

test.each(behind)(
  "each round on another front, a conversation ends as without it (over %s, the handler %s)",
  { timeout: 240_000 },
  async (wire, how) => {
    const back = backOf(how === "runs again");
    const shared = wire === "HTTP" ? await sourceOf(back, wire) : undefined;
    const source = async (): Promise<Source> => shared ?? (await sourceOf(back, wire));
    const revision = "2026-07-28";
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const http = { fetch: balanced(source) };
        const through = await talked("http://front.example/mcp", plan, { revision, http });
        expect(through).toEqual(await talked(await source(), plan, { revision }));
        expect(through).toMatchObject({ asked: { length: plan.flat().length } });
      }),
      { seed, numRuns: cases(200, 50), examples: [[[[large], [{ ...large, answers: 1 }]]]] },
    );
  },
);

test.each(["2025-11-25", "2026-07-28"])(
  "one front serves clients of %s in the same way",
  { timeout: 240_000 },
  async (revision) => {
    const back = backOf(false);
    const client = await clientBehind(await sourceOf(back, "memory"));
    onTestFinished(() => client.close());
    const front = frontOf(client);
    await fc.assert(
      fc.asyncProperty(plans, fc.constantFrom<Wire>("memory", "stdio"), async (plan, wire) => {
        const through = await talked(await sourceOf(front, wire), plan, { revision });
        expect(through).toEqual(await talked(await sourceOf(back, wire), plan, { revision }));
      }),
      { seed, numRuns: cases(200, 50) },
    );
    expect(front.stats().gauges.parked).toBe(0);
  },
);
