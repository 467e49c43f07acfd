import { deepStrictEqual } from "node:assert";
import { tools } from "./tools.mjs";

const query = "SELECT * FROM benchmarks";
const data = { name: "benchmark", count: 42, nested: { key: "value" } };
const server_type = "nodejs";

/**
 * The requests of the source, with its arguments: `{ name, body, judge }`. `judge` throws if a result is not the
 * expected one.
 */
function requests(endpoint) {
  const expected = {
    calculate_fibonacci: [{ n: 10 }, { input: 10, result: 55, server_type }],
    fetch_external_data: [{ endpoint }, { url: endpoint, status_code: 200, server_type }, "response_time_ms"],
    process_json_data: [
      { data },
      {
        original_keys: Object.keys(data),
        transformed_data: { name: "BENCHMARK", count: 42, nested: { key: "VALUE" } },
        server_type,
      },
    ],
    simulate_database_query: [{ query, delay_ms: 10 }, { query, delay_ms: 10, server_type }, "timestamp"],
  };
  const calls = tools.map(({ name }) => {
    const [input, output, varying] = expected[name];
    return request(name, "tools/call", { name, arguments: input }, ({ content, isError = false }) => {
      deepStrictEqual([content.length, content[0].type, isError], [1, "text", false]);
      const { [varying]: _, ...rest } = JSON.parse(content[0].text);
      deepStrictEqual(rest, output);
    });
  });
  const names = tools.map(({ name }) => name);
  const list = request("tools/list", "tools/list", {}, (result) =>
    deepStrictEqual(
      result.tools.map(({ name }) => name),
      names,
    ),
  );
  return [...calls, list];
}

function request(name, method, params, judge) {
  return { name, body: JSON.stringify({ jsonrpc: "2.0", id: 2, method, params }), judge };
}

/**
 * The rows: one for each request, and one in which they alternate as in the source. Each is
 * `{ name, requests, pause, all }`: each connection sends these requests, each in its own session, then
 * pauses so many milliseconds, and repeats. The latency is that of these requests, or of `all` requests of the
 * sessions.
 */
export function rowsOf(endpoint) {
  const all = requests(endpoint);
  const each = all.map((one) => ({ name: one.name, requests: [one], pause: 0, all: false }));
  return [...each, { name: "all in turn, pause of 100 ms", requests: all, pause: 100, all: true }];
}
