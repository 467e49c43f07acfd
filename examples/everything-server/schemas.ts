import type { CodeFirstServer } from "@mcpgen/runtime";

/** Tools whose schemas must arrive as they are. */
export function addSchemas(server: CodeFirstServer): void {
  server.tool(
    "json_schema_2020_12_tool",
    {
      description: "Has a schema with keywords of JSON Schema 2020-12.",
      inputSchema: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: {
          address: {
            $anchor: "addressDef",
            type: "object",
            properties: { street: { type: "string" }, city: { type: "string" } },
          },
        },
        properties: {
          name: { type: "string" },
          address: { $ref: "#/$defs/address" },
          contactMethod: { type: "string", enum: ["phone", "email"] },
          phone: { type: "string" },
          email: { type: "string" },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
        then: { required: ["phone"] },
        else: { required: ["email"] },
        additionalProperties: false,
      },
    },
    (args) => JSON.stringify(args),
  );

  server.tool<{ region?: string }>(
    "test_x_mcp_header",
    {
      description: "Has a parameter that a header mirrors.",
      inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
    },
    ({ region }) => `region: ${region ?? "none"}`,
  );
}
