import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Revision } from "@mcpgen/protocol/model";
import { connect } from "@mcpgen/runtime";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";
import { build } from "esbuild";
import { describe, expect, onTestFinished, test } from "vitest";
import { loopback } from "../support/listen.js";
import { newest, partialProtocol, partialRevision } from "./partial-protocol.js";
import { sharedFolder, temporaryFolder } from "../support/temporary-folder.js";

// A made-up revision, unknown to the code, has lists that leave entries out. Clients read it with its own names, or
// with the names of the revision before, in which a member of tools has another name.

const program = resolve("test/capture/partial-server.mjs");

const manners = [
  { words: partialRevision, vocabulary: undefined, schemaMember: undefined },
  { words: newest, vocabulary: newest, schemaMember: "parameters" },
];

describe.each(manners)("with the vocabulary of $words", ({ vocabulary, schemaMember }) => {
  const folder = sharedFolder();

  const bundledRevisions = async (): Promise<readonly Revision<"client">[]> => {
    const manner = {
      ...(vocabulary !== undefined && { vocabulary }),
      ...(schemaMember !== undefined && { schemaMember }),
    };
    for (const [path, content] of await partialProtocol(folder, manner)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const outfile = join(folder, "client.mjs");
    await build({
      ...{ entryPoints: [join(folder, "client.ts")], outfile },
      ...{ bundle: true, format: "esm", logLevel: "error" },
    });
    const { clientRevisions } = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
      readonly clientRevisions: readonly Revision<"client">[];
    };
    return clientRevisions;
  };
  let known: ReturnType<typeof bundledRevisions> | undefined;
  const revisionsOf = () => (known ??= bundledRevisions());

  /** A tool as the client returns it, and as the server sends it. */
  const tool = (name: string, properties: object = { city: { type: "string" } }, member = "inputSchema") => ({
    name,
    description: `The tool ${name}.`,
    [member]: { type: "object", properties },
  });
  const written = (name: string, properties?: object) => tool(name, properties, schemaMember);

  test("a client of that revision reads its lists by the tables", async () => {
    const offer = { tools: [written("a"), written("b")], listed: ["a"], referred: ["b"] };
    const offered = join(temporaryFolder({ "offer.json": JSON.stringify(offer) }), "offer.json");
    const channel = stdioClientChannel(["node", program, offered]);
    onTestFinished(() => channel.close());
    const client = await connect(channel, { revisions: await revisionsOf() });
    onTestFinished(() => client.close());
    expect(client.revision).toBe(partialRevision);
    expect(await client.listTools()).toEqual({
      items: [tool("a")],
      rejected: [],
      complete: false,
      references: [{ name: "b" }],
    });
    expect(await client.entry("tools/list", "b")).toEqual(tool("b"));
    expect(await client.entry("tools/list", "c")).toBeUndefined();
    const queried = await client.listTools({ params: { query: "b" } });
    expect(queried.items.map(({ name }) => name)).toEqual(["b"]);
    await expect(client.entry("prompts/list", "plan")).rejects.toMatchObject({ code: "method-not-found" });
  });

  test("over HTTP a tool that no list names is fetched once for its headers, and the call goes through", async () => {
    const secret = written("secret", { city: { type: "string", "x-mcp-header": "City" } });
    const received: string[] = [];
    const envelope = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    const origin = await loopback((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        const { id, method, params } = JSON.parse(body) as {
          id?: number;
          method: string;
          params: { name?: string };
        };
        if (id === undefined) return void response.writeHead(202).end();
        received.push(method);
        const isRight = request.headers["mcp-param-city"] === "Bern";
        const answers: Record<string, object> = {
          "server/discover": {
            result: { ...envelope, supportedVersions: [partialRevision], capabilities: { tools: {} } },
          },
          "tools/list": { result: { ...envelope, complete: false, tools: [] } },
          "tools/get":
            params.name === "secret"
              ? { result: { resultType: "complete", tool: secret } }
              : { error: { code: -32602, message: "no such tool" } },
          "tools/call": isRight
            ? { result: { resultType: "complete", content: [{ type: "text", text: "done" }] } }
            : { error: { code: -32020, message: "header mismatch" } },
        };
        const answer = answers[method]!;
        response
          .writeHead("error" in answer ? 400 : 200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
      });
    });
    const client = await connect(`${origin}/mcp`, { revisions: await revisionsOf() });
    onTestFinished(() => client.close());
    const call = () => client.callTool("secret", { city: "Bern" });
    expect(await call()).toMatchObject({ content: [{ text: "done" }] });
    expect(received).toEqual(["server/discover", "tools/call", "tools/list", "tools/get", "tools/call"]);
    await call();
    expect(received.slice(5)).toEqual(["tools/call"]);
  });
});
