import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { clientCredentials, enterprise, oauth, workloadIdentity } from "@mcpgen/auth/client";
import { keychain, loopback } from "@mcpgen/auth/node";
import { github, oauthProxy } from "@mcpgen/auth/proxy";
import { dpop, introspection, jwks, resourceServer, tokenExchange } from "@mcpgen/auth/server";
import { viewTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/view";
import { type JsonObject, atPointer } from "@mcpgen/engine";
import { tasks as clientTasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { tasks as tasksExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/server";
import { postgresClusterStore, postgresSessionStore, postgresTaskStore } from "@mcpgen/postgres";
import { redisClusterStore, redisNotificationBus, redisSessionStore, redisTaskStore } from "@mcpgen/redis";
import { sqliteTaskStore } from "@mcpgen/sqlite";
import { tasks } from "@mcpgen/tasks";
import { tasks as clientTasks } from "@mcpgen/tasks/client";
import { receiver } from "@mcpgen/tasks/receiver";
import { connect, createServer, defineServer, memoryChannels } from "../../runtime/core/all.js";
import { formerConnectOptions } from "../../runtime/core/connect/connect.js";
import { formerServerOptions } from "../../runtime/core/server/definition-check.js";
import { createHttpHandler, createNodeHandler, serveHttp } from "../../runtime/core/http.js";
import {
  serveStdio,
  stdioClientChannel,
  stdioServerChannel,
  streamChannel,
} from "../../runtime/core/stdio.js";
import { openPeer, postMessageChannel } from "../../runtime/apps/index.js";
import { instrumentation } from "../../runtime/observe/otel.js";
import { MemoryClusterStore, cluster, health } from "../../runtime/cluster/index.js";
import { sealedSessions } from "../../runtime/cluster/sealed-sessions.js";
import { rateLimit } from "../../runtime/observe/rates/rates.js";
import { requestLog } from "../../runtime/observe/logging/logging.js";
import { Replay, createTestPair } from "../../runtime/testing/index.js";
import { formerKeys, readConfig } from "../../generator/config/config.js";
import { filesBelow } from "../../scripts/rooms/imports.js";
import { failureOf } from "../support/failure-of.js";
import { documentsIn } from "./documents.js";
import { partsOfTables, schemaTables, tables } from "./option-tables.js";

/** Looks like the name of no option, so that the refusal lists all names. */
const unknown: string = "~".repeat(41);
let wrong: object = { [unknown]: 1 };
const info = { name: "options", version: "1.0.0" };
const contract = { ...info, tools: [] };
const server = () => createServer(info);
const machine = { issuer: "https://auth.example.com" };
const employee = {
  idp: "https://idp.example",
  idToken: () => "",
  client: { id: "a", issuer: "https://auth.example.com" },
  idpClient: { id: "b" },
};
const proxied = {
  issuer: "https://api.example.com",
  resource: "https://api.example.com/mcp",
  upstream: github({ clientId: "id", secret: "secret" }),
  keys: ["options: a secret of 32 characters"],
};

const issued = { resource: "https://api.example.com/mcp", issuers: [jwks("https://auth.example.com")] };
const upstream = { issuer: "https://auth.example.com", clientId: "id", clientSecret: "secret" };

/** What a connection does that is not used. */
const unused = (): never => {
  throw new Error("a refusal comes before");
};

/** Uses an option that does not exist, by the heading of the table that lists those that do. */
const refusals: Readonly<Record<string, () => unknown>> = {
  createServer: () => createServer(info, wrong),
  defineServer: () => defineServer(contract, { tools: {} }, { checks: {}, ...wrong }),
  mount: () => server().mount(server(), wrong),
  "requests of a session": async () => (await sessionOf()).ping(wrong),
  "createHttpHandler, createNodeHandler": () => createHttpHandler(server(), wrong),
  "limits of an endpoint": () => createNodeHandler(server(), { limits: wrong }),
  sessions: () => createNodeHandler(server(), { sessions: wrong }),
  sse: () => createNodeHandler(server(), { sse: wrong }),
  serveHttp: () => serveHttp(server(), wrong),
  serveStdio: () => serveStdio(server(), wrong),
  stdioServerChannel: () => stdioServerChannel(wrong),
  streamChannel: () => streamChannel(new PassThrough(), new PassThrough(), wrong),
  stdioClientChannel: () => stdioClientChannel(["node"], wrong),
  postMessageChannel: () => postMessageChannel({ postMessage() {} }, wrong),
  instrument: () => instrumentation(wrong),
  sealedSessions: () => sealedSessions({ keys: [], ...wrong }),
  health: () => health(wrong),
  cluster: () => cluster({ store: new MemoryClusterStore(), keys: [], ...wrong }),
  openPeer: () => openPeer(viewTable, memoryChannels()[0], {}, wrong),
  connect: () => connect(memoryChannels()[0], wrong),
  http: () => connect(memoryChannels()[0], { http: wrong }),
  source: () => connect({ command: "node", ...wrong }),
  requests: async () => (await clientOf()).readResource("file:///x", wrong),
  subscribe: async () => (await clientOf()).subscribe(wrong),
  rateLimit: () => rateLimit(wrong),
  logRequests: () => requestLog(wrong),
  oauth: () => oauth(wrong),
  client: () => oauth({ client: wrong }),
  clientCredentials: () => clientCredentials({ ...machine, id: "a", ...wrong }),
  workloadIdentity: () => workloadIdentity({ ...machine, assertion: () => "", ...wrong }),
  enterprise: () => enterprise({ ...employee, ...wrong }),
  loopback: () => loopback(wrong),
  keychain: () => keychain(wrong),
  resourceServer: () => resourceServer({ ...issued, ...wrong }),
  scopes: () => resourceServer({ ...issued, scopes: wrong }),
  jwks: () => jwks("https://auth.example.com", wrong),
  introspection: () => introspection({ ...upstream, ...wrong }),
  dpop: () => dpop(wrong),
  tokenExchange: () => tokenExchange({ ...upstream, ...wrong }),
  oauthProxy: () => oauthProxy({ ...proxied, ...wrong }),
  clients: () => oauthProxy({ ...proxied, clients: wrong }),
  createTestPair: () => createTestPair({ server: server(), revisions: [], connection: wrong, ...wrong }),
  tasks: () => tasks(tasksExtension, wrong),
  sqliteTaskStore: () => sqliteTaskStore({ exec() {}, prepare: unused }, wrong),
  "createTaskTable, postgresTaskStore": () => postgresTaskStore({ query: unused }, wrong),
  "createSessionTable, postgresSessionStore": () => postgresSessionStore({ query: unused }, wrong),
  redisSessionStore: () => redisSessionStore({ call: unused }, wrong),
  redisClusterStore: () => {
    const subscriber = { ssubscribe: unused, sunsubscribe: unused, on: unused, off: unused };
    return redisClusterStore({ call: unused }, subscriber, wrong);
  },
  "createClusterTables, postgresClusterStore": () => postgresClusterStore({ query: unused }, unused, wrong),
  redisNotificationBus: () => redisNotificationBus({ call: unused }, { call: unused }, wrong),
  redisTaskStore: () => redisTaskStore({ call: unused }, wrong),
  "tasks of clients": () => clientTasks(clientTasksExtension, wrong),
  "limits of a client of tasks": () => tasks(tasksExtension, { limits: wrong }),
  receiver: () => receiver(wrong),
  task: () =>
    createServer(info, { extensions: [tasks(tasksExtension)] }).tool(
      "a",
      { task: { support: "optional", ...wrong } },
      () => "",
    ),
  Replay: () => new Replay([], { play: "client", ...wrong }),
};

const document = readFileSync("docs/options.md", "utf8");

/** The names in the tables below a heading, down to the next heading. */
function documented(heading: string): string[] {
  const sections = document.split(/^#{2,3} /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`))!;
  const cells = [...section.matchAll(/^\|(`.*?)\|/gm)].map(([, cell]) => cell!);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)).sort();
}

async function clientOf() {
  const [near, far] = memoryChannels();
  server().connect(far);
  return connect(near);
}

/** The session of a client that has made a handshake. */
async function sessionOf() {
  const [near, far] = memoryChannels();
  const served = server();
  served.connect(far);
  await connect(near, { revision: "2025-11-25" });
  const [session] = served.sessions;
  return session!;
}

/** The names that a refusal lists. */
async function accepted(refused: () => unknown): Promise<string[]> {
  const { message } = await Promise.resolve()
    .then(refused)
    .then(
      () => new Error("nothing was refused"),
      (error: Error) => error,
    );
  const [, names] = /there is no such option\. There are (.*)\.$/.exec(message) ?? [];
  expect(names, message).toBeDefined();
  return names!.split(", ").sort();
}

/** Rows that name the members of an option: `{ keys, store }`. Members without rules are checked otherwise. */
const grouped = ["createServer", "connect"].flatMap((heading) =>
  cellsOf(heading).flatMap(([, name, type]) => {
    const [, members] = /`\{ (.+) \}`/.exec(type!) ?? [];
    return members === undefined || name === "info" ? [] : [[heading, name!, members.split(", ")] as const];
  }),
);

describe("docs/options.md lists the options of", () => {
  test.each(Object.entries(refusals))("%s", async (heading, refused) => {
    expect(documented(heading)).toEqual(await accepted(refused));
  });

  test.each(grouped)("%s, with the members of %s", async (heading, name, members) => {
    const group = { [name]: wrong };
    const refused = (): unknown =>
      heading === "connect" ? connect(memoryChannels()[0], group) : createServer(info, group);
    expect(members.toSorted()).toEqual(await accepted(refused));
  });

  test.each(schemaTables)("%s", (heading, place) => {
    const configSchema = JSON.parse(readFileSync("docs/config.schema.json", "utf8")) as JsonObject;
    const { properties } = atPointer(configSchema, place) as { readonly properties: object };
    expect(documented(heading)).toEqual(Object.keys(properties).sort());
  });
});

test("docs/options.md has a table for each interface of options that an entry of the runtime exports", () => {
  const { exports } = JSON.parse(readFileSync("runtime/core/package.json", "utf8")) as {
    exports: Record<string, { "mcpgen-source": string }>;
  };
  const exported = Object.values(exports).flatMap(({ "mcpgen-source": path }) => {
    const text = readFileSync(`runtime/core/${path}`, "utf8");
    const statements = text.match(/^export (?:(?:type )?\{[^}]*\}|interface \w+|type \w+)/gm) ?? [];
    return statements.join(" ").match(/\b[A-Z]\w+(?:Options|Limits?|Bounds)\b/g) ?? [];
  });
  expect(exported.length).toBeGreaterThan(15);
  const covered = new Map(tables.map(([heading, type]) => [type, heading]));
  for (const [type, heading] of Object.entries(partsOfTables)) covered.set(type, heading);
  expect(exported.filter((type) => !covered.has(type))).toEqual([]);
  for (const heading of covered.values()) expect(documented(heading), heading).not.toEqual([]);
});

const everyFormer = [
  ...readFileSync("docs/migration.md", "utf8")
    .split("## Options of earlier versions")[1]!
    .matchAll(/^\|([^|`[]+)\|(`[^|]+`)\|(.+)\|$/gm),
].flatMap(([, headings, names, today]) =>
  headings!
    .split("; ")
    .flatMap((heading) => names!.match(/[\w.]+/g)!.map((name) => [heading, name, today!] as const)),
);

const isKey = ([file]: readonly [string, ...string[]]): boolean => file === "mcpgen.config.json";
const former = everyFormer.filter((row) => !isKey(row));

test("docs/migration.md has the keys of the configuration that are gone, and what to write today", async () => {
  const rows = everyFormer.filter(isKey).map(([, name, today]) => {
    const next = `Leave it out: ${today.replace(/^none: /, "")}.`;
    return [`/${name}`, next] as const;
  });
  expect(Object.fromEntries(rows)).toEqual(formerKeys);
  for (const [pointer, next] of rows) {
    const refused = await failureOf(readConfig({ [pointer.slice(1)]: 1 }, async () => ({})));
    expect(refused).toMatchObject({ code: "MG2102", next });
  }
});

test.each(former)(
  "%s: the option %s of before is refused with what docs/migration.md says",
  async (heading, name, today) => {
    const [option, member] = name.split(".") as [string, string?];
    wrong = { [option]: member === undefined ? 1 : { [member]: 1 } };
    onTestFinished(() => void (wrong = { [unknown]: 1 }));
    const { message } = (await failureOf(Promise.resolve().then(refusals[heading]!))) as Error;
    expect(message).toContain(`${name}: the option is gone. `);
    for (const [, code] of today.matchAll(/`([^`]+)`/g)) expect(message).toContain(code);
    if (today === "none") return expect(message).toMatch(/the option is gone\. .{15}/);
    const meaning = today.replace(/^none: /, "").replaceAll("`", "");
    expect(message).toContain(meaning);
  },
);

test("docs/migration.md has a row for each option that the code knows from before", () => {
  const rule = /(\w+): (?:\/\* @__PURE__ \*\/ )?gone\(/g;
  const known = filesBelow("runtime").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(rule)].map(([, name]) => name!),
  );
  known.push(...Object.keys(formerServerOptions), ...Object.keys(formerConnectOptions));
  expect(former.map(([, name]) => name.split(".").at(-1)).toSorted()).toEqual(known.toSorted());
});

/** Documents about the options of today. */
const documents = ["README.md", ...["docs", "docs/guides", "docs/tasks"].flatMap(documentsIn)].filter(
  (file) => file !== "docs/migration.md",
);

test("no document and no comment in the code names an option of before", () => {
  const lastOf = (name: string): string => name.split(".").at(-1)!;
  // Words have other meanings, and options may have their name in another place today.
  const unique = former
    .map(([, name, today]) => [lastOf(name), today] as const)
    .filter(([name, today]) => /[A-Z]/.test(name) && !today.includes(`.${name}\``))
    .map(([name]) => name)
    .filter((name) => !document.includes(`|\`${name}\`|`));
  expect(unique.length).toBeGreaterThan(25);
  const texts = [
    ...documents.map((file) => [file, readFileSync(file, "utf8")] as const),
    ...filesBelow("runtime").map((file) => {
      const lines = readFileSync(file, "utf8").match(/^ *(?:\/\*)?\*.*$/gm) ?? [];
      return [file, lines.join("\n")] as const;
    }),
  ];
  const found = texts.flatMap(([file, text]) =>
    [...text.matchAll(/`([^`\n]+)`/g)]
      .filter(
        ([, code]) =>
          code !== "disconnect(retryMs)" && unique.some((name) => RegExp(`\\b${name}\\b`).test(code!)),
      )
      .map(([code]) => `${file}: ${code}`),
  );
  expect(found).toEqual([]);
});

test("tables of options in other documents name options of docs/options.md", () => {
  const rows = [...document.matchAll(/^\|(`.*?)\|/gm)].map(([, cell]) => cell!);
  const known = new Set(rows.flatMap((cell) => cell.match(/\w+/g)!));
  const tables = documents.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^\| ?option ?\|.*\n\|[-|]+\n((?:\|.*\n)+)/gm)].map(
      ([, rows]) => [file, rows!] as const,
    ),
  );
  expect(tables.length).toBeGreaterThan(3);
  const found = tables
    .filter(([file]) => file !== "docs/options.md")
    .flatMap(([file, rows]) =>
      [...rows.matchAll(/^\| ?(.+?) ?\|/gm)]
        .flatMap(([, cell]) => [...cell!.matchAll(/`(?:\w+\.)*(\w+)`/g)].map(([, name]) => name!))
        .filter((name) => !known.has(name))
        .map((name) => `${file}: ${name}`),
    );
  expect(found).toEqual([]);
});

test("each table of docs/options.md is compared with what the code accepts", () => {
  const headings = tables.map(([heading]) => heading).filter((heading) => heading !== "ask");
  expect(Object.keys(refusals).toSorted()).toEqual(headings.toSorted());
});

/** Name, type and default of each row below a heading. */
function cellsOf(heading: string): RegExpMatchArray[] {
  const section = document.split(/^#{2,3} /m).find((text) => text.startsWith(`${heading}\n`))!;
  return [...section.matchAll(/^\|`([\w$]+)`\|(.+?)\|(.+?)\|.+\|$/gm)];
}
