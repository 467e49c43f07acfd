import { describe, expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createTestPair } from "@mcpgen/testing";
import * as checks from "../golden/contract/weather/checks.js";
import { weatherClient } from "../golden/contract/weather/client.js";
import { contract } from "../golden/contract/weather/contract.js";
import { routing } from "../golden/contract/weather/routing.js";
import { createWeatherServer } from "../golden/contract/weather/server.js";
import { handlers } from "./weather-handlers.js";
import { weatherDocument } from "./weather.js";

test("list payloads are the contract's nodes, with the order of keys and of values", async () => {
  const written = (await weatherDocument()).contract;
  expect(contract).toEqual(written);
  expect(JSON.stringify(contract)).toBe(JSON.stringify(written));
});

test("routing is data: methods, names, headers, the parts of URI templates", () => {
  expect(routing.headers).toEqual(["Mcp-Param-City"]);
  expect(routing.routes[0]).toEqual({
    method: "tools/call",
    name: "get_weather",
    headers: [{ header: "Mcp-Param-City", path: ["city"], type: "string" }],
  });
  expect(routing.routes.map(({ method, name }) => `${method} ${name}`)).toContain("prompts/get plan");
  expect(routing.templates[0]!.parts).toEqual([
    "weather://",
    { name: "city", operator: "" },
    "/days",
    { name: "from", operator: "?" },
  ]);
});

test("checks describe the fault", async () => {
  expect(checks.checkGetWeatherArguments({ city: "Bern" })).toBeUndefined();
  expect(await checks.checkGetWeatherArguments({ city: 5 })).toMatch(/city: expected string, got 5/);
  expect(await checks.checkGetWeatherResult(undefined)).toBe("it is missing");
});

const made = async (revision: string) => {
  const server = createWeatherServer(handlers, { revisions: serverRevisions });
  const { client } = await createTestPair({ server, revisions: clientRevisions, revision });
  return weatherClient(client);
};

test.each([
  [undefined, "metric"],
  [false, undefined],
])(
  "defaults of the contract's schemas reach handlers, with argumentDefaults %s: %s",
  async (given, units) => {
    const got: unknown[] = [];
    const tools: typeof handlers.tools = {
      ...handlers.tools,
      get_weather: (args, context) => (got.push(args.units), handlers.tools.get_weather(args, context)),
    };
    const options = {
      revisions: serverRevisions,
      ...(given === undefined ? {} : { validation: { argumentDefaults: given } }),
    };
    const server = createWeatherServer({ ...handlers, tools }, options);
    const { client } = await createTestPair({ server, revisions: clientRevisions, revision: "2026-07-28" });
    await weatherClient(client).tools.getWeather({ city: "Bern" });
    expect(got).toEqual([units]);
  },
);

describe.each(clientRevisions.map(({ id }) => id))("a server and a client of a contract, %s", (revision) => {
  test("answer each other in accordance with the types", async () => {
    const { client, tools, prompts } = await made(revision);
    const wanted = (await weatherDocument()).contract;
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(
      wanted.tools!.map(({ name }) => name),
    );
    const outcome = await tools.getWeather({ city: "Bern", units: "imperial" });
    expect(outcome.isError ? outcome.content : outcome.structuredContent.temperature).toBe(68);
    expect(await tools.getWeather({ city: "Nowhere" })).toEqual({
      isError: true,
      content: [{ type: "text", text: "there is no such city" }],
    });
    expect(await tools.getWeather2()).toMatchObject({ isError: false, content: [{ text: "fine" }] });
    expect(await tools.proto({})).toMatchObject({ isError: false, content: [{ text: "[]" }] });
    const { messages } = await prompts.plan({ city: "Rome" });
    expect(messages[0]!.content).toMatchObject({ text: "3 days in Rome" });
    const read = await client.readResource("weather://Bern/days?from=monday");
    expect(read.contents[0]).toMatchObject({ text: "Bern from monday" });
    await client.close();
  });
});

test("a result that violates the contract is an error at both ends", async () => {
  const wrong = { structuredContent: { temperature: "warm" } } as never;
  const server = createWeatherServer(
    { ...handlers, tools: { ...handlers.tools, get_weather: () => wrong } },
    { revisions: serverRevisions },
  );
  const { client } = await createTestPair({ server, revisions: clientRevisions });
  await expect(weatherClient(client).tools.getWeather({ city: "Bern" })).rejects.toThrow(
    /temperature: expected number, got "warm"/,
  );
  await client.close();
  const lying = { callTool: async () => ({ content: [], ...(wrong as object) }) };
  await expect(weatherClient(lying as never).tools.getWeather({ city: "Bern" })).rejects.toMatchObject({
    code: "invalid-result",
  });
});

test("a client reads the resources of its contract, and fills in its templates", async () => {
  const { client, resources, resourceTemplates, complete } = await made("2026-07-28");
  expect((await resources.config()).contents[0]).toMatchObject({ uri: "config://app", text: "{}" });
  const city = "São Paulo / 天 (100%)";
  const day = await resourceTemplates.day({ city, from: "a&b=c#d" });
  expect(day.contents[0]).toMatchObject({ text: `${city} from a&b=c#d` });
  expect((await resourceTemplates.day({ city: "Bern" })).contents[0]).toMatchObject({
    text: "Bern from today",
  });
  const variables = { path: "a/b", format: "png", zoom: "3", x: "1", y: "2", z: "!*'()", part: "top/left" };
  const [map] = (await resourceTemplates.map(variables)).contents;
  expect(map).toMatchObject({ uri: "map:///a/b.png/3?x=1&y=2&z=%21%2A%27%28%29#top/left" });
  expect(JSON.parse((map as { text: string }).text)).toEqual(variables);
  expect((await complete.prompts.plan("city", "B", { days: "2" })).values).toEqual(["Bern", "2"]);
  expect((await complete.resourceTemplates.day("city", "B")).values).toEqual(["Bern"]);
  await client.close();
});

// The map's template is map:///{+path}{.format}{/zoom}{?x,y}{&z}{#part}.
test.each([
  [{ path: "" }, "map:///."],
  [{ y: "1" }, "map:///p.?y=1"],
  [{ x: "", z: "&" }, "map:///p.?x=&z=%26"],
  [{ z: "1" }, "map:///p.&z=1"],
  [{ path: "a b?[%20%2f%]" }, "map:///a%20b?[%20%2f%25]."],
  [{ format: "a/b", part: "é#" }, "map:///p.a%2Fb#%C3%A9#"],
])("a template with %j expands to %s (RFC 6570)", async (variables, uri) => {
  const read: string[] = [];
  const client = { readResource: async (given: string) => void read.push(given) };
  const given = { path: "p", format: "", ...variables } as never;
  await weatherClient(client as never).resourceTemplates.map(given);
  expect(read).toEqual([uri]);
});
