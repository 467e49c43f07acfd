// Notes that contradict the schema are used, and reported.
import type { JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { type NoteText, anyOf, message, modelOf, object, ref } from "../support/models.js";

const text = { type: "string" };
type Definitions = { [name: string]: JsonValue };
const conflictsOf = (definitions: Definitions, ...notes: object[]) =>
  modelOf(definitions, notes as NoteText[]).conflicts.map(({ note, target, message: said, fields }) => ({
    kind: note.kind,
    target,
    said,
    ...(fields && { fields }),
  }));

const methods = {
  GetRequest: message("things/get"),
  AskRequest: message("ask"),
  ChangedNotification: message("notifications/changed"),
  ClientRequest: anyOf("GetRequest"),
  ServerRequest: anyOf("AskRequest"),
  ServerNotification: anyOf("ChangedNotification"),
  Result: object({}),
};

describe("a note of kind sender", () => {
  const note = { kind: "sender", targets: ["ask"], sender: "client" };

  it("conflicts with the unions of messages if it was carried over", () => {
    expect(conflictsOf(methods, { ...note, carried: true })).toEqual([
      {
        kind: "sender",
        target: "ask",
        said: "the unions of messages list it for the server, and the note says client",
      },
    ]);
  });

  it("corrects them if it was written for the schema", () => {
    expect(conflictsOf(methods, note)).toEqual([]);
  });
});

describe("a capability that notes name", () => {
  const definitions = {
    ...methods,
    Offered: object({ things: object({ listChanged: {} }), others: {}, extra: { type: "object" } }),
    Asked: object({ asking: object({ form: {}, url: {} }), roots: {} }),
  };
  const gate = (target: string, of: string, capability: string, more: object = {}): object => ({
    ...{ kind: "capability", targets: [target], of, capability },
    ...more,
  });
  const others = [
    gate("things/get", "server", "/others"),
    { kind: "requires", targets: ["things/get"], of: "client", capability: "/roots" },
  ];

  it("must be in the schema", () => {
    expect(
      conflictsOf(definitions, ...others, gate("notifications/changed", "server", "/things/listChanged")),
    ).toEqual([]);
    expect(
      conflictsOf(definitions, ...others, gate("notifications/changed", "server", "/things/changed")),
    ).toEqual([
      {
        kind: "capability",
        target: "notifications/changed",
        said: "the schema has no capability /things/changed: Offered has extra, others, things",
      },
    ]);
  });

  it("must also exist for alternatives and requirements", () => {
    const asking = gate("ask", "client", "/asking");
    expect(
      conflictsOf(definitions, asking, others[1]!, {
        ...{ kind: "pairing", targets: ["ask"], result: "Result" },
        alternatives: [{ definition: "Offered", mark: { a: "b" }, capability: "/gone" }],
      }).map(({ kind, said }) => [kind, said]),
    ).toEqual([["pairing", "the schema has no capability /gone: Asked has asking, roots"]]);
  });

  it("may have any name if the schema accepts unnamed members", () => {
    expect(conflictsOf(definitions, ...others, gate("notifications/changed", "server", "/extra/x"))).toEqual(
      [],
    );
  });

  it("must have the parts in the schema", () => {
    const asking = (...parts: string[]) =>
      conflictsOf(definitions, others[1]!, gate("ask", "client", "/asking", { parts }));
    expect(asking("form", "url")).toEqual([]);
    const conflict = (parts: string) => ({
      kind: "capability",
      target: "ask",
      said: `the capability /asking has the members form, url, and the note has the parts ${parts}`,
      fields: { of: "client", capability: "/asking", parts: ["form", "url"] },
    });
    expect(asking("form")).toEqual([conflict("form")]);
    expect(asking("form", "page")).toEqual([conflict("form, page")]);
  });

  it("is not checked if no definition describes the side's capabilities", () => {
    expect(conflictsOf(methods, gate("things/get", "server", "/a"), gate("ask", "client", "/b"))).toEqual([]);
  });
});

describe("a filter of subscriptions", () => {
  const definitions = {
    ...methods,
    DiscoverRequest: message("server/discover"),
    ListenRequest: message("listen", { params: object({ filter: ref("Filter") }) }),
    Filter: object({ changed: { type: "boolean" }, events: { type: "boolean" } }),
  };
  const notes = [
    { kind: "listening", targets: ["listen"] },
    {
      kind: "subscription",
      targets: ["notifications/changed"],
      filter: "/$defs/Filter/properties/changed",
    },
  ];

  it("has a note for each member", () => {
    expect(conflictsOf(definitions, ...notes)).toEqual([
      {
        kind: "subscription",
        target: "/$defs/Filter/properties/events",
        said: "no note says which notification the member of the filter selects",
        fields: { target: "notifications/…", filter: "/$defs/Filter/properties/events" },
      },
    ]);
    const Filter = object({ changed: { type: "boolean" } });
    expect(conflictsOf({ ...definitions, Filter }, ...notes)).toEqual([]);
  });
});

describe("a result with the members of cacheable results", () => {
  const hints = { ttlMs: { type: "integer" } };
  const definitions = (more: Definitions) => ({
    DiscoverRequest: message("server/discover"),
    ListRequest: message("things/list"),
    GetRequest: message("things/get"),
    ClientRequest: anyOf("DiscoverRequest", "ListRequest", "GetRequest"),
    Result: object({ resultType: text }, ["resultType"]),
    Cacheable: object({ ...hints, resultType: text }, ["resultType", "ttlMs"]),
    Response: object({ jsonrpc: text, id: text, result: ref("Result") }, ["jsonrpc", "id", "result"]),
    DiscoverResult: object({ resultType: text }, ["resultType"]),
    ListResult: object({ ...hints, resultType: text }, ["resultType", "ttlMs"]),
    ...more,
  });
  const notes = [
    { kind: "owned", targets: ["/$defs/Result/properties/resultType", "/$defs/Cacheable/properties/ttlMs"] },
    { kind: "cacheable", targets: ["things/list"] },
  ];

  it("belongs to a method that a note calls cacheable", () => {
    const plain = object({ resultType: text }, ["resultType"]);
    expect(conflictsOf(definitions({ GetResult: plain }), ...notes)).toEqual([]);
    const cacheable = object({ ...hints, resultType: text }, ["resultType", "ttlMs"]);
    expect(conflictsOf(definitions({ GetResult: cacheable }), ...notes)).toEqual([
      {
        kind: "cacheable",
        target: "things/get",
        said: "its result has ttlMs, as those of cacheable methods, and no note of the kind names it: nothing fills them in",
        fields: {},
      },
    ]);
  });
});
