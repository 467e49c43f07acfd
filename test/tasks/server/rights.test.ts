// Reading a task of a tool with scopes needs these scopes, in every dialect, because another token of the user may have
// fewer.
import { experimentalTasks as dialect } from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/server";
import type { ServeHttpOptions } from "@mcpgen/runtime/http";
import { type TaskStore, memoryTaskStore } from "@mcpgen/tasks";
import { experimentalTasks } from "@mcpgen/tasks/experimental";
import { describe, expect, test } from "vitest";
import { type Adapter, adapters, serve } from "../../support/http-adapters.js";
import { Party } from "../../support/raw-http-client.js";
import { systemClock } from "../../../runtime/base/time/clock.js";
import { until } from "../../support/until.mjs";
import { deferred, serverOf } from "./served.js";

const secret = "the secret of ann";

/** Tokens of one user: only the first has the scope of the tool. */
const authenticate: NonNullable<ServeHttpOptions["authenticate"]> = ({ header }) => {
  const [user, ...scopes] = (header("authorization") ?? "").split(" ");
  return { principal: user!, auth: { scopes } };
};

const challenge = 'Bearer error="insufficient_scope", scope="files:read"';

const permit =
  (isLate: boolean): NonNullable<ServeHttpOptions["permit"]> =>
  (calls, { auth }) => {
    const { scopes: granted } = auth as { readonly scopes: readonly string[] };
    const isAllowed = calls.every(({ scopes }) => scopes.every((scope) => granted.includes(scope)));
    const denial = isAllowed ? undefined : { status: 403, headers: { "www-authenticate": challenge } };
    return isLate ? Promise.resolve(denial) : denial;
  };

const strong = { authorization: "ann files:read" };
const weak = { authorization: "ann" };

async function served(adapter: Adapter, isLate: boolean, store: TaskStore | undefined) {
  const events: string[] = [];
  const options = {
    ...(store && { store }),
    keys: ["k".repeat(32)],
    list: true,
    fallback: "tools" as const,
    onEvent: ({ type, reason }: { readonly type: string; readonly reason?: string }) =>
      void events.push(`${type} ${reason}`),
  };
  const { server } = serverOf(options, {}, systemClock as never, (tasks) => [
    experimentalTasks(dialect, tasks),
  ]);
  const task = { support: "optional", inlineMs: 0 } as const;
  const gate = deferred();
  server.tool("read", { scopes: () => ["files:read"], task }, () => gate.promise.then(() => secret));
  server.tool("fail", { scopes: ["files:read"], task }, async (_, { progress }) => {
    progress(1, 2, secret);
    await gate.promise;
    return { content: [{ type: "text", text: secret }], isError: true };
  });
  server.tool("open", { task }, () => gate.promise.then(() => "open to all"));
  server.tool(
    "ask",
    { scopes: ["files:read"], task: { ...task, onRestart: "replay" } },
    async (_, { ask, task: own }) => {
      own?.detach();
      const answer = await ask.elicit("name", {
        message: "Name?",
        requestedSchema: { type: "object", properties: {} },
      });
      return `${secret} ${answer.action}`;
    },
  );
  const { url } = await serve(adapter, server, { authenticate, permit: permit(isLate), keepAliveMs: 0 });
  return { url, events, finish: () => gate.resolve() };
}

interface Json {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly data?: unknown };
}

/** Sends a request with a token. */
async function sent(party: Party, headers: Record<string, string>, method: string, params: object) {
  const { taskId } = params as { readonly taskId?: string };
  const named = party.isModern && taskId !== undefined ? { "mcp-name": taskId } : {};
  const message = party.message(method, params as Record<string, unknown>);
  const answer = await party.post(message, { ...headers, ...named });
  await answer.whole();
  const text = answer.isStream ? (answer.events.findLast(({ data }) => data)?.data ?? "{}") : answer.text;
  const json = (answer.status === 200 ? JSON.parse(text) : {}) as Json;
  return { status: answer.status, challenge: answer.headers["www-authenticate"], text: answer.text, json };
}

const extension = { extensions: { "io.modelcontextprotocol/tasks": {} } };

type Request = readonly [method: string, params: object];

/** How clients of a dialect make, read and end tasks. */
interface Dialect {
  readonly capabilities: Record<string, unknown>;
  readonly create: (name: string) => Request;
  readonly idOf: (json: Json) => string;
  readonly reads: (taskId: string) => readonly Request[];
}

