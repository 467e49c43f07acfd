import type { CodeFirstServer, Elicited, Form, HandlerContext } from "@mcpgen/runtime";

/** Tools that ask the client for something once. */
export function addAsking(server: CodeFirstServer): void {
  server.tool(
    "test_sampling",
    {
      description: "Has the client's model answer a prompt.",
      inputSchema: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] },
    },
    async ({ prompt }, { ask }) => {
      const { content } = await ask.sample("answer", {
        messages: [{ role: "user", content: { type: "text", text: prompt } }],
        maxTokens: 100,
      });
      return `LLM response: ${JSON.stringify(content)}`;
    },
  );

  server.tool(
    "test_elicitation",
    {
      description: "Has the user fill in a form.",
      inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    },
    async ({ message }, context) =>
      answered(context, {
        message,
        requestedSchema: {
          type: "object",
          properties: { username: { type: "string" }, email: { type: "string" } },
          required: ["username", "email"],
        },
      }),
  );

  server.tool(
    "test_elicitation_sep1034_defaults",
    { description: "A form with defaults." },
    (_args, context) =>
      answered(context, {
        message: "Please review the defaults",
        requestedSchema: {
          type: "object",
          properties: {
            name: { type: "string", default: "John Doe" },
            age: { type: "integer", default: 30 },
            score: { type: "number", default: 95.5 },
            status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
            verified: { type: "boolean", default: true },
          },
        },
      }),
  );

  server.tool(
    "test_elicitation_sep1330_enums",
    { description: "A form with choices of all spellings." },
    (_args, context) =>
      answered(context, {
        message: "Please choose",
        requestedSchema: { type: "object", properties: choices },
      }),
  );

  server.tool(
    "test_missing_capability",
    { description: "Works only for clients that sample." },
    async (_args, { ask }) => {
      const { model } = await ask.sample("answer", {
        messages: [{ role: "user", content: { type: "text", text: "Who are you?" } }],
        maxTokens: 10,
      });
      return model;
    },
  );

  server.tool(
    "test_streaming_elicitation",
    { description: "Asks the user in the middle of its work.", replay: true },
    (_args, context) => {
      context.progress(1, 2, "asking");
      return answered(context, {
        message: "Shall I go on?",
        requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
      });
    },
  );
}

const options = ["option1", "option2", "option3"];
const titled = options.map((option, index) => ({ const: option, title: `Option ${index + 1}` }));

const choices: Form["requestedSchema"]["properties"] = {
  untitledSingle: { type: "string", enum: options },
  titledSingle: { type: "string", oneOf: titled },
  legacyEnum: { type: "string", enum: options, enumNames: ["Option 1", "Option 2", "Option 3"] },
  untitledMulti: { type: "array", items: { type: "string", enum: options } },
  titledMulti: { type: "array", items: { anyOf: titled } },
};

async function answered({ ask }: HandlerContext, form: Form): Promise<string> {
  const answer: Elicited = await ask.elicit("form", form);
  return answer.action === "accept"
    ? `Elicitation completed: action=accept, content=${JSON.stringify(answer.content)}`
    : `Elicitation completed: action=${answer.action}`;
}
