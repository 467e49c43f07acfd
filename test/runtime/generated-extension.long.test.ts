import { describe, expect, test } from "vitest";
import {
  type Skill,
  getSkill,
  listSkills,
  readResourceDirectory,
  skills as skillsClient,
} from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/client";
import { skills as skillsServer } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/server";
import type { CodeFirstServer, ServerOptions } from "@mcpgen/runtime";
import { failureOf } from "../support/failure-of.js";
import { Party, messagesOf } from "../support/raw-http-client.js";
import { type Members, raw } from "../support/raw-stdio-client.js";
import { clientOf, serverWith, sourceOf, wires } from "../support/served.js";

// A generated extension, on each of its bases and on other revisions.

const id = "io.modelcontextprotocol/skills";
const bases = ["2025-06-18", "2025-11-25", "2026-07-28"];
const others = ["2024-11-05", "2025-03-26"];

const uri = "skill://plan/SKILL.md";
const digest = `sha256:${"0a".repeat(32)}`;
const plan: Skill = {
  uri,
  frontmatter: { name: "plan", description: "Plans.", license: "MIT" },
  resources: [{ uri, digest, size: 5 }],
};
const child = { uri, name: "SKILL.md", mimeType: "text/markdown" };
const hints = { ttlMs: 60_000, cacheScope: "public" } as const;

type Implemented = NonNullable<ServerOptions["extensions"]>[number];

/** The extension, and how often each method was called. */
function implemented(directoryRead = true): { used: Implemented; calls: string[] } {
  const calls: string[] = [];
  const used = skillsServer.implement(
    {
      "skills/list": ({ cursor }) => {
        calls.push("skills/list");
        return cursor === undefined ? { skills: [plan], nextCursor: "2" } : { skills: [] };
      },
      "skills/get": (params) => {
        calls.push("skills/get");
        return { skill: { ...plan, uri: params.uri } };
      },
      "resources/directory/read": () => {
        calls.push("resources/directory/read");
        return { resources: [child] };
      },
    },
    { settings: directoryRead ? { directoryRead } : {}, cache: hints },
  );
  return { used, calls };
}

/** The extension needs the capability `resources`. */
const offering = (server: CodeFirstServer) => void server.resource(uri, {}, () => "a plan");

function serving(used: Implemented, options: Partial<ServerOptions> = {}): CodeFirstServer {
  const server = serverWith({ extensions: [used], ...options });
  offering(server);
  return server;
}

const extensions = [skillsClient];

