// Only the compiler reads this file (npm run typecheck): marked lines must not compile, all others must.
import type { Client } from "@mcpgen/runtime";
import { methodSchemas } from "@mcpgen/runtime/server";
import { weatherClient } from "../golden/contract/weather/client.js";
import {
  type Handlers,
  type StructuredAnswer,
  createWeatherServer,
} from "../golden/contract/weather/server.js";
import type * as types from "../golden/contract/weather/types.js";
import { handlers } from "./weather-handlers.js";

type GetWeather = Handlers["tools"]["get_weather"];
const inferred = (temperature: unknown) => () => ({ structuredContent: { temperature } });

/** Handlers in each way in which they can be written. */
export const results: GetWeather[] = [
  () => ({ structuredContent: { temperature: 5 } }),
  async () => ({ structuredContent: { temperature: 5, wind: { speed: 1 } } }),
  () => ({ isError: true, content: [] }),
  // @ts-expect-error a wrong type
  () => ({ structuredContent: { temperature: "5" } }),
  // @ts-expect-error a wrong type further in
  () => ({ structuredContent: { temperature: 5, wind: { speed: "1" } } }),
  // @ts-expect-error a missing field
  () => ({ structuredContent: {} }),
  // @ts-expect-error a missing field, in a promise
  async () => ({ structuredContent: {} }),
  // @ts-expect-error a type that was inferred elsewhere
  inferred(5),
  // @ts-expect-error no structured content
  () => ({ content: [] }),
  // @ts-expect-error a text is no structured content
  () => "5",
  // @ts-expect-error a failure without its content
  () => ({ isError: true }),
];

type Answer = StructuredAnswer<types.GetWeather.Result>;

/** If the handler declares the type of its result, as skeletons do, additional fields are errors, too. */
export const literals = [
  (): Answer => ({ structuredContent: { temperature: 5 } }),
  // @ts-expect-error a field too many
  (): Answer => ({ structuredContent: { temperature: 5, humidity: 1 } }),
  // @ts-expect-error a field too many further in
  (): Answer => ({ structuredContent: { temperature: 5, wind: { speed: 1, gusts: 2 } } }),
  // @ts-expect-error a field too many beside it
  (): Answer => ({ structuredContent: { temperature: 5 }, structured: 1 }),
];

export function servers(): void {
  createWeatherServer(handlers, { revisions: [], schemas: methodSchemas });
  // @ts-expect-error the generated checks are its own
  createWeatherServer(handlers, { revisions: [], checks: {} });
  // @ts-expect-error a tool is missing
  createWeatherServer({ ...handlers, tools: { get_weather: handlers.tools.get_weather } }, { revisions: [] });
  // @ts-expect-error a tool that the contract does not have
  createWeatherServer({ ...handlers, tools: { ...handlers.tools, other: () => "" } }, { revisions: [] });
  const { completions } = handlers;
  // @ts-expect-error a completer of an argument that the prompt does not have
  const misspelt: Handlers["completions"]["plan"] = { town: () => [] };
  createWeatherServer({ ...handlers, completions: { ...completions, plan: misspelt } }, { revisions: [] });
  // @ts-expect-error completions of what the contract does not have
  createWeatherServer({ ...handlers, completions: { ...completions, other: {} } }, { revisions: [] });
  // @ts-expect-error no completions of a template, though the contract declares some
  createWeatherServer({ ...handlers, completions: { plan: {} } }, { revisions: [] });
  const settled: Handlers["completions"]["plan"] = { city: (value, { days }) => [value, days ?? "3"] };
  createWeatherServer({ ...handlers, completions: { ...completions, plan: settled } }, { revisions: [] });
  // @ts-expect-error an argument that the prompt does not have is never settled
  const unsettled: Handlers["completions"]["plan"] = { city: (_, { town }) => [town] };
  createWeatherServer({ ...handlers, completions: { ...completions, plan: unsettled } }, { revisions: [] });
  // @ts-expect-error all prompts are missing
  createWeatherServer({ ...handlers, prompts: undefined }, { revisions: [] });
}

