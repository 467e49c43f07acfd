import { experimentalTasks } from "@mcpgen/protocol/extensions/dev.mcpgen/experimental-tasks/server";
import { expect, test } from "vitest";
import { failureOf } from "../support/failure-of.js";
import { id, searchClient, searchServer } from "./search-extension.js";
import { clientOf, serverWith } from "../support/served.js";

const query = () => ({ items: [] });

test.each([["a number", 5] as const, ["a list", []] as const, ["null", null] as const])(
  "settings without a definition are an object, not %s",
  async (_, settings) => {
    const refused = () => Promise.reject(new Error("not called"));
    const used = experimentalTasks.implement(
      { "tasks/create": refused, "tasks/get": refused, "tasks/cancel": refused },
      { settings: settings as unknown as Record<string, unknown> },
    );
    expect(await failureOf(Promise.resolve().then(() => serverWith({ extensions: [used] })))).toMatchObject({
      code: "invalid-definition",
      message: `extension dev.mcpgen/experimental-tasks: settings: expected an object, got ${JSON.stringify(settings)}.`,
    });
  },
);

class Settings {
  fuzzy = true;
}

test.each([
  ["a Map", "Map", new Map([["fuzzy", true]])] as const,
  ["an instance of a class", "Settings", new Settings()] as const,
  ["a date", "Date", new Date(0)] as const,
])("settings are a plain object, not %s", async (_, name, settings) => {
  const used = searchServer.implement({ "search/query": query }, { settings: settings as object });
  expect(await failureOf(Promise.resolve().then(() => serverWith({ extensions: [used] })))).toMatchObject({
    code: "invalid-definition",
    message: `extension ${id}: settings: expected a plain object, got an instance of ${name}.`,
  });
});

test("settings may be an object without a prototype", async () => {
  const settings = Object.assign(Object.create(null) as object, { fuzzy: true });
  const server = serverWith({
    extensions: [searchServer.implement({ "search/query": query }, { settings })],
  });
  const client = await clientOf(server, "memory", "2026-07-28", {});
  expect(client.serverCapabilities.extensions).toEqual({ [id]: { fuzzy: true } });
});

test("the error for a client without the extension names the option", async () => {
  const server = serverWith({
    extensions: [searchServer.implement({ "search/query": query }, { settings: { fuzzy: true } })],
  });
  const client = await clientOf(server, "memory", "2026-07-28", {});
  expect(await failureOf(client.request("search/query", { query: "cats" }))).toMatchObject({
    code: "method-not-found",
    message: expect.stringContaining("Give connect its extension.") as string,
  });
});

test("a request needs the declaration of the server", async () => {
  const extensions = [searchClient.implement({ "search/consent": () => ({ granted: true }) })];
  const client = await clientOf(serverWith({}), "memory", "2026-07-28", { extensions });
  expect(await failureOf(client.request("search/query", { query: "cats" }))).toMatchObject({
    code: "missing-capability",
    message: `search/query: the server has not declared extensions.${id}`,
  });
});
