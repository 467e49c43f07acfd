import type { CodeFirstServer } from "@mcpgen/runtime";
import { png } from "./samples.js";

export function addResources(server: CodeFirstServer): void {
  server.resource(
    "test://static-text",
    { name: "static-text", description: "A text.", mimeType: "text/plain" },
    () => "This is the content of the static text resource.",
  );
  server.resource(
    "test://static-binary",
    { name: "static-binary", description: "An image.", mimeType: "image/png" },
    (uri) => ({
      contents: [{ uri, mimeType: "image/png", blob: png }],
    }),
  );
  server.resource(
    "test://watched-resource",
    { name: "watched-resource", description: "A resource to watch.", mimeType: "text/plain" },
    () => "This resource may change.",
  );
  server.resourceTemplate(
    "test://template/{id}/data",
    { name: "template", description: "A resource for each id.", mimeType: "application/json" },
    ({ id }) => JSON.stringify({ id, data: `Data for ID: ${id}` }),
  );
}
