// The official package for clients of tasks, with our server: both revisions that have tasks.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import {
  DispatchError,
  createApplicationInputHandler,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
  toolDeclarationFromMcpTool,
  withTasks,
} from "@modelcontextprotocol/ext-tasks/client";
import { answers } from "./inbox.mjs";
import { modern } from "./peers.mjs";
import { connectRaw, framing } from "./raw-modern.mjs";
import { started } from "./started.mjs";
import { hang as timeout } from "../support/until.mjs";

const ours = fileURLToPath(new URL("servers/tasks.mjs", import.meta.url));

const user = answers();
const withInput = { sampling: {}, elicitation: { form: {} } };
const withTasksToo = { ...withInput, extensions: { "io.modelcontextprotocol/tasks": {} } };

const onInputRequest = createApplicationInputHandler({
  elicitation: ({ params }) => user.elicit(params),
  sampling: ({ params }) => user.sample(params),
  roots: () => user.roots(),
});

/** Dispatches the messages of the package without change. */
const dispatcher =
  (raw) =>
  async (request, { signal, context } = {}) => {
    try {
      const { result, error } = await raw.send(request, { signal, headers: context?.headers });
      return error ? { kind: "error", error } : { kind: "result", result };
    } catch (cause) {
      throw new DispatchError("the request was not answered", false, { cause });
    }
  };

/** The session that the package makes of a client of the SDK, version 2. */
async function sdkSession(server, revision) {
  const client = new Client(
    { name: "host", version: "1.0.0" },
    {
      capabilities: withInput,
      ...(revision === modern
        ? { versionNegotiation: { mode: { pin: modern } } }
        : { supportedProtocolVersions: [revision] }),
    },
  );
  await client.connect(
    server
      ? new StreamableHTTPClientTransport(server.url)
      : new StdioClientTransport({ command: process.execPath, args: [ours] }),
  );
  const { tools } = await client.listTools();
  const declarations = new Map(tools.map((tool) => [tool.name, toolDeclarationFromMcpTool(tool)]));
  const session = createTaskSessionFromClient(client, {
    endpointId: "ours",
    tools: { currentTool: (name) => declarations.get(name) },
    onInputRequest,
    ...(revision === modern && {
      rawDispatch: dispatcher(connectRaw(server.url)),
      v2RequestFraming: {
        protocolVersion: modern,
        clientInfo: { name: "host", version: "1.0.0" },
        clientCapabilities: withInput,
      },
    }),
  });
  return { session, close: () => client.close() };
}

/** The session of the package over its port, of which each request is written by hand. */
async function portSession(server, env) {
  const raw = connectRaw(server?.url ?? ours, env);
  const framed = ({ params, ...request }) => ({
    ...request,
    params: { ...params, _meta: { ...params?._meta, ...framing(withTasksToo) } },
  });
  const listeners = new Set();
  const dispatch = dispatcher({ send: (request, options) => raw.send(framed(request), options) });
  const controller = new AbortController();
  const session = withTasks(
    {
      endpointId: "ours",
      taskCapabilities: { generation: "v2", capabilities: {} },
      invalidated: false,
      dispatch,
      onServerRequest: () => () => {},
      onNotification: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      onInvalidated: () => () => {},
    },
    { onInputRequest },
  );
  /** Resolves when the server has agreed to push the changes of a task. */
  const listen = (taskId) =>
    new Promise((resolve, reject) => {
      const heard = (notification) => {
        const { method, params } = notification;
        if (method === "notifications/subscriptions/acknowledged") resolve(params.notifications);
        else for (const listener of listeners) listener(notification);
      };
      const params = { notifications: { taskIds: [taskId] } };
      const { signal } = controller;
      raw
        .send(framed({ method: "subscriptions/listen", params }), { heard, signal })
        .then(reject, (error) => signal.aborted || reject(error));
    });
  const close = async () => {
    controller.abort();
    await raw.close();
  };
  return { session, listen, close };
}

const pairings = [
  ...["stdio", "node", "fetch"].map((way) => ({ way, of: "of a client of the SDK", revision: "2025-11-25" })),
  ...["node", "fetch"].map((way) => ({ way, of: "of a client of the SDK", revision: modern })),
  ...["stdio", "node"].map((way) => ({ way, of: "over its port", revision: modern })),
];

async function opened({ way, of, revision }, env = {}) {
  const server = way === "stdio" ? undefined : await started([ours, way], env);
  const { session, listen, close } = await (of === "over its port"
    ? portSession(server, env)
    : sdkSession(server, revision));
  return {
    session,
    listen,
    close: async () => {
      await session.close();
      await close();
      await server?.close();
    },
  };
}

/** The outcome of a call, and the tasks that were seen. */
async function settled(execution) {
  const seen = [];
  const onEvent = (event) => {
    if (event.type === "task") seen.push(event.task);
  };
  const { outcome } = await execution.settle({ onEvent });
  return { outcome, seen };
}
const textOf = ({ content }) => content[0].text;
const resultOf = async (execution) => resultFromTaskOutcome((await execution.settle()).outcome);

