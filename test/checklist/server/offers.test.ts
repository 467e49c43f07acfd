import { join } from "node:path";
import { serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, defineServer, resourceNotFound } from "@mcpgen/runtime";
import { describe, expect } from "vitest";
import { Folder } from "../../../examples/files/folder.js";
import { everyFeature } from "../../support/every-feature/server.js";
import {
  type Members,
  RawClient,
  type Wired,
  clientOf,
  logLevel,
  raw,
  served,
  textOf,
} from "../../support/raw-stdio-client.js";
import { sharedFolder } from "../../support/temporary-folder.js";
import { row } from "./rows.js";

const strict = {
  type: "object",
  properties: { a: { type: "number" } },
  required: ["a"],
  additionalProperties: false,
} as const;

const wrongArguments = [{ a: "1" }, {}, { a: 1, b: 2 }];

/** A tool that counts how often it runs. */
function counter(server: CodeFirstServer): { ran: number } {
  const state = { ran: 0 };
  server.tool("count", { inputSchema: strict }, () => `${++state.ran}`);
  return state;
}

describe("tools", () => {
  row("TOOL-01", "an unknown tool is an error of the protocol", async (revision) => {
    const { client } = await raw(revision, counter);
    for (const name of ["nope", "", "__proto__", "toString"])
      expect((await client.call(name)).error?.code).toBe(-32602);
  });

  row("TOOL-02", "wrong arguments are reported to the model", async (revision) => {
    let state!: { ran: number };
    const { client } = await raw(revision, (server) => (state = counter(server)));
    for (const wrong of wrongArguments) {
      const answer = await client.call("count", wrong);
      expect(answer.result).toMatchObject({ isError: true });
      expect(textOf(answer)).toMatch(/\b[ab]\b/);
    }
    expect(state.ran).toBe(0);
    expect(textOf(await client.call("count", { a: 1 }))).toBe("1");
  });

  row("TOOL-03", "wrong arguments do not reach the handler", async (revision) => {
    let state!: { ran: number };
    const { client } = await raw(revision, (server) => (state = counter(server)));
    for (const wrong of wrongArguments) expect((await client.call("count", wrong)).error?.code).toBe(-32602);
    expect(state.ran).toBe(0);
    expect(textOf(await client.call("count", { a: 1 }))).toBe("1");
  });

  row(
    "TOOL-04",
    "structured content against the tool's outputSchema is never sent as a success",
    async (revision) => {
      const { client } = await raw(revision, (server) => {
        const wrong: readonly unknown[] = [{ a: "1" }, {}, { a: 1, b: 2 }, undefined];
        for (const [index, structuredContent] of wrong.entries())
          server.tool(
            `wrong${index}`,
            { outputSchema: strict },
            () => ({ content: [], structuredContent }) as never,
          );
        server.tool("right", { outputSchema: strict }, () => ({ structuredContent: { a: 1 } }));
        server.tool("failed", { outputSchema: strict }, () => ({ content: [], isError: true }));
      });
      for (let index = 0; index < 4; index++)
        expect((await client.call(`wrong${index}`)).error?.code).toBe(-32603);
      expect((await client.call("right")).result?.["structuredContent"]).toEqual({ a: 1 });
      expect((await client.call("failed")).result).toMatchObject({ isError: true });
    },
  );

  row("TOOL-06", "structured content is a text, too", async (revision) => {
    const { client } = await raw(revision, (server) => {
      server.tool("both", { outputSchema: strict }, () => ({ structuredContent: { a: 1 } }));
      server.tool("free", {}, () => ({ structuredContent: { b: ["𝔘"] } }));
    });
    for (const name of ["both", "free"]) {
      const answer = await client.call(name);
      expect(JSON.parse(textOf(answer))).toEqual(answer.result!["structuredContent"]);
    }
  });

  row(
    "TOOL-07",
    "structured content may be any value; older revisions get it as text unless it is an object",
    async (revision) => {
      const values: readonly unknown[] = [[1, "a"], "text", 0, false, null, { a: null }];
      const define = (server: CodeFirstServer): void => {
        for (const [index, structuredContent] of values.entries())
          server.tool(`value${index}`, { outputSchema: {} }, () => ({ structuredContent }) as never);
      };
      for (const at of [revision, "2025-11-25"]) {
        const { client } = await raw(at, define);
        for (const [index, value] of values.entries()) {
          const answer = await client.call(`value${index}`);
          const isSent = at === revision || index === 5;
          expect(answer.result!["structuredContent"]).toEqual(isSent ? value : undefined);
          expect("structuredContent" in answer.result!).toBe(isSent);
          expect(JSON.parse(textOf(answer))).toEqual(value);
        }
      }
    },
  );

  row(
    "TOOL-08",
    "tools are declared if there are any; without, there are no methods for them",
    async (revision) => {
      const capabilitiesOf = async (client: RawClient): Promise<Members> =>
        (await (client.isModern ? client.request("server/discover") : client.open())).result![
          "capabilities"
        ] as Members;
      const without = new RawClient(
        served((server) => void server.prompt("p", {}, () => "p")).server,
        revision,
      );
      expect(await capabilitiesOf(without)).not.toHaveProperty("tools");
      for (const [method, params] of [
        ["tools/list", {}],
        ["tools/call", { name: "count" }],
      ] as const)
        expect((await without.request(method, params)).error?.code).toBe(-32601);
      const having = new RawClient(served(counter).server, revision);
      expect(await capabilitiesOf(having)).toHaveProperty("tools");
    },
  );

  row(
    "TOOL-09",
    "changes of lists are sent to the clients to which that was declared, and to no others",
    async (revision) => {
      const change = (server: CodeFirstServer): void => {
        server.tool("t", {}, () => "").disable();
        server.prompt("p", {}, () => "").remove();
        server.resource("note://r", {}, () => "").update({ description: "changed" });
        server.resourceTemplate("note://{t}", {}, () => "");
      };
      const define = (server: CodeFirstServer): void => {
        server.tool("first", {}, () => "");
        server.prompt("first", {}, () => "");
        server.resource("note://first", {}, () => "");
      };
      const kinds = ["tools", "prompts", "resources"];
      const { client, server } = await raw(revision, define);
      change(server);
      const methods = (await client.settled()).flatMap(({ method }) => method ?? []);
      expect([...new Set(methods)].sort()).toEqual(
        kinds.map((kind) => `notifications/${kind}/list_changed`).sort(),
      );
      // The capabilities were declared without listChanged, or not declared when the session was opened.
      for (const [before, capabilities] of [
        [define, { tools: {}, prompts: {}, resources: {} }],
        [() => {}, {}],
      ] as const) {
        const silent = await raw(revision, before, {}, { capabilities });
        change(silent.server);
        expect((await silent.client.settled()).flatMap(({ method }) => method ?? [])).toEqual([]);
      }
    },
  );

  row("TOOL-10", "lists are the same on all connections, whatever has been called", async (revision) => {
    const server = everyFeature(serverRevisions);
    const [one, other] = [
      await clientOf({ server }, revision),
      await clientOf({ server }, revision, { sampling: {} }),
    ];
    const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
    const listed = async (client: RawClient): Promise<unknown[]> => {
      const answers = [];
      for (const method of lists) answers.push((await client.request(method)).result);
      return answers;
    };
    const before = await listed(one);
    for (const tool of ["add", "work", "fail", "greet"]) await one.call(tool, { a: 1, b: 2 });
    expect(await listed(other)).toEqual(before);
    expect(await listed(one)).toEqual(before);
  });
});

