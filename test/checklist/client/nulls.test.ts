import { readFileSync } from "node:fs";
import { clientRevisions } from "@mcpgen/protocol";
import { type ConnectOptions } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import {
  type Connected,
  type Members,
  connected,
  reply,
  serverInfo,
} from "../../support/scripted-stdio-server.js";

/** The object that a path leads to. */
const at = (value: Members, path: readonly (string | number)[]): Members =>
  path.reduce<Members>((inner, key) => inner[key] as Members, value);

/** Where an instance of a definition may stand in what a server answers. */
interface Place {
  readonly method: string;
  readonly params?: Members;
  readonly result: (instance: Members) => Members;
  readonly path: readonly (string | number)[];
}

const inputSchema = { type: "object" };
const uri = "file:///a";

/** The result of `method` with the instance in a list. */
const listed = (method: string, member: string, params?: Members): Place => ({
  method,
  ...(params && { params }),
  result: (instance) => ({ [member]: [instance] }),
  path: [member, 0],
});

const tool = listed("tools/list", "tools");
const resource = listed("resources/list", "resources");
const prompt = listed("prompts/list", "prompts");
const content = listed("tools/call", "content", { name: "t" });
const contents = listed("resources/read", "contents", { uri });
const whole = (method: string, params?: Members): Place => ({
  method,
  ...(params && { params }),
  result: (instance) => instance,
  path: [],
});

/** The place with the instance inside what stands there. */
const inside = (place: Place, around: Members, ...path: (string | number)[]): Place => ({
  ...place,
  result: (instance) => {
    const outer = structuredClone(around) as { [key: string]: unknown };
    (at(outer, path.slice(0, -1)) as { [key: string]: unknown })[path.at(-1)!] = instance;
    return place.result(outer);
  },
  path: [...place.path, ...path],
});

/** A least instance of each definition, and where it stands. */
const definitions: { readonly [name: string]: readonly [Members, Place] } = {
  Tool: [{ name: "t", inputSchema }, tool],
  ToolAnnotations: [{}, inside(tool, { name: "t", inputSchema }, "annotations")],
  ToolExecution: [{}, inside(tool, { name: "t", inputSchema }, "execution")],
  Icon: [{ src: "https://a/i.png" }, inside(tool, { name: "t", inputSchema, icons: [] }, "icons", 0)],
  Resource: [{ name: "r", uri }, resource],
  Annotations: [{}, inside(resource, { name: "r", uri }, "annotations")],
  ResourceTemplate: [
    { name: "r", uriTemplate: "file:///{a}" },
    listed("resources/templates/list", "resourceTemplates"),
  ],
  Prompt: [{ name: "p" }, prompt],
  PromptArgument: [{ name: "a" }, inside(prompt, { name: "p", arguments: [] }, "arguments", 0)],
  TextContent: [{ type: "text", text: "t" }, content],
  ImageContent: [{ type: "image", data: "AA==", mimeType: "image/png" }, content],
  AudioContent: [{ type: "audio", data: "AA==", mimeType: "audio/wav" }, content],
  ResourceLink: [{ type: "resource_link", name: "r", uri }, content],
  EmbeddedResource: [{ type: "resource", resource: { uri, text: "t" } }, content],
  TextResourceContents: [{ uri, text: "t" }, contents],
  BlobResourceContents: [{ uri, blob: "AA==" }, contents],
  CallToolResult: [{ content: [] }, whole("tools/call", { name: "t" })],
  GetPromptResult: [{ messages: [] }, whole("prompts/get", { name: "p" })],
  ListToolsResult: [{ tools: [] }, whole("tools/list")],
  ListResourcesResult: [{ resources: [] }, whole("resources/list")],
  ListPromptsResult: [{ prompts: [] }, whole("prompts/list")],
  ReadResourceResult: [{ contents: [] }, whole("resources/read", { uri })],
  CompleteResult: [
    { completion: { values: [] } },
    whole("completion/complete", {
      ref: { type: "ref/prompt", name: "p" },
      argument: { name: "a", value: "" },
    }),
  ],
};

interface Schema {
  readonly properties?: { readonly [name: string]: Members };
  readonly required?: readonly string[];
}

/** The optional properties of a definition that must not be null, at one revision. */
function optional(revision: string, name: string): string[] {
  const file = new URL(`../../../schema/${revision}/schema.json`, import.meta.url);
  const { $defs } = JSON.parse(readFileSync(file, "utf8")) as { $defs: { [name: string]: Schema } };
  const { properties = {}, required = [] } = $defs[name] ?? {};
  // One without a type may be anything.
  const typed = Object.keys(properties).filter((key) =>
    ["type", "$ref", "anyOf", "const", "enum"].some((keyword) => keyword in properties[key]!),
  );
  return typed.filter((key) => !required.includes(key));
}