for (const pairing of pairings)
  describe(
    `a session ${pairing.of}, our server over ${pairing.way}, ${pairing.revision}`,
    { concurrency: 1 },
    () => {
      const { way, revision } = pairing;
      let open;
      let session;
      before(
        async () => {
          open = await opened(pairing);
          ({ session } = open);
        },
        { timeout },
      );
      after(() => open?.close());
      const preferred = { task: { preference: "prefer" } };
      const call = (name, args = {}) => session.callTool(name, args, preferred);
      const release = async (text) => resultOf(await session.callTool("release", { text }));

      test("what it finds", { timeout }, () => {
        const isCore = revision !== modern;
        const { inventory, ...capabilities } = session.capabilities;
        assert.deepEqual(capabilities, {
          execution: true,
          cancellation: true,
          inputResponses: !isCore,
          requestedRetention: isCore,
        });
        assert.equal(inventory === "server-list", isCore && way !== "stdio");
      });
      test("working, then the result", { timeout }, async () => {
        const execution = await call("work", { text: "it" });
        assert.equal(execution.kind, "task");
        const statuses = [];
        for await (const event of execution.updates()) {
          if (event.type === "outcome") assert.equal(textOf(event.outcome.result), "worked on it");
          else {
            const { status, statusMessage } = event.task;
            if (statuses.length === 0) await release("it");
            statuses.push(`${status} ${statusMessage}`);
          }
        }
        assert.equal(statuses[0], "working half");
        assert.match(statuses.at(-1), /^completed/);
      });
      test("a tool without tasks answers at once", { timeout }, async () => {
        const execution = await session.callTool("plain", { text: "it" });
        assert.equal(execution.kind, "immediate");
        assert.equal(textOf(await resultOf(execution)), "plain it");
      });
      test("a tool that requires tasks, with structured content", { timeout }, async () => {
        const execution = await session.callTool("strict");
        assert.deepEqual((await resultOf(execution)).structuredContent, { sum: 5 });
      });
      test("elicitation and sampling inside a task", { timeout }, async () => {
        assert.equal(textOf(await resultOf(await call("name"))), "hello Ada");
        assert.equal(textOf(await resultOf(await call("sample"))), "something");
      });
      test("a result that says isError", { timeout }, async () => {
        const { outcome } = await settled(await call("fail"));
        // 2025-11-25: a failed task.
        if (revision === modern) assert.equal(outcome.result.isError, true);
        else assert.equal(outcome.status, "failed");
      });
      test("an error", { timeout }, async () => {
        const { outcome } = await settled(await call("broken"));
        const { status, error } = outcome;
        assert.equal(status, "failed");
        // Of 2025-11-25, the package reads the status alone.
        if (revision === modern) assert.deepEqual([error.code, error.data], [-32050, { part: 3 }]);
        else assert.match(error.message, /it broke/);
      });
      test("cancelled while it runs", { timeout }, async () => {
        const execution = await call("wait");
        await execution.cancel();
        assert.equal((await execution.result()).status, "cancelled");
        assert.equal(textOf(await resultOf(await session.callTool("aborted"))), "1");
        assert.equal((await session.task(execution.handle.taskId).snapshot()).status, "cancelled");
      });
      test("detached, and resumed", { timeout }, async () => {
        const execution = await call("work", { text: "that" });
        let reference;
        await execution.handoff((given) => (reference = JSON.parse(JSON.stringify(given))));
        await turn();
        const resumed = await session.resumeTask(reference);
        await release("that");
        assert.equal(textOf(await resultOf(resumed)), "worked on that");
      });
      test("ids of unknown tasks", { timeout }, () =>
        assert.rejects(session.task("nothing").snapshot(), { code: -32602 }),
      );
      test("lists", { timeout, skip: revision === modern || way === "stdio" }, async () => {
        const { handle } = await call("strict");
        const { tasks } = await session.listTasks();
        assert.ok(tasks.some(({ taskId }) => taskId === handle.taskId));
      });
    },
  );

for (const way of ["stdio", "node"])
  test(`notifications alone bring the end of a task over ${way}`, { timeout }, async () => {
    // The next poll would be in an hour.
    const open = await opened({ way, of: "over its port", revision: modern }, { POLL_MS: "3600000" });
    const { session, listen } = open;
    try {
      const execution = await session.callTool("work", { text: "it" });
      const { taskId } = execution.handle;
      assert.deepEqual(await listen(taskId), { taskIds: [taskId] });
      const outcome = execution.result();
      await resultOf(await session.callTool("release", { text: "it" }));
      assert.equal(textOf((await outcome).result), "worked on it");
    } finally {
      await open.close();
    }
  });
