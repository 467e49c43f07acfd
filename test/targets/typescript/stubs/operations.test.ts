import { describe, expect, it } from "vitest";
import { nameOperations } from "../../../../generator/targets/typescript/stubs/operations.js";
import { message, modelOf, object } from "../../../support/models.js";

describe("operations", () => {
  const operationsOf = (...messages: [definition: string, method: string][]): string[] => {
    const definitions = Object.fromEntries(messages.map(([name, method]) => [name, message(method)]));
    const { methods } = modelOf({ ...definitions, Result: object({}) });
    return [...nameOperations(methods).values()];
  };

  it("are named after the message", () => {
    expect(
      operationsOf(
        ["CallToolRequest", "tools/call"],
        ["ToolDoneNotification", "notifications/done"],
        ["URLOpenRequest", "url/open"],
      ),
    ).toEqual(["notifyToolDone", "callTool", "urlOpen"]);
  });

  it("are named after the method if the message's name is in use or reserved", () => {
    expect(operationsOf(["DeleteRequest", "files/delete"])).toEqual(["filesDelete"]);
    expect(operationsOf(["RevisionRequest", "get/revision"])).toEqual(["getRevision"]);
    expect(operationsOf(["FooRequest", "a/foo"], ["FOORequest", "b/foo"]).sort()).toEqual(["aFoo", "bFoo"]);
  });
});
