import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type HandlerContext, McpError, createServer } from "@mcpgen/runtime";
import { VirtualClock, createTestPair } from "@mcpgen/testing";
import { expect, test } from "vitest";
import { badValues, unhandledRejections } from "./bad-values.js";

const revisions = serverRevisions.map(({ id }) => id);

/** The revisions, and whether the handler runs again for an answer. */
const ways = [...revisions.map((revision) => [revision, false] as const), ["2026-07-28", true] as const];

const unhandled = unhandledRejections();

/** Runs one tool, which uses its context with a value, and a client whose user answers with one. */
async function pairOf(
  revision: string,
  run: (context: HandlerContext) => unknown,
  answer: () => unknown,
  replay = false,
) {
  const clock = new VirtualClock();
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      clock,
      capabilities: { logging: {} },
      onEvent: () => true,
      ...(replay && { state: { parking: false } }),
    },
  );
  server.tool("t", { replay }, async (_, context) => {
    await run(context);
    return "done";
  });
  const pair = await createTestPair({
    server,
    revisions: clientRevisions,
    revision,
    clock,
    logLevel: "debug",
    elicit: answer as never,
    sample: answer as never,
    roots: answer as never,
    onEvent: () => true,
  });
  return {
    // The result is in an object, because a promise cannot resolve with every value that the application may throw.
    call: () =>
      pair.client.callTool("t").then(
        (result) => ({ result, error: undefined }),
        (error: unknown) => ({ result: undefined, error }),
      ),
    close: async () => {
      await pair.close();
      expect(clock.waiting).toBe(0);
    },
  };
}

const form = { message: "?", requestedSchema: { type: "object", properties: {} } } as const;
const messages = [{ role: "user", content: { type: "text", text: "?" } }] as const;

/** Uses of the context by handlers, each with a value that the types do not allow. */
const uses: { readonly [name: string]: (context: HandlerContext, value: never) => unknown } = {
  "ask.elicit with it": ({ ask }, value) => ask.elicit("k", value),
  "ask.elicit with it inside": ({ ask }, value) => ask.elicit("k", { ...form, _meta: { value } } as never),
  "ask.url with it": ({ ask }, value) => ask.url("k", value),
  "ask.sample with it": ({ ask }, value) => ask.sample("k", value),
  "ask.sample with it inside": ({ ask }, value) =>
    ask.sample("k", { messages: [...messages], maxTokens: 1, metadata: { value } }),
  "ask.all with it": ({ ask }, value) => ask.all({ k: value }),
  "an ask that is not awaited": ({ ask }, value) => void ask.sample("k", { messages: [], maxTokens: value }),
  "once that gives it": ({ once }, value) => once("k", () => value),
  "once that throws it": ({ once }, value) =>
    once("k", () => {
      throw value;
    }),
  "once that throws it, and is not awaited": ({ once }, value) =>
    void once("k", () => Promise.reject(value as Error)),
  "log of it": ({ log }, value) => log("info", value),
  "log at its level": ({ log }, value) => log(value, "text"),
  "progress of it": ({ progress }, value) => progress(value),
  "progress with its total": ({ progress }, value) => progress(1, value),
  "progress with its message": ({ progress }, value) => progress(1, 2, value),
};

test.each(ways)(
  "every request is answered, for any use of the context by its handler (%s, replay: %s)",
  async (revision, replay) => {
    let run: (context: HandlerContext) => unknown = () => {};
    const { call, close } = await pairOf(
      revision,
      (context) => run(context),
      () => ({ action: "accept", content: {} }),
      replay,
    );
    const wrong: string[] = [];
    for (const [name, make] of Object.entries(badValues))
      for (const [use, run_] of Object.entries(uses)) {
        run = (context) => run_(context, make() as never);
        const { result, error } = await call();
        const ok = error instanceof McpError || Array.isArray(result?.content);
        if (!ok) wrong.push(`${use}: ${name}`);
      }
    await close();
    expect(wrong).toEqual([]);
    expect(unhandled.count).toBe(0);
  },
);

/** How a user's answer may fail. */
const answers: { readonly [name: string]: (value: unknown) => unknown } = {
  throws: (value) => {
    throw value;
  },
  rejects: (value) => Promise.reject(value as Error),
  gives: (value) => value,
  "gives it inside": (value) => ({
    action: "accept",
    content: {},
    role: "assistant",
    model: "m",
    _meta: { value },
  }),
  "throws it as data": (value) => {
    throw new McpError("internal-error", "x", { rpcCode: -32603, data: { value } });
  },
};

const asks: { readonly [name: string]: (context: HandlerContext) => unknown } = {
  elicitation: ({ ask }) => ask.elicit("k", form),
  sampling: ({ ask }) => ask.sample("k", { messages: [...messages], maxTokens: 1 }),
  roots: ({ ask }) => ask.roots("k"),
};

test.each(ways)(
  "every request of the server is answered, for any value from the application (%s, replay: %s)",
  async (revision, replay) => {
    let ask = asks["roots"]!;
    let answer: () => unknown = () => {};
    const { call, close } = await pairOf(
      revision,
      (context) => ask(context),
      () => answer(),
      replay,
    );
    const wrong: string[] = [];
    for (const [kind, run] of Object.entries(asks))
      for (const [way, give] of Object.entries(answers))
        for (const [name, make] of Object.entries(badValues)) {
          ask = run;
          answer = () => give(make());
          const { result, error } = await call();
          const failed = error instanceof McpError || result?.isError === true;
          // JSON leaves functions and symbols out, so that such an answer is good.
          const fine = way === "gives it inside" && kind === "elicitation";
          if (!failed && !fine) wrong.push(`${kind} ${way} ${name}: ${JSON.stringify(result)}`);
        }
    await close();
    expect(wrong).toEqual([]);
    expect(unhandled.count).toBe(0);
  },
);

test.each(revisions)("an option of an ask that does not exist is named (%s)", async (revision) => {
  const refused: unknown[] = [];
  const run = async ({ ask }: HandlerContext): Promise<void> => {
    const options = { timeot: 1 } as never;
    const asks = [
      ask.elicit("a", form, options),
      ask.sample("b", { messages: [...messages], maxTokens: 1 }, options),
      ask.roots("c", options),
      ask.all({ d: { method: "roots/list" } }, options),
    ];
    for (const each of asks) refused.push(await each.catch((error: unknown) => error));
  };
  const pair = await pairOf(revision, run, () => ({ action: "cancel" }));
  await pair.call();
  await pair.close();
  expect(refused).toHaveLength(4);
  for (const error of refused)
    expect(error).toMatchObject({
      code: "invalid-definition",
      message: "timeot: there is no such option. Did you mean timeout?",
    });
});
