import type { CodeFirstServer } from "@mcpgen/runtime";
import { png, wav } from "./samples.js";

/** Tools that answer with each type of content. */
export function addContent(server: CodeFirstServer): void {
  const image = { type: "image", data: png, mimeType: "image/png" } as const;
  const resource = (uri: string) =>
    ({
      type: "resource",
      resource: { uri, mimeType: "text/plain", text: "The text of an embedded resource." },
    }) as const;

  server.tool(
    "test_simple_text",
    { description: "Answers with a text." },
    () => "This is a simple text response for testing.",
  );
  server.tool("test_image_content", { description: "Answers with an image." }, () => ({ content: [image] }));
  server.tool("test_audio_content", { description: "Answers with a sound." }, () => ({
    content: [{ type: "audio", data: wav, mimeType: "audio/wav" }],
  }));
  server.tool("test_embedded_resource", { description: "Answers with an embedded resource." }, () => ({
    content: [resource("test://embedded-resource")],
  }));
  server.tool(
    "test_multiple_content_types",
    { description: "Answers with a text, an image and a resource." },
    () => ({
      content: [
        { type: "text", text: "Several types of content:" },
        image,
        resource("test://mixed-content-resource"),
      ],
    }),
  );
  server.tool("test_error_handling", { description: "Always fails." }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}