const dialects = {
  "2026-07-28": {
    capabilities: { ...extension, elicitation: {} },
    create: (name: string) => ["tools/call", { name, arguments: {} }] as Request,
    idOf: ({ result }: Json) => result!["taskId"] as string,
    reads: (taskId: string): Request[] => [
      ["tasks/get", { taskId }],
      ["tasks/update", { taskId, inputResponses: {} }],
      ["tasks/cancel", { taskId }],
    ],
  },
  "2025-11-25": {
    capabilities: { tasks: {}, elicitation: {} },
    create: (name: string) => ["tools/call", { name, arguments: {}, task: { ttl: 60_000 } }] as Request,
    idOf: ({ result }: Json) => (result!["task"] as { readonly taskId: string }).taskId,
    reads: (taskId: string): Request[] => [
      ["tasks/get", { taskId }],
      ["tasks/result", { taskId }],
      ["tasks/cancel", { taskId }],
    ],
  },
  "2025-06-18": {
    capabilities: { experimental: { tasks: {} } },
    create: (name: string) => ["tasks/create", { name, parameters: {} }] as Request,
    idOf: ({ result }: Json) => result!["taskId"] as string,
    reads: (taskId: string): Request[] => [
      ["tasks/get", { taskId }],
      ["tasks/cancel", { taskId }],
    ],
  },
  "2025-03-26": {
    // The option `fallback`: tools stand in for requests.
    capabilities: {},
    create: (name: string) => ["tools/call", { name, arguments: {} }] as Request,
    idOf: ({ result }: Json) =>
      /task (\S+)\. Call/.exec((result!["content"] as readonly { readonly text: string }[])[0]!.text)![1]!,
    reads: (taskId: string): Request[] =>
      ["task_status", "task_result", "task_cancel"].map((name) => [
        "tools/call",
        { name, arguments: { taskId } },
      ]),
  },
} satisfies Record<string, Dialect>;

const rows = adapters.flatMap((adapter) =>
  Object.keys(dialects).flatMap((revision) =>
    [false, true].map((isLate) => [adapter, revision as keyof typeof dialects, isLate] as const),
  ),
);

describe.each(rows)("%s, %s, permit that decides later: %s", (adapter, revision, isLate) => {
  const { capabilities, create, idOf, reads }: Dialect = dialects[revision];
  const opened = async (store?: TaskStore) => {
    const own = await served(adapter, isLate, store);
    return { ...own, party: await new Party(own.url, revision, strong, capabilities).open() };
  };

  test.each(["the own store", "a shared store"])(
    "the weaker token gets 403 for each method (%s)",
    async (where) => {
      const { party, events, finish } = await opened(
        where === "the own store" ? undefined : memoryTaskStore(),
      );
      const made = await sent(party, strong, ...create("read"));
      const id = idOf(made.json);
      for (const [method, params] of reads(id)) {
        const refused = await sent(party, weak, method, params);
        expect([method, refused.status, refused.challenge]).toEqual([method, 403, challenge]);
        expect(refused.text).not.toContain(secret);
      }
      expect(events.filter((each) => each === "refused scopes").length).toBe(reads(id).length);
      // If the tool has no scopes, each token of the user can read the task.
      const [first] = reads(idOf((await sent(party, weak, ...create("open"))).json));
      const open = await sent(party, weak, first![0], first![1]);
      expect([open.status, open.json.error]).toEqual([200, undefined]);
      finish();
      const [method, params] = reads(id)[revision === "2025-11-25" || revision === "2025-03-26" ? 1 : 0]!;
      await until("the task ends", async () =>
        (await sent(party, strong, method, params)).text.includes(secret),
      );
      // Another user does not even learn that the task exists.
      const eve = { authorization: "eve files:read" };
      if (revision === "2026-07-28") {
        const stranger = await sent(party, eve, "tasks/get", { taskId: id });
        expect(stranger.json.error ?? stranger.text).toBeDefined();
        expect(stranger.text).toContain("there is no such task");
      }
    },
  );
});

test("2025-11-25: a stream of the weaker token only gets the status of the task", async () => {
  const { url, finish } = await served("node", false, undefined);
  const { capabilities, create, idOf } = dialects["2025-11-25"];
  const party = await new Party(url, "2025-11-25", strong, capabilities).open();
  const heard = await party.get(weak);
  const statuses = async (id: string, most: number): Promise<unknown[]> => {
    const found = (): { readonly params: Record<string, unknown> }[] =>
      heard.events.flatMap(({ data }) => (data?.includes(id) ? [JSON.parse(data) as never] : []));
    await heard.until(() => found().length >= most || undefined);
    return found().map(({ params }) => [params["status"], params["statusMessage"]]);
  };
  const failing = idOf((await sent(party, strong, ...create("fail"))).json);
  finish();
  expect(await statuses(failing, 1)).toEqual([["failed", undefined]]);
  const asking = idOf((await sent(party, strong, ...create("ask"))).json);
  await sent(party, strong, "tasks/get", { taskId: asking });
  expect(await statuses(asking, 1)).toEqual([["input_required", undefined]]);
  // The question comes in the stream of the request that reads the result.
  const reading = await party.post(party.message("tasks/result", { taskId: asking }), strong);
  const asked = await reading.until(({ events }) => events.find(({ data }) => data?.includes("Name?")));
  const { id } = JSON.parse(asked.data!) as { readonly id: string };
  await (await party.post({ jsonrpc: "2.0", id, result: { action: "decline" } }, strong)).whole();
  expect(await reading.whole()).toContain(`${secret} decline`);
  const texts = heard.events.map(({ data }) => data).join();
  for (const text of [secret, "Name?", "elicitation"]) expect(texts).not.toContain(text);
});

