// A client in a process with a small heap, and the hostile server that it starts: `client ATTACK` or `server ATTACK`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, type ConnectOptions, connect } from "../../../../runtime/core/index.js";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
}

type Write = (text: string) => Promise<void> | void;

interface Attack {
  readonly revision: string;
  readonly options?: Partial<ConnectOptions>;
  /** Over HTTP instead of stdio. */
  readonly http?: boolean;
  /** What the server makes of a request; nothing where it answers as usual. */
  readonly answer: (message: Message, write: Write) => object | undefined | Promise<object | undefined>;
  /** What the application does; gives what became of it. */
  readonly run: (client: Client) => Promise<unknown>;
}

const subscriptionId = "io.modelcontextprotocol/subscriptionId";
const modern = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code ?? String(error);
const calling = (client: Client): Promise<unknown> =>
  client.callTool("x", {}, { timeout: 3000 }).then(() => "answered", codeOf);
const never = (): Promise<never> => new Promise(() => {});

/** Answers reads with texts that stay fresh. */
const fresh = (length: number): Pick<Attack, "revision" | "answer"> => ({
  revision: "2026-07-28",
  answer: ({ method, params }) =>
    method === "resources/read"
      ? { ...modern, ttlMs: 1e9, contents: [{ uri: params!["uri"], text: "x".repeat(length) }] }
      : undefined,
});

const reading =
  (count: number) =>
  async (client: Client): Promise<unknown> => {
    for (let index = 0; index < count; index++) await client.readResource(`a:/${index}`);
    return "read";
  };

/** The subscription that notices belong to; revisions before 2026 have none. */
let listening: unknown;

/** Answers a call after a flood of notices, each of something else or all of the same. */
const telling = (revision: string, most: number, uri: (index: number) => string): Attack => ({
  revision,
  answer: async ({ id, method, params }, write) => {
    if (method === "resources/subscribe") return {};
    if (method === "subscriptions/listen") {
      const { notifications } = params!;
      listening = id;
      const own = { notifications, _meta: { [subscriptionId]: id } };
      await write(notice("notifications/subscriptions/acknowledged", own));
      return never();
    }
    if (method !== "tools/call") return undefined;
    const _meta = { [subscriptionId]: listening };
    for (let index = 0; index < 300_000; index++)
      await write(notice("notifications/resources/updated", { uri: uri(index), _meta }));
    return { ...modern, content: [] };
  },
  run: async (client) => {
    const changes = await client.subscribe({ uris: ["a:/"] });
    await client.callTool("x");
    const reader = changes[Symbol.asyncIterator]();
    let read = 0;
    try {
      for (; read < most; read++) await reader.next();
      return read;
    } catch (error) {
      return codeOf(error);
    }
  },
});

function notice(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

const form = {
  method: "elicitation/create",
  params: { mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } },
};
const sampling = (index: number): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: index,
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: "?".repeat(20_000) } }],
      maxTokens: 5,
    },
  });

const pinging: Attack = {
  revision: "2025-11-25",
  answer: async ({ method }, write) => {
    if (method !== "tools/call") return undefined;
    for (let index = 0; ; index++)
      await write(`{"jsonrpc":"2.0","id":"${String(index).padEnd(4000, "x")}","method":"ping"}`);
  },
  run: calling,
};

