/** The contract server of the size rows, as the compiler would emit it: definitions and checks made beforehand. */
const contract = {
  name: "bench",
  version: "1.0.0",
  tools: [
    tool("echo", "Answers with the message", { message: { type: "string" } }),
    tool("add", "Adds two numbers", { a: { type: "number" }, b: { type: "number" } }),
  ],
};

function tool(name, description, properties) {
  return {
    name,
    description,
    inputSchema: { type: "object", properties, required: Object.keys(properties) },
  };
}

const handlers = {
  tools: { echo: ({ message }) => message, add: ({ a, b }) => String(a + b) },
};

const checks = {
  echo: { input: ({ message }) => (typeof message === "string" ? undefined : "message: expected a string") },
  add: {
    input: ({ a, b }) => (typeof a === "number" && typeof b === "number" ? undefined : "expected numbers"),
  },
};

export const definition = [contract, handlers, checks];