export async function calls(client: Client): Promise<number> {
  const { tools, prompts, resources, resourceTemplates, complete } = weatherClient(client);
  // @ts-expect-error a missing argument
  await tools.getWeather({});
  // @ts-expect-error no arguments
  await tools.getWeather();
  // @ts-expect-error a wrong argument
  await tools.getWeather({ city: 5 });
  // @ts-expect-error a value that is none of those allowed
  await tools.getWeather({ city: "Bern", units: "kelvin" });
  // @ts-expect-error an argument too many
  await tools.getWeather({ city: "Bern", country: "CH" });
  // @ts-expect-error a tool that takes none
  await tools.delete_({ all: true });
  // @ts-expect-error a prompt without what it needs
  await prompts.plan({ days: "3" });
  // @ts-expect-error a resource that the contract does not have
  await resources.other();
  // @ts-expect-error a template without a variable that it cannot be filled in without
  await resourceTemplates.day({ from: "monday" });
  // @ts-expect-error a variable that the template does not have
  await resourceTemplates.day({ city: "Bern", to: "friday" });
  // @ts-expect-error an argument that the prompt does not have
  await complete.prompts.plan("country", "C");
  await complete.prompts.plan("days", "3", { city: "Bern" }, { timeout: 5 });
  const outcome = await tools.getWeather(
    { city: "Bern", near: { lat: 1, around: { lat: 2 } } },
    { timeout: 5 },
  );
  // @ts-expect-error `isError` must be checked first
  void outcome.structuredContent;
  if (outcome.isError) return outcome.content.length;
  // @ts-expect-error a field that the contract does not have
  void outcome.structuredContent.humidity;
  return outcome.structuredContent.temperature + (outcome.structuredContent.wind?.speed ?? 0);
}

/** Declarations of results as in the stubs of `sync`. */
export const written: Handlers["tools"]["get_weather"][] = [
  async (): Promise<Handlers.Answer<"tools", "get_weather">> => ({ structuredContent: { temperature: 5 } }),
  async (): Promise<Handlers.Answer<"tools", "get_weather">> => ({
    // @ts-expect-error a field too many
    structuredContent: { temperature: 5, humidity: 1 },
  }),
];
// @ts-expect-error a tool that the contract does not have
export type None = Handlers.Answer<"tools", "get_wind">;
export const read: Handlers.Answer<"resources", "config://app"> = "{}";

type Plain = Required<types.GetWeather2.Arguments>;

/** Optional items may be missing; if present, each has the type of its position. */
export const spans: Plain["span"][] = [
  [],
  ["monday"],
  ["monday", 3],
  // @ts-expect-error the second without the first
  [3],
  // @ts-expect-error one too many
  ["monday", 3, 4],
];
export const corners: Plain["corner"][] = [
  [1],
  [1, "anything", true],
  // @ts-expect-error the first must be there
  [],
  // @ts-expect-error what follows
  [1, 2, 3],
];

/**
 * The type of a pattern applies to members that match it, and to all members if the schema has no other declaration.
 */
export const labels: Plain["labels"] = { "l-a": "a" };
// @ts-expect-error another value
export const labelled: Plain["labels"] = { "l-a": 1 };
export const hints: Plain["hints"] = { "h-a": "a", other: 1 };
export const named: Plain["named"] = { id: 1, other: "a" };
// @ts-expect-error a named member keeps its type
export const misnamed: Plain["named"] = { id: "a" };

type Free = Handlers["tools"]["get-weather"];
const text = { type: "text" as const, text: "fine" };

/** A tool without an output schema must always return content. */
export const free: Free[] = [
  () => "fine",
  () => [text],
  async () => ({ content: [text], extra: 1 }),
  () => ({ isError: true, content: [text] }),
  async () => ({ structuredContent: { sum: 3 } }),
  () => ({ structuredContent: 3, _meta: {} }),
  // @ts-expect-error an object that is not the result type
  async () => ({ sum: 3 }),
  // @ts-expect-error a failure without its content
  () => ({ isError: true }),
  // @ts-expect-error a number
  () => 3,
  // @ts-expect-error nothing
  () => ({}),
  // @ts-expect-error a list of something else
  () => [{ sum: 3 }],
];
