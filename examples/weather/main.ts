// A complete server: a tool with structured output, a resource, a template and a prompt with completion.
import "@mcpgen/runtime/stdio-guard";
import { serverRevisions } from "@mcpgen/protocol/server";
import { createServer, resourceNotFound } from "@mcpgen/runtime";
import { serveStdio } from "@mcpgen/runtime/stdio";

const stations: Readonly<Record<string, { celsius: number; sky: string }>> = {
  bergen: { celsius: 9, sky: "rain" },
  cairo: { celsius: 31, sky: "clear" },
  lima: { celsius: 18, sky: "mist" },
};
const cities = Object.keys(stations);
const suggest = (text: string) => cities.filter((city) => city.startsWith(text.toLowerCase()));

const server = createServer({ name: "weather", version: "1.0.0" }, { revisions: serverRevisions });

server.tool(
  "current_weather",
  {
    description: "The weather in a city now.",
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: "object",
      properties: { city: { enum: cities }, unit: { enum: ["celsius", "fahrenheit"] } },
      required: ["city"],
    },
    outputSchema: {
      type: "object",
      properties: { temperature: { type: "number" }, unit: { type: "string" }, sky: { type: "string" } },
      required: ["temperature", "unit", "sky"],
    },
  },
  ({ city, unit = "celsius" }) => {
    const { celsius, sky } = stations[city]!;
    const temperature = unit === "celsius" ? celsius : (celsius * 9) / 5 + 32;
    return { structuredContent: { temperature, unit, sky } };
  },
);

server.resource("weather://stations", { mimeType: "application/json" }, () => JSON.stringify(cities));

server.resourceTemplate(
  "weather://stations/{city}",
  { mimeType: "application/json", complete: { city: suggest } },
  ({ city }, context, uri) => {
    if (!cities.includes(city)) throw resourceNotFound(uri, context);
    return JSON.stringify(stations[city]);
  },
);

server.prompt(
  "pack",
  { title: "What to pack", arguments: [{ name: "city", required: true }], complete: { city: suggest } },
  ({ city }) => `Read weather://stations/${city} and say in a line what to pack for ${city}.`,
);

serveStdio(server);
