import { describe, expect, it } from "vitest";
import {
  authoredResults,
  authoredSchema,
} from "../../../../generator/targets/typescript/authoring/authored-schema.js";
import { methodOf, releasedModel } from "../../../support/models.js";
import { tinyModel } from "../protocol/tiny.js";
import { revisions } from "../../../support/revisions.js";

const modern = await releasedModel("2026-07-28");

describe("the schema for authors", () => {
  const { schema, reached, changed, lenient } = authoredSchema(modern);
  const propertiesOf = (name: string): string[] => [...schema.definitions.get(name)!.node.properties!.keys()];

  it("has no member that the era owns", () => {
    for (const [name, owned] of modern.owned) {
      for (const property of owned) expect(propertiesOf(name), name).not.toContain(property);
    }
    expect(propertiesOf("CallToolRequestParams")).toEqual(["_meta", "arguments", "name"]);
    expect(propertiesOf("ListToolsResult")).toEqual(["_meta", "nextCursor", "tools"]);
  });

  it("does not require members that only the era requires", () => {
    expect(schema.definitions.get("CallToolRequestParams")!.node.required).toEqual(["name"]);
    expect([...lenient].sort()).toContain("PaginatedRequestParams");
    expect(lenient.has("CallToolRequestParams")).toBe(false);
  });

  it("does not change definitions without members of the era", () => {
    for (const name of ["Tool", "ContentBlock", "CreateMessageResult", "ElicitRequestParams"])
      expect(changed.has(name)).toBe(false);
    expect(changed.has("CallToolResult")).toBe(true);
  });

  it("reaches the parts of methods, and the types of the era's members", () => {
    const names = reached.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["Tool", "ClientCapabilities", "Implementation", "ServerCapabilities"]),
    );
    expect(names).not.toContain("CallToolRequest");
    expect(names).not.toContain("InputRequiredResult");
  });

  it("drops alternatives that belong to the era, and keeps the others", async () => {
    expect(authoredResults(modern, methodOf(modern, "tools/call"))).toEqual(["CallToolResult"]);
    const withTasks = await releasedModel("2025-11-25");
    expect(authoredResults(withTasks, methodOf(withTasks, "tools/call"))).toEqual([
      "CallToolResult",
      "CreateTaskResult",
    ]);
    const tiny = tinyModel();
    expect(authoredResults(tiny, methodOf(tiny, "people/greet"))).toEqual(["GreetResult"]);
  });

  it("equals the wire schema if the era owns no members", async () => {
    for (const revision of revisions.slice(0, 4)) {
      expect(authoredSchema(await releasedModel(revision)).changed.size).toBe(0);
    }
  });
});
