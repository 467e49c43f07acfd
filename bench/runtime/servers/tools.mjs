/**
 * The tools that every server of the benchmarks offers: `echo`, `add`, and more tools up to the number in
 * `BENCH_TOOLS`. Each is `{ name, description, inputSchema }` as in the result of `tools/list`.
 */
const string = { type: "string" };
const number = { type: "number" };

export const echo = tool("echo", "Answers with the message", { message: string });
export const add = tool("add", "Adds two numbers", { a: number, b: number });

/** The additional tools: with the two above, there are `BENCH_TOOLS` tools. */
export const more = Array.from(
  { length: Math.max(0, Number(process.env.BENCH_TOOLS ?? 2) - 2) },
  (_, index) =>
    tool(`tool_${index + 2}`, `Tool number ${index + 2}, which answers with the message`, {
      message: string,
    }),
);

export function text(value) {
  return { content: [{ type: "text", text: value }] };
}

function tool(name, description, properties) {
  return {
    name,
    description,
    inputSchema: { type: "object", properties, required: Object.keys(properties) },
  };
}
