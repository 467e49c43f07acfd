/**
 * The four tools of the published benchmark, as its server for Node has them:
 * `{ name, description, run }`, where `run` returns the object that a server answers with as JSON text. See
 * run.mjs for the source, and zod.mjs for the arguments.
 *
 * It calculates Fibonacci numbers in a loop, although its description says that it recurses; so do we.
 */
const server_type = "nodejs";

export const tools = [
  {
    name: "calculate_fibonacci",
    description: "Calculates the n-th Fibonacci number",
    run({ n }) {
      if (n < 0 || n > 40) throw new Error("n must be from 0 to 40");
      let [a, b] = [0, 1];
      for (let step = 0; step < n; step++) [a, b] = [b, a + b];
      return { input: n, result: a, server_type };
    },
  },
  {
    name: "fetch_external_data",
    description: "Sends an HTTP GET request to an external API",
    async run({ endpoint }) {
      const began = Date.now();
      const response = await fetch(endpoint);
      const response_time_ms = Date.now() - began;
      // The source leaves the body unread, which keeps some connections from being used again.
      await response.arrayBuffer();
      return { url: endpoint, status_code: response.status, response_time_ms, server_type };
    },
  },
  {
    name: "process_json_data",
    description: "Transforms a JSON object: strings to upper case",
    run({ data }) {
      return { original_keys: Object.keys(data), transformed_data: inUpperCase(data), server_type };
    },
  },
  {
    name: "simulate_database_query",
    description: "Simulates a database query that takes a while",
    async run({ query, delay_ms = 0 }) {
      if (delay_ms < 0 || delay_ms > 5000) throw new Error("delay_ms must be from 0 to 5000");
      await new Promise((resolve) => setTimeout(resolve, delay_ms));
      return { query, delay_ms, timestamp: new Date().toISOString(), server_type };
    },
  },
];

/** Returns the result of a call with this object as JSON text. */
export function text(value) {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}

function inUpperCase(value) {
  if (typeof value === "string") return value.toUpperCase();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inUpperCase);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inUpperCase(member)]));
}