test("2025-06-18: a task with scopes that asks fails, and its notifications have no message", async () => {
  const { url } = await served("node", false, undefined);
  const capabilities = { ...dialects["2025-06-18"].capabilities, elicitation: {} };
  const party = await new Party(url, "2025-06-18", strong, capabilities).open();
  const { create, idOf } = dialects["2025-06-18"];
  const headers = { ...weak, accept: "text/event-stream", "mcp-session-id": party.session! };
  const { body } = await fetch(url, { headers });
  const taskId = idOf((await sent(party, strong, ...create("ask"))).json);
  let heard = "";
  for await (const text of body!.pipeThrough(new TextDecoderStream()))
    if ((heard += text).includes("tasks/completed")) break;
  for (const text of [secret, "Name?", "elicitation", "cannot ask"]) expect(heard).not.toContain(text);
  const { result } = (await sent(party, strong, "tasks/get", { taskId })).json;
  expect([result!["status"], JSON.stringify(result!["error"])]).toEqual([
    "failed",
    expect.stringContaining("cannot ask this client") as string,
  ]);
});

test("2025-06-18: the handler of a task has the token that created it, whatever comes meanwhile", async () => {
  const { server } = serverOf({}, {}, systemClock as never, (tasks) => [experimentalTasks(dialect, tasks)]);
  const seen: unknown[] = [];
  const [checking, checked] = [deferred(), deferred()];
  const inputSchema = {
    "~standard": {
      version: 1,
      vendor: "slow",
      validate: async (value: unknown) => {
        checking.resolve();
        await checked.promise;
        return { value };
      },
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
    },
  } as const;
  server.tool("who", { inputSchema: inputSchema as never, task: { support: "optional" } }, (_, { auth }) => {
    seen.push(auth);
    return "";
  });
  const { url } = await serve("node", server, { authenticate, permit: permit(false), keepAliveMs: 0 });
  const { capabilities, create } = dialects["2025-06-18"];
  const party = await new Party(url, "2025-06-18", strong, capabilities).open();
  const created = sent(party, weak, ...create("who"));
  await checking.promise;
  await sent(party, strong, "ping", {});
  checked.resolve();
  await created;
  expect(seen).toEqual([{ scopes: [] }]);
});

test("2025-11-25: each page of a list omits tasks that the token may not read", async () => {
  const { url } = await served("node", true, undefined);
  const { capabilities, create } = dialects["2025-11-25"];
  const party = await new Party(url, "2025-11-25", strong, capabilities).open();
  for (const name of ["read", "open", "read", "open"]) await sent(party, strong, ...create(name));
  const tasksOf = async (headers: Record<string, string>): Promise<number> =>
    ((await sent(party, headers, "tasks/list", {})).json.result!["tasks"] as unknown[]).length;
  expect([await tasksOf(strong), await tasksOf(weak)]).toEqual([4, 2]);
});

test("2026-07-28: a subscription of the weaker token leaves the task out", async () => {
  const { url } = await served("node", false, undefined);
  const { capabilities, create, idOf } = dialects["2026-07-28"];
  const party = await new Party(url, "2026-07-28", strong, capabilities).open();
  const [scoped, open] = [
    idOf((await sent(party, strong, ...create("read"))).json),
    idOf((await sent(party, strong, ...create("open"))).json),
  ];
  for (const [headers, expected] of [
    [strong, [scoped, open]],
    [weak, [open]],
  ] as const) {
    const listen = party.message("subscriptions/listen", { notifications: { taskIds: [scoped, open] } });
    const stream = await party.post(listen, headers);
    const event = await stream.until(({ events }) => events.find(({ data }) => data?.includes("taskIds")));
    expect(event.data).toContain(JSON.stringify({ taskIds: expected }));
    stream.cut();
  }
});

test("2026-07-28: an update by the answer to an ask needs the token of the call", async () => {
  const { url } = await served("node", false, undefined);
  const party = await new Party(url, "2026-07-28", strong, dialects["2026-07-28"].capabilities).open();
  const taskId = dialects["2026-07-28"].idOf(
    (await sent(party, strong, ...dialects["2026-07-28"].create("ask"))).json,
  );
  const get = () => sent(party, strong, "tasks/get", { taskId });
  await until("it asks", async () => (await get()).json.result?.["status"] === "input_required");
  const inputResponses = { name: { action: "accept", content: {} } };
  expect((await sent(party, weak, "tasks/update", { taskId, inputResponses })).status).toBe(403);
  expect((await get()).json.result?.["status"]).toBe("input_required");
  expect((await sent(party, strong, "tasks/update", { taskId, inputResponses })).status).toBe(200);
  await until("it ends", async () => (await get()).text.includes(`${secret} accept`));
});
