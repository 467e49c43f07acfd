import { type JsonValue, jsonObject } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { message, modelOf, object, ref } from "../../../support/models.js";
import { emitted, loaded } from "../emitted-output.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

interface Revision {
  readonly table: { readonly incomingRequests: ReadonlyMap<string, object>; readonly errors: object };
}

/** Names that try to escape from a string, comment, identifier or line. */
const hostile = [
  `"; throw 1; //`,
  "`${process.exit()}`",
  "*/ throw 1; /*",
  "</script>",
  "line\nbreak\r\u2028\u2029",
  "__proto__",
  "constructor",
  "toString",
  "delete",
  "await",
  "123",
  "4 ways",
  "\u{1F600}",
  "\u202eright to left",
  "\u0000",
  "a.b/c~d",
  "'single' \\ back",
  "x".repeat(200),
  "",
];

function hostileDefinitions(): { [name: string]: JsonValue } {
  const definitions = jsonObject();
  const requests: JsonValue[] = [];
  for (const name of hostile) {
    const property = object({ [name]: { const: name, description: name } }, [name]);
    definitions[name] = { ...(property as object), description: name };
    definitions[`${name}Request`] = {
      ...(message(name, { params: ref(name) }) as object),
      description: name,
    };
    definitions[`${name}Result`] = property;
    requests.push(ref(`${name}Request`));
    definitions[`${name}Notification`] = message(`notifications/${name}`, { params: object({ [name]: {} }) });
  }
  // Names that the output itself uses.
  for (const name of [
    "Requests",
    "Params",
    "Result",
    "Promise",
    "Map",
    "Object",
    "Record",
    "types",
    "validators",
    "revision",
    "Caller",
    "Revision",
  ]) {
    definitions[name] = object({ own: { type: "string" } });
    definitions[`${name}Request`] = message(name, { params: ref(name) });
    requests.push(ref(`${name}Request`));
  }
  return { ...definitions, ClientRequest: { anyOf: requests }, ServerRequest: { anyOf: requests } };
}

const model = modelOf(hostileDefinitions(), [
  { kind: "error", targets: ["-1"], name: "__proto__" },
  { kind: "header", targets: hostile, header: `X"*/`, from: "/params/`${x}`" },
  { kind: "capability", targets: hostile, of: "server", capability: `/"*/.\n` },
  { kind: "deprecated", targets: hostile, since: "*/", instead: "\u2028`*/" },
]);
const files = emitted([model], "@example/hostile");

describe("hostile names", () => {
  it("lead to output that compiles", async () => {
    expect(await compilerErrors(files)).toEqual([]);
  });

  it("stay unchanged in the tables", async () => {
    const entry = `export { revision } from "./2099-01-01/server.js";`;
    const { revision } = await loaded<{ revision: Revision }>(files, entry);
    const { incomingRequests, errors } = revision.table;
    for (const name of hostile) expect(incomingRequests.has(name), JSON.stringify(name)).toBe(true);
    expect(Object.keys(errors)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(errors)).toBe(Object.prototype);
  });

  it("do not bring characters into the output that hide or reorder others", () => {
    const hidden = /(?!\n)[\p{Cc}\p{Cf}\u2028\u2029]/u;
    for (const [path, content] of files) expect(content, path).not.toMatch(hidden);
  });

  it("cannot end a line of the report", () => {
    const report = files.get("2099-01-01/PROTOCOL.md")!;
    const allowed = /^$|^#{1,3} |^- |^One line |^Status: |^<!-- Generated /;
    for (const line of report.split("\n")) expect(line).toMatch(allowed);
  });

  it("lead to JSON that can be read back", () => {
    expect(() => JSON.parse(files.get("2099-01-01/vectors.json")!)).not.toThrow();
    expect(() => JSON.parse(files.get("package.json")!)).not.toThrow();
  });
});