const tree = sharedFolder({ secret: "secret", "inside/open": "open" });

describe("resources and prompts", () => {
  row("RSRC-01", "an unknown resource is -32002", async (revision) => {
    const { client } = await raw(revision, (server) => void server.resource("note://one", {}, () => "one"));
    const { error } = await client.request("resources/read", { uri: "note://two" });
    expect(error).toMatchObject({ code: -32002, data: { uri: "note://two" } });
  });

  row("RSRC-03", "no path leads out of a folder that is served", async (revision) => {
    const folder = await Folder.at(join(tree, "inside"));
    const { client } = await raw(revision, (server) => {
      server.resourceTemplate("file:///root/{+path}", {}, async ({ path = "" }, context, uri) => {
        const bytes = await folder.read(path);
        if (!bytes) throw resourceNotFound(uri, context);
        return bytes.toString();
      });
    });
    const read = (uri: string): Promise<Wired> => client.request("resources/read", { uri });
    expect((await read("file:///root/open")).result!["contents"]).toMatchObject([{ text: "open" }]);
    for (const path of [
      ...["../secret", "%2e%2e/secret", "%2e%2e%2fsecret", "..%2Fsecret", "a/../../secret", "/../secret"],
      ...[`${tree}/secret`, "%2Fetc%2Fpasswd", "..%5csecret", "%00", "open/../../secret", "."],
    ]) {
      const { error, result } = await read(`file:///root/${path}`);
      expect(result, path).toBeUndefined();
      expect([-32002, -32602]).toContain(error!.code);
    }
  });

  row("RSRC-06", "without the capability there is no resources/subscribe", async (revision) => {
    const contract = { name: "c", version: "1", resources: [{ uri: "note://one", name: "one" }] };
    const handlers = { resources: { "note://one": () => "one" } };
    const server = defineServer(contract, handlers, { revisions: serverRevisions, checks: {} });
    const client = new RawClient(server, revision);
    const { result } = await client.open();
    expect((result!["capabilities"] as Members)["resources"]).not.toHaveProperty("subscribe");
    for (const method of ["resources/subscribe", "resources/unsubscribe"])
      expect((await client.request(method, { uri: "note://one" })).error?.code).toBe(-32601);
    server.resourceUpdated("note://one");
    expect(await client.settled(client.received.length)).toEqual([]);
  });

  row("PRMT-01", "unknown prompts and missing arguments are -32602", async (revision) => {
    const { client } = await raw(revision, (server) => {
      const args = [{ name: "topic", required: true }, { name: "tone" }];
      server.prompt<{ topic: string }>("write", { arguments: args }, ({ topic }) => topic);
    });
    const get = (params: Members): Promise<Wired> => client.request("prompts/get", params);
    for (const params of [{ name: "nope" }, { name: "write" }, { name: "write", arguments: { tone: "" } }])
      expect((await get(params)).error?.code).toBe(-32602);
    expect((await get({ name: "write", arguments: { topic: "" } })).result!["messages"]).toHaveLength(1);
  });

  row("PRMT-02", "the content of prompts is of kinds that the revision has", async (revision) => {
    const { client } = await raw(revision, (server) => {
      const contents = [
        { type: "audio" as const, data: "AA==", mimeType: "audio/wav" },
        { type: "resource_link" as const, uri: "note://one", name: "one" },
        { type: "image" as const, data: "AA==", mimeType: "image/png" },
      ];
      server.prompt("all", {}, () => ({ messages: contents.map((content) => ({ role: "user", content })) }));
    });
    const { result } = await client.request("prompts/get", { name: "all" });
    const kinds = (result!["messages"] as Members[]).map(
      ({ content }) => (content as Members)["type"] as string,
    );
    expect(kinds).toEqual([
      revision < "2025-03-26" ? "text" : "audio",
      revision < "2025-06-18" ? "text" : "resource_link",
      "image",
    ]);
  });
});

