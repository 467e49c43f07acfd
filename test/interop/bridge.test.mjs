// Clients of both official SDKs, through a bridge, with servers of both: each feature is as without the bridge. The gate runs some of
// the combinations, the nightly all.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isThorough } from "../support/cases.mjs";
import { behaviours, textOf } from "./behaviours.mjs";
import { itemTemplate, note, page, picture, results } from "./fixture.mjs";
import { pair } from "./pair.mjs";
import { clients, legacy, modern, servers } from "./peers.mjs";
import { started } from "./started.mjs";

const file = fileURLToPath(new URL("servers/bridge.mjs", import.meta.url));
const newest = legacy.at(-1);

/** Before the bridge: who connects, in which revision, to what the bridge serves. */
const fronts = [
  { client: "sdk-v1", revision: newest, serves: "stdio" },
  { client: "sdk-v1", revision: newest, serves: "http" },
  { client: "sdk-v1", revision: newest, serves: "sse" },
  { client: "sdk-v2", revision: newest, serves: "http" },
  { client: "sdk-v2", revision: modern, serves: "http" },
  { client: "sdk-v2", revision: modern, serves: "stdio" },
];

/** Behind it: a server, and how it serves each revision over HTTP. */
const backs = [
  { server: "sdk-v1", serves: "stdio" },
  { server: "sdk-v1", serves: "http", modes: { [newest]: "sessions" } },
  { server: "sdk-v2", serves: "stdio" },
  { server: "sdk-v2", serves: "http", modes: { [newest]: "sessions", [modern]: "handler" } },
];

/** The newest revision of a server, which the bridge uses. */
const newestOf = (name) => servers[name].revisions.at(-1);

/** Starts a server, and resolves with `{ target, args, close }` for a client of a revision. */
async function open({ server, serves, modes }, revision) {
  const { file: program } = servers[server];
  if (serves === "http") {
    const { url, close } = await started([program, modes[revision]]);
    return { target: url, args: [], close };
  }
  const folder = await mkdtemp(join(tmpdir(), "mcpgen-bridge-"));
  const close = () => rm(folder, { recursive: true });
  return { target: program, args: ["stdio", folder], close };
}

/** Starts a bridge to what `back` opened. */
async function bridged(serves, back) {
  const args = [serves, String(back.target), ...back.args];
  if (serves === "stdio") return { target: file, args, close: back.close };
  const { url, close } = await started([file, ...args], {}, serves === "sse" ? "/sse" : "/mcp");
  return { target: url, args: [], close: () => close().then(back.close) };
}

/** The same client without a bridge. A server that lacks the client's revision gets the newest that both have. */
async function direct({ client, revision }, back) {
  const { revisions } = servers[back.server];
  const common = revisions.includes(revision) ? revision : revisions.at(-1);
  const opened = await open(back, common);
  const { connect } = await import(clients[client].module);
  const session = await connect(opened.target, common, opened.args);
  return { session, close: () => session.close().then(opened.close) };
}

/** @param hops how many bridges are between them */
function combination(front, back, hops = 1) {
  const { client, revision, serves } = front;
  const names = [`${client} over ${serves}`, `${back.server} over ${back.serves}, ${hops} between them`];
  const opening = async () => {
    let through = await open(back, newestOf(back.server));
    for (let hop = hops; hop > 0; hop--) through = await bridged(hop === 1 ? serves : "http", through);
    const reference = await direct(front, back);
    return { ...through, direct: reference.session, close: () => reference.close().then(through.close) };
  };
  const features = [...same(isAcross(front, back)), ...pages, ...behaviours, changes];
  pair([names[0], clients[client]], [names[1], { lacks: lacksOf(front, back) }], revision, opening, features);
}

/** Whether the bridge translates between the eras. */
function isAcross({ revision }, { server }) {
  return (revision === modern) !== (newestOf(server) === modern);
}

