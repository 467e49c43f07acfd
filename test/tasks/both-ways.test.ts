import { serveHttp } from "@mcpgen/runtime/http";
import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, type ConnectOptions, type Source, connect } from "@mcpgen/runtime";
import { tasks } from "@mcpgen/tasks/client";
import { receiver } from "@mcpgen/tasks/receiver";
import { describe, expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../support/built-program.js";
import { until } from "../support/until.mjs";
import { askingServer, limit } from "./asking-server.js";

// Tasks that our servers request of our clients (2025-11-25, tasks), in processes and over HTTP.

const program = builtProgram("test/tasks/asking-program.ts", { splitting: true });

const sources: Readonly<Record<string, () => Promise<Source>>> = {
  stdio: async () => ({ command: process.execPath, args: [program] }),
  HTTP: async () => {
    const { server, close } = askingServer();
    const served = await serveHttp(server, { port: 0 });
    onTestFinished(async () => {
      await close();
      await served.close();
    });
    return served.url;
  },
};

/** A client of 2025-11-25, and the requests of the server that it got. */
async function opened(source: Source, options: Partial<ConnectOptions>) {
  const asked: string[] = [];
  const client: Client = await connect(source, {
    revisions: clientRevisions,
    revision: "2025-11-25",
    extensions: [tasks(clientExtension, { receiver: receiver() })],
    use: [
      ({ direction, method }, next) => {
        if (direction === "incoming") asked.push(method);
        return next();
      },
    ],
    ...options,
  } as ConnectOptions);
  onTestFinished(() => client.close());
  return { client, asked };
}

describe.each(Object.entries(sources))("over %s", (_, open) => {
  test("a user and a model that are slower than a request's timeout answer by tasks", async () => {
    /** Takes longer than a request of the server may, once that has all its tasks. */
    const slowly = async <Value>(value: Value): Promise<Value> => {
      await until("the results are asked for", () => fetches() === 3);
      await client.callTool("pass", { ms: 2 * limit });
      return value;
    };
    const fetches = (): number => asked.filter((method) => method === "tasks/result").length;
    const { client, asked } = await opened(await open(), {
      elicit: {
        form: () => slowly({ action: "accept", content: { name: "Ann" } } as const),
        url: () => slowly({ action: "decline" } as const),
      },
      sample: () =>
        slowly({ role: "assistant", model: "m", content: { type: "text", text: "words" } } as const),
    });
    const called = ["form", "page", "model"].map((name) => client.callTool(name));
    const texts = (await Promise.all(called)).map(({ content }) => (content[0] as { text: string }).text);
    expect(texts).toEqual(["Hello, Ann", "decline", "words"]);
    expect(asked.toSorted()).toEqual([
      "elicitation/create",
      "elicitation/create",
      "sampling/createMessage",
      "tasks/result",
      "tasks/result",
      "tasks/result",
    ]);
  });

  test("the end of a call cancels the client's question to its user", async () => {
    let begun!: () => void;
    const isAsked = new Promise<void>((resolve) => (begun = resolve));
    let ended!: () => void;
    const isAborted = new Promise<void>((resolve) => (ended = resolve));
    const { client } = await opened(await open(), {
      elicit: (__, { signal }) => {
        signal.addEventListener("abort", () => ended());
        begun();
        return new Promise(() => {});
      },
    });
    const controller = new AbortController();
    const called = client.callTool("form", {}, { signal: controller.signal });
    await isAsked;
    controller.abort();
    await expect(called).rejects.toMatchObject({ code: "cancelled" });
    await isAborted;
  });
});