describe("lists and completion", () => {
  const many = (server: CodeFirstServer): void => {
    for (let index = 0; index < 250; index++) server.tool(`t${index}`, {}, () => "");
    for (let index = 0; index < 60; index++) server.prompt(`t${index}`, {}, () => "");
  };

  row("PAGE-04", "cursors that are none are -32602", async (revision) => {
    const { client } = await raw(revision, many, {}, { lists: { pageSize: 50 } });
    const { result } = await client.request("prompts/list");
    for (const cursor of ["garbage", "", 5, {}, result!["nextCursor"]])
      expect((await client.request("tools/list", { cursor })).error?.code).toBe(-32602);
  });

  row("PAGE-05", "the same cursor gives the same page; none repeats or loses items", async (revision) => {
    const { client, server } = await raw(revision, many, {}, { lists: { pageSize: 50 } });
    const cursors: (string | undefined)[] = [undefined];
    const pages: string[][] = [];
    const page = async (cursor: string | undefined): Promise<[string[], string | undefined]> => {
      const { result } = await client.request("tools/list", cursor === undefined ? {} : { cursor });
      return [
        (result!["tools"] as Members[]).map(({ name }) => name as string),
        result!["nextCursor"] as string,
      ];
    };
    for (const cursor of cursors) {
      const [names, next] = await page(cursor);
      pages.push(names);
      if (next !== undefined) cursors.push(next);
    }
    expect(pages.map(({ length }) => length)).toEqual([50, 50, 50, 50, 50]);
    expect(pages.flat()).toEqual(Array.from({ length: 250 }, (_, index) => `t${index}`));
    for (const index of [3, 1, 4, 1, 0, 2]) expect((await page(cursors[index]))[0]).toEqual(pages[index]);
    // A tool that is added meanwhile does not move the pages.
    server.tool("late", {}, () => "");
    expect((await page(cursors[2]))[0]).toEqual(pages[2]);
  });

  const completing = (server: CodeFirstServer): void => {
    server.prompt(
      "write",
      {
        arguments: [{ name: "genre" }, { name: "topic" }],
        complete: {
          genre: (start) => Array.from({ length: 150 }, (_, index) => `${start}${index}`),
          topic: (_, settled) => [`about ${settled["genre"] ?? "anything"}`],
        },
      },
      () => "",
    );
    server.resourceTemplate("note://{id}/{part}", { complete: { id: (start) => [`${start}!`] } }, () => "");
  };
  const complete = (client: RawClient, ref: Members, name: string, rest: Members = {}): Promise<Wired> =>
    client.request("completion/complete", { ref, argument: { name, value: "v" }, ...rest });
  const prompt = { type: "ref/prompt", name: "write" };

  row("COMP-02", "at most 100 values are sent, with the total", async (revision) => {
    const { client } = await raw(revision, completing);
    const { result } = await complete(client, prompt, "genre");
    const { values, total, hasMore } = result!["completion"] as Members;
    expect([values, total, hasMore]).toEqual([expect.any(Array), 150, true]);
    expect(values).toHaveLength(100);
  });

  row("COMP-03", "unknown prompts, templates and arguments are -32602", async (revision) => {
    const { client } = await raw(revision, completing);
    const unknown: [Members, string][] = [
      [{ type: "ref/prompt", name: "nope" }, "genre"],
      [{ type: "ref/resource", uri: "nope://{id}" }, "id"],
      [prompt, "nope"],
      [{ type: "ref/resource", uri: "note://{id}/{part}" }, "nope"],
      [{ type: "ref/nope", name: "write" }, "genre"],
    ];
    for (const [ref, name] of unknown) expect((await complete(client, ref, name)).error?.code).toBe(-32602);
  });

  row("COMP-04", "arguments that are settled reach the provider", async (revision) => {
    const { client } = await raw(revision, completing);
    const { result } = await complete(client, prompt, "topic", {
      context: { arguments: { genre: "tides" } },
    });
    expect(result!["completion"]).toMatchObject({ values: ["about tides"] });
  });

  row("COMP-05", "variables of templates are completed", async (revision) => {
    const { client } = await raw(revision, completing);
    const ref = { type: "ref/resource", uri: "note://{id}/{part}" };
    expect((await complete(client, ref, "id")).result!["completion"]).toMatchObject({ values: ["v!"] });
    expect((await complete(client, ref, "part")).result!["completion"]).toMatchObject({ values: [] });
  });
});

