import type { Handlers } from "../golden/contract/weather/server.js";

/** Handlers of the weather contract, written as a user does. */
export const handlers: Handlers = {
  tools: {
    get_weather: ({ city, units }) =>
      city === "Nowhere"
        ? { isError: true, content: [{ type: "text", text: "there is no such city" }] }
        : { structuredContent: { temperature: units === "imperial" ? 68 : 20 } },
    "get-weather": () => "fine",
    delete: async () => ({ content: [] }),
    ["__proto__"]: (args) => JSON.stringify(Object.keys(args)),
  },
  resources: { "config://app": () => "{}" },
  resourceTemplates: {
    "weather://{city}/days{?from}": ({ city, from }) => `${city} from ${from ?? "today"}`,
    "map:///{+path}{.format}{/zoom}{?x,y}{&z}{#part}": (variables) => JSON.stringify(variables),
  },
  prompts: { plan: ({ city, days = "3" }) => `${days} days in ${city}` },
  completions: {
    plan: { city: (value, { days }) => [`${value}ern`, `${days}`] },
    "weather://{city}/days{?from}": { city: () => ["Bern"] },
    "map:///{+path}{.format}{/zoom}{?x,y}{&z}{#part}": {},
  },
};