/** A client whose server gives the answer that the test sets. */
async function answered(revision: string, options: Partial<ConnectOptions> = {}) {
  let result: Members = {};
  const methods = new Set(Object.values(definitions).map(([, { method }]) => method));
  const script = Object.fromEntries(
    [...methods].map((method) => [method, (_: unknown, peer: Connected["peer"]) => reply(peer, result)]),
  );
  const { client } = await connected(revision, script, options);
  return (place: Place, instance: Members): Promise<Members> => {
    result = place.result(instance);
    return client.request<Members>(place.method, place.params);
  };
}

describe.each(clientRevisions.map(({ id }) => id))(
  "R11, at %s: null where a member may be absent",
  (revision) => {
    const table = Object.keys(definitions).flatMap((name) =>
      optional(revision, name).map((member) => ({ name, member })),
    );

    test("the table is not empty", () => {
      expect(table.length).toBeGreaterThan(20);
    });

    test("is absence", async () => {
      const ask = await answered(revision);
      for (const { name, member } of table) {
        const [instance, place] = definitions[name]!;
        const value = at(await ask(place, { ...instance, [member]: null }), place.path);
        expect(value, name).toMatchObject(instance);
        // What the era itself reads, it may have filled in.
        expect(value[member] ?? undefined, `${name}.${member}`).toBeUndefined();
        expect(Object.hasOwn(value, member), `${name}.${member}`).toBe(false);
      }
    });

    test("is wrong under `nulls: reject`", async () => {
      const ask = await answered(revision, { validation: { nulls: "reject" } });
      for (const { name, member } of table) {
        const [instance, place] = definitions[name]!;
        const outcome = await ask(place, { ...instance, [member]: null }).catch((error: unknown) => error);
        // An item of a list is left out, anything else refuses the result.
        if (outcome instanceof Error)
          expect(outcome, `${name}.${member}`).toMatchObject({ code: "invalid-result" });
        else expect(outcome, `${name}.${member}`).toMatchObject({ [place.path[0]!]: [] });
      }
    });

    test("in the server's info", async () => {
      const { client } = await connected(revision, {
        initialize: () => ({
          result: {
            protocolVersion: revision,
            capabilities: { tools: { listChanged: null }, prompts: null, logging: null },
            serverInfo: { ...serverInfo, title: null },
            instructions: null,
            _meta: null,
          },
        }),
      });
      expect(client.instructions).toBeUndefined();
      if (revision < "2026") {
        expect(client.serverInfo).toEqual(serverInfo);
        expect(client.serverCapabilities).toEqual({ tools: {} });
      }
    });
  },
);

const legacy = clientRevisions.filter(({ era }) => era === "legacy").map(({ id }) => id);

test.each(legacy)("R11, at %s: in requests and notifications of the server", async (revision) => {
  const asked: Members[] = [];
  const heard: Members[] = [];
  const { client, peer } = await connected(
    revision,
    {},
    {
      sample: (params) => {
        asked.push(params as Members);
        return { role: "assistant", content: { type: "text", text: "!" }, model: "m" };
      },
      roots: [],
    },
  );
  client.on("notifications/message", (params) => heard.push(params));
  const params = {
    messages: [{ role: "user", content: { type: "text", text: "?", annotations: null } }],
    maxTokens: 1,
  };
  const { result } = await peer.ask("sampling/createMessage", {
    ...params,
    systemPrompt: null,
    modelPreferences: null,
    _meta: null,
  });
  expect(result).toMatchObject({ model: "m" });
  expect(asked).toMatchObject([{ messages: [{ role: "user" }], maxTokens: 1 }]);
  expect(JSON.stringify(asked)).not.toContain("null");
  expect((await peer.ask("roots/list", null)).result).toEqual({ roots: [] });
  expect((await peer.ask("roots/list", { _meta: null })).result).toEqual({ roots: [] });
  peer.notify("notifications/message", { level: "info", data: null, logger: null, _meta: null });
  await expect.poll(() => heard).toEqual([{ level: "info", data: null }]);

  const strict = await connected(revision, {}, { roots: [], validation: { nulls: "reject" } });
  expect((await strict.peer.ask("roots/list", { _meta: null })).error).toMatchObject({ code: -32602 });
});