describe("logging", () => {
  const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
  const logger = (server: CodeFirstServer): void => {
    server.tool("log", {}, (_, { log }) => {
      for (const level of levels) log(level, { level }, "logger");
      return "logged";
    });
  };
  const logging = { capabilities: { logging: {} } };
  const heard = (client: RawClient): unknown[] =>
    client.of("notifications/message").map(({ params }) => params!["level"] as unknown);

  row("LOG-01", "nothing is logged where logging was not declared", async (revision) => {
    const { client } = await raw(revision, logger);
    await client.call("log");
    expect((await client.request("logging/setLevel", { level: "debug" })).error?.code).toBe(-32601);
    await client.call("log");
    expect(heard(client)).toEqual([]);
  });

  row("LOG-02", "each session hears what reaches its own level", async (revision) => {
    const made = served(logger, logging);
    for (const [index, level] of levels.entries()) {
      const [client, all] = [await clientOf(made, revision), await clientOf(made, revision)];
      expect((await client.request("logging/setLevel", { level })).result).toEqual({});
      await all.request("logging/setLevel", { level: "debug" });
      await client.call("log");
      await all.call("log");
      expect(heard(client)).toEqual(levels.slice(index));
      expect(heard(all)).toEqual(levels);
    }
  });

  row("LOG-03", "an unknown level is -32602", async (revision) => {
    const { client } = await raw(revision, logger, {}, logging);
    for (const level of ["verbose", "", 3, null, undefined])
      expect((await client.request("logging/setLevel", { level })).error?.code).toBe(-32602);
  });

  row(
    "LOG-04",
    "a request hears what reaches its own level, and nothing is said elsewhere",
    async (revision) => {
      const { client } = await raw(revision, logger, {}, logging);
      client.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
      await client.settled();
      for (const [index, level] of levels.entries()) {
        const mark = client.received.length;
        const { id } = await client.call("log", {}, { [logLevel]: level });
        const sent = client.received.slice(mark);
        expect(
          sent.flatMap(({ method, params }) =>
            method === "notifications/message" ? (params!["level"] as string) : [],
          ),
        ).toEqual(levels.slice(index));
        // The notifications come before the response, and belong to no subscription.
        expect(sent.at(-1)!.id).toBe(id);
        expect(JSON.stringify(sent)).not.toContain("subscriptionId");
      }
      const mark = client.received.length;
      await client.call("log");
      expect(client.received).toHaveLength(mark + 1);
    },
  );

  row("LOG-05", "an unknown level is -32602", async (revision) => {
    const { client } = await raw(revision, logger, {}, logging);
    for (const level of ["loud", "", 3, {}])
      expect((await client.call("log", {}, { [logLevel]: level })).error?.code).toBe(-32602);
    expect(heard(client)).toEqual([]);
  });
});
