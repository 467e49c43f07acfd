import type { CodeFirstServer } from "@mcpgen/runtime";
import { png } from "./samples.js";

export function addPrompts(server: CodeFirstServer): void {
  server.prompt(
    "test_simple_prompt",
    { description: "A prompt without arguments." },
    () => "This is a simple prompt for testing.",
  );

  server.prompt(
    "test_prompt_with_arguments",
    {
      description: "A prompt with two arguments.",
      arguments: [
        { name: "arg1", description: "The first argument.", required: true },
        { name: "arg2", description: "The second argument.", required: true },
      ],
      complete: {
        arg1: (start) => ["testing", "tests", "trials"].filter((value) => value.startsWith(start)),
      },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  );

  server.prompt(
    "test_prompt_with_embedded_resource",
    {
      description: "A prompt with a resource in it.",
      arguments: [{ name: "resourceUri", description: "URI of the resource.", required: true }],
    },
    ({ resourceUri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content." },
          },
        },
        { role: "user", content: { type: "text", text: "Please process the embedded resource above." } },
      ],
    }),
  );

  server.prompt("test_prompt_with_image", { description: "A prompt with an image in it." }, () => ({
    messages: [
      { role: "user", content: { type: "image", data: png, mimeType: "image/png" } },
      { role: "user", content: { type: "text", text: "Please analyze the image above." } },
    ],
  }));
}
