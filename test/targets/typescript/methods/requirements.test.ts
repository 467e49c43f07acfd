import { expect, test } from "vitest";
import { type NoteText, anyOf, message, modelOf } from "../../../support/models.js";
import { emitted } from "../emitted-output.js";

// The capabilities that a side must have declared, by the tables, and the role files with the code for them.

const definitions = {
  DoRequest: message("test/do"),
  DoResult: { type: "object" },
  SaidNotification: message("notifications/said"),
  ClientRequest: anyOf("DoRequest"),
  ServerResult: anyOf("DoResult"),
  ServerNotification: anyOf("SaidNotification"),
};

const needs = (method: string, of: "client" | "server", capability: string): NoteText => ({
  kind: "capability",
  targets: [method],
  of,
  capability,
});

function filesOf(...notes: readonly NoteText[]) {
  const model = modelOf(definitions, notes);
  const files = emitted([model]);
  return (name: string) => files.get(`${model.revision}/${name}.ts`)!;
}

const requires = (path: string) =>
  new RegExp(
    `requires: \\{\\s*of: "client",\\s*path: \\["${path}"\\],\\s*error: "MISSING_REQUIRED_CLIENT_CAPABILITY",?\\s*\\}`,
    "g",
  );

test("a method that needs a capability of each side has both in its columns", () => {
  for (const method of ["test/do", "notifications/said"]) {
    const file = filesOf(needs(method, "server", "/offers"), needs(method, "client", "/takes"));
    expect(file("methods").match(/capability: \{ of: "server", path: \["offers"\] \}/g)).toHaveLength(2);
    expect(file("methods").match(requires("takes"))).toHaveLength(2);
    expect(file("server")).toMatch(/^ {2}completed,$/m);
    expect(file("client")).not.toContain("completed");
  }
});

test("a server refuses requests that need a capability of their sender", () => {
  expect(filesOf(needs("test/do", "client", "/takes"))("server")).toMatch(/^ {2}completed,$/m);
});

test("other tables need no code", () => {
  const file = filesOf(
    needs("test/do", "server", "/offers"),
    needs("notifications/said", "client", "/takes"),
  );
  expect(file("methods")).not.toContain("requires");
  expect(file("server") + file("client")).not.toContain("completed");
});
