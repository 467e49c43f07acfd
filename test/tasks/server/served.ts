import {
  getTask,
  tasks as clientTasks,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as serverTasks } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import {
  type Client,
  type ConnectOptions,
  type Server,
  type ServerOptions,
  createServer,
} from "@mcpgen/runtime";
import { VirtualClock, createTestPair } from "@mcpgen/testing";
import { type Tasks, type TasksOptions, tasks } from "@mcpgen/tasks";
import { onTestFinished } from "vitest";
import { heard } from "../../support/heard.mjs";
import { until } from "../../support/until.mjs";

/** A server with tasks, and the clock of both sides. */
export function serverOf(
  options: TasksOptions = {},
  more: Partial<ServerOptions> = {},
  clock = new VirtualClock(1_000_000),
  others: (tasks: Tasks) => NonNullable<ServerOptions["extensions"]> = () => [],
) {
  // Under a clock that stands still, every poll is early.
  const limits = { work: Infinity, ...options.limits };
  const engine: Tasks = tasks(serverTasks, { ...options, limits });
  const errors: unknown[] = [];
  const server = createServer(
    { name: "s", version: "1" },
    {
      revisions: serverRevisions,
      extensions: [engine, ...others(engine)],
      clock,
      ...more,
      onEvent: heard({ handlerError: (error) => errors.push(error), event: more.onEvent }),
    },
  );
  onTestFinished(() => engine.close());
  return { server, engine, clock, errors };
}

/** A client that has tasks, unless `extensions` says otherwise. */
export async function clientOf(
  { server, clock }: { readonly server: Server; readonly clock: VirtualClock },
  { principal = "ann", ...options }: Partial<ConnectOptions> & { readonly principal?: string } = {},
): Promise<Client> {
  const pair = await createTestPair({
    server,
    clock,
    revisions: clientRevisions,
    connection: { principal },
    extensions: [clientTasks],
    onEvent: () => true,
    ...options,
  });
  onTestFinished(() => pair.close());
  return pair.client;
}

/** The result of a call: that of the tool, or a task. */
export interface Called {
  readonly resultType?: string;
  readonly taskId: string;
  readonly status?: string;
  readonly content?: unknown;
  readonly isError?: boolean;
}

export const call = (client: Client, name: string, args: object = {}): Promise<Called> =>
  client.request<Called>("tools/call" as string, { name, arguments: args });

/** A promise, and the functions that settle it. */
export function deferred<Value = void>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
}

export const text = (value: string) => [{ type: "text", text: value }];

/** The members of a task that clients read. */
type ClientTask = Awaited<ReturnType<typeof getTask>>;

/** The task once it no longer works: the clock of a test does not wait for keys that are made. */
export async function settled(client: Client, task: { readonly taskId: string }): Promise<ClientTask> {
  return until("a task that no longer works", async () => {
    const found = await getTask(client, task);
    return found.status !== "working" && found;
  }) as Promise<ClientTask>;
}
