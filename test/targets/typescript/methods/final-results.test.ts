import { describe, expect, test } from "vitest";
import { isFinal } from "../../../../generator/model/model.js";
import { emitted } from "../emitted-output.js";
import { type NoteText, anyOf, message, methodOf, modelOf, object } from "../../../support/models.js";

// Alternatives to the plain result: final results reach handlers and clients, requests for input do not.

const text = { type: "string" };
const mark = (value: string) => ({ resultType: { type: "string", const: value } });

const definitions = {
  DoRequest: message("test/do"),
  DoResult: object({ ...mark("complete"), value: text }, ["resultType"]),
  StoredResult: object({ ...mark("stored"), ticket: text }, ["resultType", "ticket"]),
  AskingResult: object({ ...mark("asking"), inputRequests: { type: "object" } }, ["resultType"]),
  TicketResult: object({ ticket: text }, ["ticket"]),
  ClientRequest: anyOf("DoRequest"),
  ServerResult: anyOf("DoResult"),
};

const paired = (...alternatives: readonly string[]): NoteText => ({
  kind: "pairing",
  targets: ["test/do"],
  result: "DoResult",
  alternatives,
});
const owned: NoteText = {
  kind: "owned",
  targets: ["DoResult", "StoredResult", "AskingResult"].map((name) => `/$defs/${name}/properties/resultType`),
};

const model = modelOf(definitions, [paired("StoredResult", "AskingResult"), owned]);

test("an alternative is final if a value marks it and it does not ask for input", () => {
  const { alternatives } = methodOf(model, "test/do").result!;
  expect(alternatives.map((each) => [each.definition, isFinal(each)])).toEqual([
    ["StoredResult", true],
    ["AskingResult", false],
  ]);
  const ticket = methodOf(modelOf(definitions, [paired("TicketResult")]), "test/do").result!;
  expect(ticket.alternatives.map(isFinal)).toEqual([false]);
});

test("authors write the mark of a final alternative themselves", () => {
  expect([...model.owned.keys()]).toContain("DoResult");
  expect([...model.owned.keys()]).not.toContain("StoredResult");
  const authoring = emitted([model]).get("authoring.ts")!;
  expect(authoring).toContain("result: DoResult | types.StoredResult");
});

describe("the tables", () => {
  const files = emitted([model]);
  const plain = emitted([modelOf(definitions, [paired("AskingResult"), owned])]);
  const file = (output: typeof files, name: string) => output.get(`${model.revision}/${name}.ts`)!;

  test("name the types of final results, to both roles", () => {
    expect(file(files, "methods").match(/resultTypes: \["stored"\]/g)).toHaveLength(2);
    expect(file(plain, "methods")).not.toContain("resultTypes");
  });

  test("are completed exactly if a role reads such results", () => {
    expect(file(files, "client")).toContain(`import { completed } from "../extending/completing.js";`);
    expect(file(files, "client")).toMatch(/^ {2}completed,$/m);
    for (const other of [file(files, "server"), file(plain, "client"), file(plain, "server")])
      expect(other).not.toContain("completed");
  });
});
