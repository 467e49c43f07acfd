// Functions refuse unknown options, and suggest the right name.
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type Client, createServer } from "@mcpgen/runtime";
import { serveStdio, stdioClientChannel, stdioServerChannel, streamChannel } from "@mcpgen/runtime/stdio";
import { Replay, createTestPair } from "@mcpgen/testing";
import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";

const server = (): ReturnType<typeof createServer> =>
  createServer({ name: "options", version: "1" }, { revisions: serverRevisions });
const streams = (): { input: PassThrough; output: PassThrough } => ({
  input: new PassThrough(),
  output: new PassThrough(),
});

/** The thrown error, at once or later. */
async function thrown(act: () => unknown): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  return undefined;
}

const { input, output } = streams();

test.each<[string, (options: never) => unknown, object, string]>([
  [
    "serveStdio",
    (options) => serveStdio(server(), options),
    { drian: 5 },
    "drian: there is no such option. Did you mean drain?",
  ],
  [
    "serveStdio",
    (options) => serveStdio(server(), options),
    { Exit: false },
    "Exit: there is no such option. Did you mean exit?",
  ],
  [
    "serveStdio",
    (options) => serveStdio(server(), options),
    { toString: 1 },
    "toString: there is no such option. There are input, output, limit, backlog, drain, grace, exit.",
  ],
  [
    "stdioServerChannel",
    stdioServerChannel,
    { ouput: output },
    "ouput: there is no such option. Did you mean output?",
  ],
  ["stdioServerChannel", stdioServerChannel, { limit: "1" }, 'limit: expected a number from 0, got "1".'],
  [
    "stdioClientChannel",
    (options) => stdioClientChannel(["no-such-program"], options),
    { inputgrace: 5 },
    "inputgrace: there is no such option. Did you mean inputGrace?",
  ],
  [
    "stdioClientChannel",
    (options) => stdioClientChannel(["no-such-program"], options),
    { inheritEnv: "none" },
    'inheritEnv: expected safe or all, got "none".',
  ],
  [
    "streamChannel",
    (options) => streamChannel(input, output, options),
    { baklog: 5 },
    "baklog: there is no such option. Did you mean backlog?",
  ],
  [
    "Replay",
    (options) => new Replay([], options),
    { play: "client", opaqe: [] },
    "opaqe: there is no such option. Did you mean opaque?",
  ],
  [
    "Replay",
    (options) => new Replay([], options),
    { play: "host" },
    'play: expected client or server, got "host".',
  ],
  [
    "createTestPair",
    (options) => createTestPair(options),
    { server: server(), revisions: clientRevisions, connection: { princpal: "ada" } },
    "connection.princpal: there is no such option. Did you mean principal?",
  ],
])("%s %#", async (_, act, options, message) => {
  expect(await thrown(() => act(options as never))).toMatchObject({ code: "invalid-definition", message });
});

test.each<[string, (client: Client, options: never) => unknown, object, string]>([
  [
    "request",
    (client, options) => client.request("ping", {}, options),
    { timeOut: 5 },
    "timeOut: there is no such option. Did you mean timeout?",
  ],
  [
    "callTool",
    (client, options) => client.callTool("x", {}, options),
    { onprogress: 5 },
    "onprogress: there is no such option. Did you mean onProgress?",
  ],
  [
    "listTools",
    (client, options) => client.listTools(options),
    { maxPage: 5 },
    "maxPage: there is no such option. Did you mean maxPages?",
  ],
  [
    "ping",
    (client, options) => client.ping(options),
    { signl: 5 },
    "signl: there is no such option. Did you mean signal?",
  ],
  [
    "subscribe",
    (client, options) => client.subscribe(options),
    { tool: true },
    "tool: there is no such option. Did you mean tools?",
  ],
  [
    "subscribe",
    (client, options) => client.subscribe(options),
    { everything: true },
    "everything: there is no such option. There are tools, prompts, resources, uris.",
  ],
])("of a client: %s %#", async (_, act, options, message) => {
  const { client, close } = await createTestPair({ server: server(), revisions: clientRevisions });
  onTestFinished(close);
  expect(await thrown(() => act(client, options as never))).toMatchObject({
    code: "invalid-definition",
    message,
  });
});

test("all options, and no options at all, are accepted", async () => {
  const all = { limit: 1000, backlog: Infinity, drain: 0, grace: 1000, exit: false };
  const served = serveStdio(server(), { ...streams(), ...all });
  await served.close();
  const undefinedOptions = { limit: undefined, backlog: undefined };
  await streamChannel(new PassThrough(), new PassThrough(), undefinedOptions).close();
  await stdioServerChannel({ ...streams(), ...undefinedOptions }).close();
  const options = { env: { A: "1" }, inheritEnv: "all", stderr: () => undefined, cwd: undefined } as const;
  const channel = stdioClientChannel([process.execPath, "-e", ""], {
    ...options,
    inputGrace: 0,
    terminateGrace: 0,
  });
  expect(await channel.exited).toMatchObject({ exitCode: 0 });
});