/** What no bridge can give, and why. */
function lacksOf(front, back) {
  const lacks = {};
  if (back.server === "sdk-v2") lacks["pages that a call needs"] = "it asks for pages in rounds";
  if (isAcross(front, back)) lacks["a user that fails"] = "answers of 2026-07-28 cannot be errors";
  if (front.revision === modern && back.server === "sdk-v1" && back.serves === "http")
    lacks.logging = lacks["logs of the lowest level"] = "they race with the answer, on another stream";
  if (front.revision === modern && front.serves === "http" && back.serves === "stdio")
    lacks.subscriptions = lacks[changes.feature] =
      "calls that ask or want logs may run in a process each, which alone knows of its changes";
  return lacks;
}

/** A call of a tool, with the members that `callTool` of a client may leave out. */
const call = (name, more) => (session) => session.request("tools/call", { name, arguments: {}, ...more });

/** A call, and the questions that it caused. */
const asking = (name, answer) => async (session) => {
  const asked = [];
  const { elicit, sample } = session.user;
  const keep = (params) => {
    const { progressToken: _, ...meta } = params._meta ?? {};
    const { _meta, ...rest } = params;
    return asked.push(Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest);
  };
  session.user.elicit = (params) => answer(keep(params));
  session.user.sample = (params) => (keep(params), sample());
  try {
    return [textOf(await session.call(name)), asked];
  } finally {
    session.user.elicit = elicit;
    session.user.sample = sample;
  }
};

/** What a client sees must be the same through a bridge. */
const seen = Object.entries({
  "name, capabilities and instructions": (session) => [
    session.server(),
    session.capabilities(),
    session.instructions(),
  ],
  "list of tools": (session) => session.request("tools/list", {}),
  "list of resources": (session) => session.request("resources/list", {}),
  "list of prompts": (session) => session.request("prompts/list", {}),
  "pages of a list": async (session) => {
    const first = await session.request("resources/templates/list", {});
    return [first, await session.request("resources/templates/list", { cursor: first.nextCursor })];
  },
  ...Object.fromEntries(Object.keys(results).map((name) => [`${name} result`, call(name)])),
  "structured result": call("add", { arguments: { a: 1, b: 2 } }),
  "failed result": call("fail"),
  "wrong arguments": call("add", { arguments: { a: "one" } }),
  "absent tool": call("nothing"),
  "_meta of a request": call("meta", { _meta: { "example.com/trace": { t: [1] } } }),
  "who calls": async (session) => JSON.parse(textOf(await session.call("caller"))),
  "text resource": (session) => session.request("resources/read", { uri: note.uri }),
  "binary resource": (session) => session.request("resources/read", { uri: picture.uri }),
  "unknown resource": (session) => session.request("resources/read", { uri: "test://nothing" }),
  "prompt with arguments": (session) =>
    session.request("prompts/get", { name: "greet", arguments: { name: "Ada" } }),
  "prompt without its arguments": (session) => session.request("prompts/get", { name: "greet" }),
  "prompt of all content": (session) => session.request("prompts/get", { name: "rich" }),
  "unknown prompt": (session) => session.request("prompts/get", { name: "nothing" }),
  "completion with context": (session) =>
    session.request("completion/complete", {
      ref: { type: "ref/resource", uri: itemTemplate },
      argument: { name: "id", value: "A" },
      context: { arguments: { other: "x" } },
    }),
  "unknown completion": (session) =>
    session.request("completion/complete", {
      ref: { type: "ref/prompt", name: "nothing" },
      argument: { name: "id", value: "A" },
    }),
  "vendor request": (session) => session.request("vendor/echo", { of: [1, { two: "ü" }] }),
  "vendor error with data": (session) => session.request("vendor/fail", {}),
  "unknown method": (session) => session.request("vendor/nothing", {}),
  // Over a pipe of 2026-07-28, callers that want no logs share a connection: nothing shows to which of them a notification belongs.
  "logs of the lowest level": async (session) => {
    await session.hear("debug");
    await session.call("log");
    return [await session.logs.next(), await session.logs.next()];
  },
  "vendor notification": async (session) => {
    const answer = await session.call("news");
    return [answer, await session.rest.next()];
  },
  "form as the server wants it": asking("name", () => ({
    action: "accept",
    content: { name: "Ada", age: 36 },
  })),
  "page as the server wants it": asking("visit", () => ({ action: "decline" })),
  "sampling as the server wants it": asking("sample"),
  "two questions": asking("twice", (time) => ({ action: "accept", content: { name: `${time}` } })),
  "a user that fails": asking("name", () => {
    throw new Error("no user");
  }),
  "calls that ask at once": async (session) => {
    const { elicit } = session.user;
    session.user.elicit = () => ({ action: "decline" });
    const results = await Promise.all(Array.from({ length: 8 }, () => session.call("name")));
    session.user.elicit = elicit;
    return results.map(textOf);
  },
});

