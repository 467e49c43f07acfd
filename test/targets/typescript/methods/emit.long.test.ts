import { type JsonValue, jsonObject } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { format } from "../../../../generator/print/format.js";
import { type NoteText, message, modelOf, object, ref } from "../../../support/models.js";
import { emitted } from "../emitted-output.js";

describe("tables and stubs", () => {
  it("have prettier's layout, whatever the length of names", async () => {
    const definitions = jsonObject();
    const notes: NoteText[] = [];
    const requests: JsonValue[] = [];
    for (let length = 1; length <= 50; length++) {
      const name = "Aa".repeat(length).slice(0, length);
      const method = `${name.toLowerCase()}/x`;
      const params: JsonValue = length % 3 === 0 ? ref("P") : object({});
      definitions[`${name}Request`] = message(
        method,
        length % 4 === 0 ? {} : { params },
        length % 2 === 0 ? ["params"] : [],
      );
      definitions[`${name}Result`] = object({});
      definitions[`${name}Notification`] = message(`notifications/${method}`, { params });
      requests.push(ref(`${name}Request`));
      const instead = "a".repeat(length);
      if (length % 5 === 0)
        notes.push({ kind: "deprecated", targets: [method], since: "2099-01-01", instead });
      if (length % 7 === 0)
        notes.push({ kind: "header", targets: [method], header: `X-${name}`, from: `/params/${name}` });
      if (length % 2 === 0)
        notes.push({ kind: "capability", targets: [method], of: "server", capability: `/${name}/${name}` });
    }
    const model = modelOf({ ...definitions, P: object({}), ClientRequest: { anyOf: requests } }, notes);
    for (const [path, content] of emitted([model])) {
      if (/(methods|client|server)\.ts$/.test(path)) expect(await format(path, content), path).toBe(content);
    }
  });

  it("state facts about HTTP only for revisions that have them", () => {
    const definitions = { InitializeRequest: message("initialize") };
    const tables = (...targets: string[]) =>
      emitted([modelOf(definitions, [{ kind: "transport", targets }])]).get("2099-01-01/methods.ts")!;
    expect(tables("assumed").match(/^ {2}(assumed|priming): true,$/gm)).toEqual(
      Array(2).fill("  assumed: true,"),
    );
    expect(tables("priming").match(/^ {2}(assumed|priming): true,$/gm)).toEqual(
      Array(2).fill("  priming: true,"),
    );
  });

  it("of a protocol without methods are empty", async () => {
    const files = emitted([modelOf({ Nothing: object({}) })]);
    for (const name of ["methods", "client", "server"]) {
      const content = files.get(`2099-01-01/${name}.ts`)!;
      expect(await format(`${name}.ts`, content)).toBe(content);
    }
    expect(files.get("2099-01-01/methods.ts")).toContain("export interface Requests {}");
  });
});