describe.each(wires)("over %s", (wire) => {
  test.each(bases)("at %s the stubs reach the handlers", async (revision) => {
    // Its wrong params reach the server.
    const options = { extensions, validation: { send: "off" } } as const;
    const client = await clientOf(serving(implemented().used), wire, revision, options);
    expect(client.serverCapabilities).toMatchObject({ extensions: { [id]: { directoryRead: true } } });
    const page = await listSkills(client);
    expect(page).toMatchObject({ skills: [plan], nextCursor: "2" });
    expect(await listSkills(client, { cursor: page.nextCursor! })).toMatchObject({ skills: [] });
    expect(await getSkill(client, { uri })).toMatchObject({ skill: plan });
    expect(await readResourceDirectory(client, { uri: "skill://plan" })).toMatchObject({
      resources: [child],
    });
    expect(await client.readResource(uri)).toMatchObject({ contents: [{ text: "a plan" }] });
    expect(await failureOf(getSkill(client, {} as never))).toMatchObject({ rpcCode: -32602 });
  });

  test.each(bases)("at %s a method does not exist without its setting", async (revision) => {
    const client = await clientOf(serving(implemented(false).used), wire, revision, { extensions });
    expect(client.serverCapabilities).toMatchObject({ extensions: { [id]: {} } });
    expect(await listSkills(client)).toMatchObject({ skills: [plan] });
    expect(await failureOf(readResourceDirectory(client, { uri: "skill://plan" }))).toMatchObject({
      code: "missing-capability",
      message: `resources/directory/read: the server has not declared extensions.${id}.directoryRead`,
    });
  });

  test.each(others)("at %s the extension does not exist, and everything else works", async (revision) => {
    const client = await clientOf(serving(implemented().used), wire, revision, { extensions });
    expect(client.serverCapabilities.extensions).toBeUndefined();
    expect(await failureOf(listSkills(client))).toMatchObject({ code: "method-not-found" });
    expect(await client.readResource(uri)).toMatchObject({ contents: [{ text: "a plan" }] });
  });

  test("at 2026-07-28 a result is cached for the time that the server sets", async () => {
    const { used, calls } = implemented();
    const client = await clientOf(serving(used), wire, "2026-07-28", { extensions });
    for (let time = 0; time < 2; time++) {
      expect(await listSkills(client)).toMatchObject({ skills: [plan] });
      expect(await getSkill(client, { uri })).toMatchObject({ skill: plan });
      await getSkill(client, { uri: "skill://other/SKILL.md" });
      await readResourceDirectory(client, { uri: "skill://plan" });
    }
    expect(calls).toEqual(["skills/list", "skills/get", "skills/get", "resources/directory/read"]);
  });

  test.each(bases)("at %s a wrong entry is set aside, and the others stay", async (revision) => {
    const wrong = { ...plan, resources: "all" } as unknown as Skill;
    const used = skillsServer.implement({
      "skills/list": () => ({ skills: [wrong, plan] }),
      "skills/get": () => ({ skill: wrong }),
    });
    const server = serving(used, { validation: { send: "off" } });
    const client = await clientOf(server, wire, revision, { extensions });
    expect((await listSkills(client)).skills).toEqual([plan]);
    expect(await failureOf(getSkill(client, { uri }))).toMatchObject({ code: "invalid-result" });
    const checked = await clientOf(serving(used), wire, revision, { extensions });
    expect(await failureOf(getSkill(checked, { uri }))).toMatchObject({ rpcCode: -32603 });
  });
});

describe.each([...bases, ...others])("the bytes at %s", (revision) => {
  const isBase = bases.includes(revision);
  const isModern = revision === "2026-07-28";
  const { used } = implemented(false);

  test("on stdio: settings in the answer of the era, cache hints only if the base has them", async () => {
    const { client } = await raw(revision, offering, {}, { extensions: [used] });
    const { result } = isModern ? await client.request("server/discover", {}) : client.received[0]!;
    const { extensions: declared } = result!["capabilities"] as Members;
    expect(declared).toEqual(isBase ? { [id]: {} } : undefined);
    const listed = await client.request("skills/list", {});
    if (!isBase) expect(listed.error).toMatchObject({ code: -32601 });
    else if (isModern)
      expect(listed.result).toMatchObject({
        skills: [plan],
        nextCursor: "2",
        resultType: "complete",
        ...hints,
      });
    else expect(listed.result).toEqual({ skills: [plan], nextCursor: "2" });
    expect((await client.request("resources/directory/read", { uri: "skill://plan" })).error).toMatchObject({
      code: -32601,
    });
  });

  test.skipIf(revision === "2024-11-05")("over HTTP: a method that is not offered is not found", async () => {
    const url = (await sourceOf(serving(used), "HTTP")) as string;
    const client = new Party(url, revision, {}, {});
    await client.open();
    const asked = client.message("resources/directory/read", { uri: "skill://plan" });
    const answer = await client.post(asked);
    await answer.whole();
    expect(answer.status).toBe(isModern ? 404 : 200);
    expect(messagesOf(answer)).toMatchObject([{ error: { code: -32601 } }]);
  });
});

test("subscriptions to resources stay unchanged", async () => {
  const server = serving(implemented().used);
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const client = await clientOf(server, "memory", revision, { extensions });
    const subscription = await client.subscribe({ uris: [uri] });
    const notices = subscription[Symbol.asyncIterator]();
    server.resourceUpdated(uri);
    expect((await notices.next()).value).toMatchObject({ method: "notifications/resources/updated", uri });
    await subscription.close();
  }
});