/** A server of an earlier revision ends a call with an error that has the pages; for clients of 2026-07-28, that is a round. */
const pages = [
  {
    feature: "pages that a call needs",
    until: newest,
    run: async (session) => {
      const { code, data } = await outcomeOf(session, call("pages"));
      assert.deepEqual([code, data.elicitations], [-32042, [{ mode: "url", ...page }]]);
    },
  },
  {
    feature: "pages that a call needs",
    since: modern,
    run: async (session) => {
      const [answer, [{ mode, url }]] = await asking("pages", () => ({ action: "accept" }))(session);
      assert.deepEqual([answer, mode, url], ["visited", "url", page.url]);
    },
  },
];

/** Comes after the behaviour of subscriptions, in which a tool, a prompt and a resource are added. */
const changes = {
  feature: "changes of prompts and resources",
  async run(session) {
    const wanted = ["prompts", "resources"].map((kind) => `notifications/${kind}/list_changed`);
    const heard = new Set();
    while (!wanted.every((method) => heard.has(method))) heard.add((await session.rest.next()).method);
    const { prompts } = await session.request("prompts/list", {});
    const { resources } = await session.request("resources/list", {});
    for (const list of [prompts, resources]) assert.ok(list.some(({ name }) => name === "grown"));
  },
};

/** As `behaviours`. @param across whether differences between the eras are no faults */
function same(across) {
  return seen.map(([feature, see]) => ({
    feature,
    run: async (session, revision, opened) => {
      const [found, expected] = [await outcomeOf(session, see), await outcomeOf(opened.direct, see)];
      // Only a client of 2026-07-28 may see what that revision adds to results.
      const added = revision === modern ? withoutEnvelope(found) : found;
      if (across) assert.deepEqual(withoutEra(added), withoutEra(expected));
      else assert.deepEqual(found, expected);
    },
  }));
}

async function outcomeOf(session, see) {
  try {
    return JSON.parse(JSON.stringify(await see(session)));
  } catch (error) {
    // Over HTTP, the client of SDK 2 reports the status of an unknown method, and the response as text.
    const { code, message, data } = error.data?.text ? JSON.parse(error.data.text).error : error;
    return { code, message, data: JSON.parse(JSON.stringify(data ?? null)) };
  }
}

/** A message without what 2026-07-28 alone adds to it: who answers, and how long that is fresh. */
function withoutEnvelope(value) {
  return mapped(value, (message) => {
    const { resultType: _, ttlMs: __, cacheScope: ___, _meta, ...rest } = message;
    const { "io.modelcontextprotocol/serverInfo": ____, ...meta } = _meta ?? {};
    return _meta && Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
  });
}

/** A message without what the eras have in different ways: ids of pages, and the code of a missing resource. */
function withoutEra(value) {
  return mapped(value, (message) => {
    const { elicitationId: _, ...rest } = message;
    if (rest.code === -32002) rest.code = -32602;
    if (typeof rest.message === "string") rest.message = rest.message.replace("-32002", "-32602");
    return rest;
  });
}

/** A value with each object in it changed. */
function mapped(value, change) {
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(change(value)).map(([name, each]) => [name, mapped(each, change)]),
  );
}

const combinations = fronts.flatMap((front) => backs.map((back) => [front, back]));
/** In the gate, some: the stride meets each front but one, each back, and both eras on both sides. The other front has two bridges. */
const chosen = isThorough ? combinations : combinations.filter((_, index) => index % 5 === 0);
for (const [front, back] of chosen) combination(front, back);
combination(fronts[4], backs[0], 2);
combination(fronts[0], backs[3], 2);
