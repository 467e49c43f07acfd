import type { CodeFirstServer, Form } from "@mcpgen/runtime";

const name: Form = {
  message: "What is your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

const consent: Form = {
  message: "Is that all right?",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
};

const color: Form = {
  message: "What is your favorite color?",
  requestedSchema: { type: "object", properties: { color: { type: "string" } }, required: ["color"] },
};

const question = {
  messages: [
    { role: "user" as const, content: { type: "text" as const, text: "What is the capital of France?" } },
  ],
  maxTokens: 100,
};

/** Tools that need one or more rounds of input. They have no effects, so any process may run them again for an answer. */
export function addRounds(server: CodeFirstServer): void {
  const tool = (suffix: string, description: string, handler: Parameters<CodeFirstServer["tool"]>[2]) =>
    server.tool(`test_input_required_result_${suffix}`, { description, replay: true }, handler);

  tool("elicitation", "Asks the user's name.", async (_args, { ask }) => {
    const answer = await ask.elicit<{ name: string }>("user_name", name);
    return answer.action === "accept"
      ? `Hello, ${answer.content.name}!`
      : `The user chose to ${answer.action}.`;
  });
  tool("sampling", "Asks the model.", async (_args, { ask }) => {
    const { content } = await ask.sample("capital_question", question);
    return JSON.stringify(content);
  });
  tool("list_roots", "Asks for the roots.", async (_args, { ask }) => {
    const roots = await ask.roots("client_roots");
    return `There are ${roots.length} roots.`;
  });
  tool("request_state", "Keeps a state between rounds.", async (_args, { ask, once }) => {
    const state = await once("state", () => "state-ok");
    const { action } = await ask.elicit("confirm", consent);
    return `${state}: ${action}`;
  });
  tool("multiple_inputs", "Asks for three things at once.", async (_args, { ask }) => {
    const { client_roots } = await ask.all({
      user_name: { method: "elicitation/create", params: { mode: "form", ...name } },
      greeting: { method: "sampling/createMessage", params: question },
      client_roots: { method: "roots/list" },
    });
    return `All answered; ${client_roots.roots.length} roots.`;
  });
  tool("multi_round", "Asks in two rounds.", async (_args, { ask }) => {
    const first = await ask.elicit("step1", name);
    const second = await ask.elicit("step2", color);
    return `Rounds done: ${first.action}, ${second.action}.`;
  });
  tool("tampered_state", "Refuses a state that was tampered with.", async (_args, { ask }) => {
    const { action } = await ask.elicit("confirm", consent);
    return `The state was intact: ${action}.`;
  });
  tool(
    "capabilities",
    "Asks for what the client can do, and nothing else.",
    async (_args, { ask, clientCapabilities }) => {
      if (clientCapabilities.sampling)
        return JSON.stringify((await ask.sample("capital_question", question)).content);
      const { elicitation } = clientCapabilities;
      if (elicitation && (elicitation.form || !elicitation.url))
        return (await ask.elicit("user_name", name)).action;
      return "The client can do nothing for me.";
    },
  );

  server.prompt(
    "test_input_required_result_prompt",
    { description: "A prompt that needs the user.", replay: true },
    async (_args, { ask }) => {
      const answer = await ask.elicit<{ context?: string }>("user_context", {
        message: "What is it to be about?",
        requestedSchema: { type: "object", properties: { context: { type: "string" } } },
      });
      return answer.action === "accept"
        ? `Write a poem about ${answer.content.context ?? "nothing"}.`
        : "Write a poem.";
    },
  );
}