const attacks: { readonly [name: string]: Attack } = {
  "40 results of 9 MB": { ...fresh(9_000_000), run: reading(40) },
  "5,000 results of 100 KB": { ...fresh(100_000), run: reading(5000) },
  "300,000 notices of the same": telling("2025-11-25", 1000, () => "a:/"),
  "300,000 notices of others": telling("2026-07-28", 1001, (index) => `a:/${index}${"x".repeat(1000)}`),
  "30,000 questions of 20 KB": {
    revision: "2025-11-25",
    options: { sample: never },
    answer: async ({ method }, write) => {
      if (method !== "tools/call") return undefined;
      for (let index = 0; index < 30_000; index++) await write(sampling(index));
      return { content: [] };
    },
    run: (client) => client.callTool("x").then(() => "answered", codeOf),
  },
  "50,000 forms in each of 10 calls": {
    revision: "2026-07-28",
    options: { elicit: never },
    answer: ({ method }) =>
      method === "tools/call"
        ? {
            resultType: "input_required",
            inputRequests: Object.fromEntries(
              Array.from({ length: 50_000 }, (_, index) => [`q${index}`, form]),
            ),
          }
        : undefined,
    run: async (client) => {
      const calls = Array.from({ length: 10 }, () => client.callTool("x").catch(codeOf));
      return [...new Set(await Promise.all(calls))].join();
    },
  },
  "1,000 pages of 1 MB": {
    revision: "2025-11-25",
    answer: ({ method, params }) => {
      if (method !== "tools/list") return undefined;
      const page = Number(params?.["cursor"] ?? 0) + 1;
      const description = "x".repeat(1_000_000);
      return {
        tools: [{ name: `${page}`, description, inputSchema: { type: "object" } }],
        nextCursor: `${page}`,
      };
    },
    run: (client) => client.listTools().then(() => "listed", codeOf),
  },
  "pings of 4 KB whose answers are not read": pinging,
  "the same over HTTP": { ...pinging, http: true },
};

const usual: { readonly [method: string]: (revision: string) => object | undefined } = {
  initialize: (protocolVersion) => ({ protocolVersion, capabilities, serverInfo }),
  "server/discover": (revision) =>
    revision < "2026" ? undefined : { ...modern, supportedVersions: [revision], capabilities },
};
const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {} };
const serverInfo = { name: "hostile", version: "1" };

async function respond(attack: Attack, message: Message, write: Write): Promise<void> {
  if (message.id === undefined || message.method === undefined) return;
  const result = (await attack.answer(message, write)) ?? usual[message.method]?.(attack.revision);
  const error = { code: -32601, message: "no such method" };
  await write(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...(result ? { result } : { error }) }));
}

function serveStdio(attack: Attack): void {
  const deaf = attack === pinging;
  const lines = createInterface({ input: process.stdin });
  const write = async (text: string): Promise<void> => {
    if (!process.stdout.write(`${text}\n`)) await once(process.stdout, "drain");
  };
  process.stdin.on("end", () => process.exit());
  lines.on("line", (line) => {
    const message = JSON.parse(line) as Message;
    if (deaf && message.method === "tools/call") {
      lines.pause();
      process.stdin.pause();
    }
    void respond(attack, message, write);
  });
}

function serveHttp(attack: Attack): void {
  let say: Write = () => {};
  const server = createServer((request, response) => {
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      say = async (text) => {
        if (!response.write(`data: ${text}\n\n`)) await once(response, "drain");
      };
      return;
    }
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const message = JSON.parse(Buffer.concat(chunks).toString() || "{}") as Message;
      // Answers to pings are held.
      if (message.method === undefined) return;
      if (message.id === undefined) return void response.writeHead(202).end();
      const head = { "content-type": "application/json", "mcp-session-id": "s" };
      const answer: Write = (text) => void response.writeHead(200, head).end(text);
      void respond(attack, message, message.method === "tools/call" ? (text) => say(text) : answer);
    });
  });
  server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
  process.stdin.on("end", () => process.exit()).resume();
}

async function besiege(attack: Attack, name: string): Promise<void> {
  const [node, program] = [process.execPath, process.argv[1]!];
  // What ends an attack is a limit of the client, and no timeout on a busy machine.
  const patient = { timeouts: { connect: 600_000, timeout: 600_000 } };
  const options = { revisions: clientRevisions, revision: attack.revision, ...patient, ...attack.options };
  let source: string | { command: string; args: string[] } = {
    command: node,
    args: [program, "server", name],
  };
  if (attack.http) {
    const child = spawn(node, [program, "server", name], { stdio: ["pipe", "pipe", "inherit"] });
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    source = `http://127.0.0.1:${String(port).trim()}/mcp`;
  }
  const client = await connect(source, { ...options, onEvent: () => true });
  const outcome = await attack.run(client);
  process.stdout.write(`${JSON.stringify({ outcome, peak: process.resourceUsage().maxRSS * 1024 })}\n`, () =>
    process.exit(),
  );
}

const [, , role, name = ""] = process.argv;
const attack = attacks[name];
if (!attack) console.log(JSON.stringify(Object.keys(attacks)));
else if (role === "client") void besiege(attack, name);
else if (attack.http) serveHttp(attack);
else serveStdio(attack);
