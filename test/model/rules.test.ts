import type { JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { gate } from "../../generator/model/model.js";
import { type NoteText, anyOf, built, message, methodOf, modelOf, object, ref } from "../support/models.js";

const result = object({});

describe("finding messages", () => {
  it("accepts a definition with a constant method, whatever its name and order", () => {
    const model = modelOf({ Zap: message("a/zap", { id: { type: "string" } }), Result: result });
    expect(methodOf(model, "a/zap")).toMatchObject({ message: "Zap", kind: "request" });
  });

  it("ignores abstract bases and other uses of the word", () => {
    const model = modelOf({
      Request: object({ method: { type: "string" } }, ["method"]),
      Transfer: object({ method: { enum: ["GET", "PUT"] } }, ["method"]),
    });
    expect(model.methods).toEqual([]);
  });

  it("prefers the message to a union of one that was inlined, and to aliases", () => {
    const body = message("notifications/gone");
    const model = modelOf({
      ClientNotification: body,
      AAlias: ref("GoneNotification"),
      GoneNotification: body,
    });
    expect(methodOf(model, "notifications/gone")).toMatchObject({
      message: "GoneNotification",
      senders: ["client"],
    });
    expect(model.assumptions.map(({ kind }) => kind)).toEqual(["era"]);
  });

  it("keeps the inlined union if there are no messages", () => {
    const model = modelOf({ ServerNotification: message("notifications/gone") });
    expect(methodOf(model, "notifications/gone")).toMatchObject({
      message: "ServerNotification",
      senders: ["server"],
    });
  });

  it("makes a definition for inline messages of a union, and a single one for two equal messages", () => {
    const ping = message("ping");
    const model = modelOf({
      ClientRequest: { anyOf: [ping, message("tools/call"), message("x/y", { a: {} })] },
      ServerRequest: { anyOf: [ping, message("x/y", { b: {} }), { anyOf: [message("say/it")] }, ref("Own")] },
      Own: message("own"),
      ToolsCallRequest: object({}),
      Result: result,
    });
    expect(model.methods.map(({ name, message, senders }) => [name, message, senders.join()])).toEqual([
      ["own", "Own", "server"],
      ["ping", "PingRequest", "client,server"],
      ["say/it", "SayItRequest", "server"],
      ["tools/call", "ToolsCallRequest2", "client"],
      ["x/y", "XYRequest", "client,server"],
    ]);
    expect(model.schema.definitions.get("ClientRequest")!.node.anyOf!.map(({ ref: name }) => name)).toEqual(
      expect.arrayContaining(["PingRequest", "ToolsCallRequest2", "XYRequest"]),
    );
    expect([...model.schema.definitions.keys()]).toContain("XYRequest2");
  });

  it("reports rivals", () => {
    const model = modelOf({
      ARequest: message("x"),
      BRequest: message("x"),
      Result: result,
      ClientRequest: anyOf("ARequest"),
    });
    expect(methodOf(model, "x").message).toBe("ARequest");
    expect(model.assumptions).toContainEqual(expect.objectContaining({ kind: "message", subject: "x" }));
  });

  it("reads the method through references and allOf", () => {
    const model = modelOf({
      Base: object({ jsonrpc: { const: "2.0" }, id: { type: "integer" } }, ["jsonrpc", "id"]),
      DeepRequest: { allOf: [ref("Base"), message("deep", { params: ref("DeepParams") }, ["params"])] },
      DeepParams: object({ a: { type: "string" } }),
      Result: result,
    });
    expect(methodOf(model, "deep")).toMatchObject({
      kind: "request",
      envelope: true,
      params: { definition: "DeepParams", presence: "required" },
    });
  });

  it("reports a definition with a method that is not a message", () => {
    const model = modelOf({ StartResult: message("tasks/result") });
    expect(model.methods).toEqual([]);
    expect(model.assumptions).toContainEqual(
      expect.objectContaining({ kind: "kind", subject: "tasks/result" }),
    );
  });
});

describe("finding senders", () => {
  it("reads unions of references, of one reference, and nested ones", () => {
    const model = modelOf({
      ARequest: message("a"),
      BRequest: message("b"),
      CRequest: message("c"),
      Result: result,
      Nested: anyOf("BRequest"),
      ClientRequest: anyOf("ARequest", "Nested"),
      ServerRequest: ref("CRequest"),
    });
    expect(model.methods.map(({ name, senders }) => [name, senders])).toEqual([
      ["a", ["client"]],
      ["b", ["client"]],
      ["c", ["server"]],
    ]);
  });

  it("assigns requests that only results embed to the sender of the results", () => {
    const model = modelOf({
      CallRequest: message("call"),
      CallResult: object({ asks: ref("Asks") }),
      Asks: { type: "object", additionalProperties: ref("AskRequest") },
      AskRequest: message("ask"),
      AskResult: result,
      ClientRequest: anyOf("CallRequest"),
    });
    expect(methodOf(model, "ask")).toMatchObject({ kind: "request", senders: ["server"], payload: true });
    expect(model.assumptions.map(({ kind }) => kind)).toEqual(["era"]);
  });

  it("assumes the client without other information, and reports it", () => {
    const model = modelOf({ LostRequest: message("lost"), LostResult: result });
    expect(methodOf(model, "lost")).toMatchObject({ senders: ["client"], payload: false });
    expect(model.assumptions).toContainEqual(expect.objectContaining({ kind: "sender", subject: "lost" }));
  });

  it("treats messages inside other definitions as their parts, even if no message leads there", () => {
    const model = modelOf({
      CallRequest: message("call"),
      CallResult: result,
      Asks: { type: "object", additionalProperties: ref("AskRequest") },
      AskRequest: message("ask"),
      AskResult: result,
      ClientRequest: anyOf("CallRequest"),
    });
    expect(methodOf(model, "ask").payload).toBe(true);
    expect(model.assumptions).toContainEqual(expect.objectContaining({ kind: "sender", subject: "ask" }));
  });

  it("follows a note, and reports a needless one", () => {
    const definitions = { LostRequest: message("lost"), LostResult: result };
    const assigned = built(definitions, [{ kind: "sender", targets: ["lost"], sender: "both" }]);
    expect(methodOf(assigned.model, "lost").senders).toEqual(["client", "server"]);
    expect(assigned.model.assumptions.map(({ kind }) => kind)).toEqual(["era"]);
    expect(assigned.problems).toEqual([]);

    const listed = { ...definitions, ClientRequest: anyOf("LostRequest") };
    const idle = built(listed, [{ kind: "sender", targets: ["lost"], sender: "client" }]);
    expect(idle.problems).toEqual([expect.objectContaining({ code: "MG1203", target: "lost" })]);
  });
});

describe("pairing", () => {
  const call = { CallRequest: message("call"), ClientRequest: anyOf("CallRequest") };

  it("follows the response, the name, then the empty result", () => {
    const response = object({ id: { type: "string" }, result: anyOf("Waiting", "CallResult") }, [
      "id",
      "result",
    ]);
    const Waiting = object({ waiting: { type: "string" } }, ["waiting"]);
    const whole = modelOf({ ...call, Waiting, CallResult: result, CallResultResponse: response });
    expect(methodOf(whole, "call").result).toEqual({
      definition: "CallResult",
      alternatives: [{ definition: "Waiting", discriminator: { key: "waiting" } }],
    });
    const named = modelOf({ ...call, CallResult: result });
    expect(methodOf(named, "call").result).toEqual({ definition: "CallResult", alternatives: [] });
    const empty = modelOf({ ...call, EmptyResult: ref("Result"), Result: result });
    expect(methodOf(empty, "call").result?.definition).toBe("EmptyResult");
    expect(empty.assumptions).toContainEqual(expect.objectContaining({ kind: "pairing", subject: "call" }));
    const nothing = modelOf(call);
    expect(methodOf(nothing, "call").result).toEqual({ alternatives: [] });
  });

  it("lets a note confirm an assumption, and refuses one that repeats the schema", () => {
    const assumed = built({ ...call, Result: result }, [
      { kind: "pairing", targets: ["call"], result: "Result" },
    ]);
    expect(assumed.problems).toEqual([]);
    expect(assumed.model.assumptions.map(({ kind }) => kind)).toEqual(["era"]);
    const said = built({ ...call, CallResult: result }, [
      { kind: "pairing", targets: ["call"], result: "CallResult" },
    ]);
    expect(said.problems).toEqual([expect.objectContaining({ code: "MG1203" })]);
    const wrong = built({ ...call, CallResult: result }, [
      { kind: "pairing", targets: ["call"], result: "Gone" },
    ]);
    expect(wrong.problems).toEqual([expect.objectContaining({ code: "MG1202" })]);
  });

  it("distinguishes alternatives by a constant, by a member that only one has, or else by name", () => {
    const pairWith = (alternative: ReturnType<typeof object>, plain = result): unknown =>
      methodOf(
        modelOf({ ...call, CallResult: plain, TryAgainResult: alternative }, [
          { kind: "pairing", targets: ["call"], result: "CallResult", alternatives: ["TryAgainResult"] },
        ]),
        "call",
      ).result?.alternatives[0]?.discriminator;
    const tagged = (tag: string): ReturnType<typeof object> => object({ tag: { const: tag } }, ["tag"]);
    expect(pairWith(tagged("again"), tagged("done"))).toEqual({ key: "tag", value: "again" });
    expect(pairWith(object({ task: {} }, ["task"]))).toEqual({ key: "task" });
    const typed = object({ resultType: { type: "string" } }, ["resultType"]);
    expect(pairWith(typed, typed)).toEqual({ key: "resultType", value: "try_again" });
    expect(pairWith(result)).toBeUndefined();
  });
});

describe("eras", () => {
  it("follow the opening method", () => {
    const opening = (method: string): string =>
      modelOf({ OpenRequest: message(method), ClientRequest: anyOf("OpenRequest"), Result: result }).era;
    expect(opening("initialize")).toBe("legacy");
    expect(opening("server/discover")).toBe("modern");
  });

  it("are assumed from the requests if there is no opening method", () => {
    const params = object({ _meta: { type: "object" } }, ["_meta"]);
    const model = modelOf({
      GoRequest: message("go", { params }, ["params"]),
      ClientRequest: anyOf("GoRequest"),
      GoResult: result,
    });
    expect(model.era).toBe("modern");
    expect(model.assumptions).toEqual([expect.objectContaining({ kind: "era", subject: "2099-01-01" })]);
  });
});

describe("capabilities", () => {
  it("of both sides gate by direction", () => {
    const { model } = built(
      {
        GetRequest: message("get"),
        GetResult: result,
        SaidNotification: message("notifications/said"),
        ClientRequest: anyOf("GetRequest"),
        ServerRequest: anyOf("GetRequest"),
        ClientNotification: anyOf("SaidNotification"),
        ServerNotification: anyOf("SaidNotification"),
      },
      [
        { kind: "capability", targets: ["get", "notifications/said"], of: "server", capability: "/s" },
        { kind: "capability", targets: ["get", "notifications/said"], of: "client", capability: "/c" },
      ],
    );
    expect(gate(methodOf(model, "get"), "client")).toEqual({ of: "server", path: "/s" });
    expect(gate(methodOf(model, "get"), "server")).toEqual({ of: "client", path: "/c" });
    expect(gate(methodOf(model, "notifications/said"), "client")).toEqual({ of: "client", path: "/c" });
  });
});

describe("notes", () => {
  it("about methods and properties that do not exist are named", () => {
    const definitions = {
      ARequest: message("a"),
      Result: result,
    };
    const { problems } = built(definitions, [
      { kind: "capability", targets: ["a", "gone"], of: "server", capability: "/x" },
      { kind: "header", targets: ["*", "gone too"], header: "X", from: null },
      { kind: "cacheable", targets: ["/$defs/Result"] },
      { kind: "owned", targets: ["/$defs/Result/properties/nothing"] },
    ]);
    expect(problems.map(({ code, target }) => [code, target])).toEqual([
      ["MG1202", "gone"],
      ["MG1202", "gone too"],
      ["MG1202", "/$defs/Result"],
      ["MG1202", "/$defs/Result/properties/nothing"],
    ]);
    expect(problems[2]!.message).toBe("expected a method, got a place of the schema");
  });

  it("about headers that repeat a member that the message does not have are named", () => {
    const members = { id: { type: "string" }, _meta: { type: "object" } };
    const definitions = {
      ARequest: message("a", { params: object(members) }),
      BRequest: message("b", { params: { type: "object", properties: members, additionalProperties: {} } }),
      Result: result,
    };
    const { model, problems } = built(
      definitions,
      ["/method", "/params/id", "/params/ix", "/params/id/x", "/params/_meta/x"].map((from, at) => ({
        kind: "header" as const,
        targets: ["a", "b"],
        header: `H${at}`,
        from,
      })),
    );
    expect(problems.map(({ code, target, message: text }) => [code, target, text])).toEqual([
      ["MG1202", "a", "the message has no member at /params/ix, which H2 is to repeat"],
      ["MG1202", "a", "the message has no member at /params/id/x, which H3 is to repeat"],
      ["MG1202", "b", "the message has no member at /params/id/x, which H3 is to repeat"],
    ]);
    expect(model.headers.map(({ header, method }) => header + method)).toEqual([
      "H0a",
      "H0b",
      "H1a",
      "H1b",
      "H2b",
      "H4a",
      "H4b",
    ]);
  });

  it("of one kind may concern a method once, capabilities once per side", () => {
    const { problems } = built({ ARequest: message("a"), Result: result, B: result }, [
      { kind: "pairing", targets: ["a"], result: "Result" },
      { kind: "pairing", targets: ["a"], result: "B" },
      { kind: "cacheable", targets: ["a", "a"] },
      { kind: "capability", targets: ["a"], of: "server", capability: "/x" },
      { kind: "capability", targets: ["a"], of: "client", capability: "/x" },
      { kind: "capability", targets: ["a"], of: "server", capability: "/y" },
      { kind: "header", targets: ["a"], header: "X-A", from: null },
      { kind: "header", targets: ["a"], header: "X-B", from: null },
      { kind: "header", targets: ["a"], header: "x-a", from: null },
    ]);
    expect(problems.map(({ code, note, target }) => [code, note.kind, target])).toEqual([
      ["MG1203", "pairing", "a"],
      ["MG1203", "cacheable", "a"],
      ["MG1203", "capability", "a"],
      ["MG1203", "header", "a"],
    ]);
  });
});

describe("subscriptions", () => {
  const meta = { _meta: ref("Meta"), wanted: ref("Wanted"), text: { type: "string" } };
  const definitions = {
    DiscoverRequest: message("server/discover"),
    FollowRequest: message("follow", { params: ref("FollowParams") }),
    FollowParams: object({ ...meta, filter: { allOf: [ref("Filter")] } }),
    Meta: object({ token: { type: "string" } }),
    Wanted: { enum: ["much", "little"] },
    Filter: object({ said: { type: "boolean" } }),
    ReadRequest: message("read"),
    SaidNotification: message("notifications/said", { params: object({ by: { type: "string" } }) }),
    Result: result,
  };
  const legacy = { ...definitions, DiscoverRequest: message("initialize") };
  const listening = (...targets: string[]): NoteText => ({ kind: "listening", targets });
  const selecting = (property: string, ...targets: string[]): NoteText => ({
    kind: "subscription",
    targets,
    filter: `/$defs/${property.replace(".", "/properties/")}`,
  });
  const keyed = (key: string): NoteText => ({
    kind: "subscription",
    targets: [said],
    filter: "/$defs/Filter/properties/said",
    key,
  });
  const said = "notifications/said";
  const problemsOf = (notes: readonly NoteText[], of: { [name: string]: JsonValue } = definitions) =>
    built(of, notes).problems.map(({ code, target, message: text }) => [code, target, text]);

  it("begin with requests, and not with notifications", () => {
    const { model, problems } = built(definitions, [listening("follow", said, "gone")]);
    expect(model.methods.filter((method) => method.listening).map(({ name }) => name)).toEqual(["follow"]);
    expect(problems.map(({ code, target, message: text }) => [code, target, text])).toEqual([
      ["MG1202", "gone", "the schema has no such method"],
      ["MG1202", said, "it is a notification, and no request"],
    ]);
  });

  it("select notifications by a member of the filter, and no requests", () => {
    const notes = [listening("follow"), selecting("Filter.said", said)];
    expect(problemsOf(notes)).toEqual([]);
    expect(methodOf(modelOf(definitions, notes), said).filter).toBe("said");
    expect(problemsOf([listening("follow"), selecting("Filter.said", "read")])).toEqual([
      ["MG1202", "read", "it is a request, and no notification"],
    ]);
  });

  it("select notifications by a param that they have", () => {
    const method = methodOf(modelOf(definitions, [listening("follow"), keyed("by")]), said);
    expect([method.filter, method.filterKey]).toEqual(["said", "by"]);
    expect(problemsOf([listening("follow"), keyed("of")])).toEqual([
      ["MG1202", said, 'its params have no member "of"'],
    ]);
  });

  it.each(["Meta.token", "FollowParams.text", "Filter.unsaid", "Gone.said"])(
    "have no filter with the member %s",
    (property) => {
      const problems = problemsOf([listening("follow"), selecting(property, said)]);
      expect(problems.map(([code, target]) => [code, target])).toEqual([["MG1202", said]]);
    },
  );

  it("have a filter only if a request is listening", () => {
    expect(problemsOf([selecting("Filter.said", said)])).toEqual([
      [
        "MG1202",
        said,
        "/$defs/Filter/properties/said is no member of a filter: no request with a note of kind listening has a param of type Filter",
      ],
    ]);
  });

  it("are described once", () => {
    const notes = [listening("follow"), selecting("Filter.said", said)];
    expect(problemsOf([...notes, ...notes])).toEqual([
      ["MG1203", "follow", "another note of this kind is about it"],
      ["MG1203", said, "another note of this kind is about it"],
    ]);
  });

  it("belong to revisions without sessions", () => {
    const { model, problems } = built(legacy, [listening("follow"), selecting("Filter.said", said)]);
    const text = "this revision has sessions, and no subscriptions with a filter";
    expect(problems.map(({ code, target, message: what }) => [code, target, what])).toEqual([
      ["MG1203", "follow", text],
      ["MG1203", said, text],
    ]);
    expect(model.methods.filter((method) => method.listening || method.filter !== undefined)).toEqual([]);
  });
});

describe("facts about HTTP", () => {
  const legacy = { InitializeRequest: message("initialize") };
  const noted = (definitions: { [name: string]: JsonValue }, ...targets: string[]) => {
    const { model, problems } = built(definitions, [{ kind: "transport", targets }]);
    return { facts: model.transport, problems: problems.map(({ code, target }) => [code, target]) };
  };

  it("come from notes", () => {
    expect(noted(legacy, "priming", "assumed")).toEqual({ facts: ["assumed", "priming"], problems: [] });
    expect(modelOf(legacy).transport).toEqual([]);
  });

  it("that are unknown, or stated twice, are named", () => {
    expect(noted(legacy, "primed", "priming", "priming")).toEqual({
      facts: ["priming"],
      problems: [
        ["MG1202", "primed"],
        ["MG1203", "priming"],
      ],
    });
  });

  it("only belong to revisions with sessions", () => {
    const modern = { DiscoverRequest: message("server/discover") };
    expect(noted(modern, "priming")).toEqual({ facts: [], problems: [["MG1203", "priming"]] });
  });
});

describe("pages", () => {
  const list = (result: JsonValue): unknown =>
    methodOf(
      modelOf({
        ListRequest: message("list", { params: object({ cursor: { type: "string" } }) }),
        ListResult: result,
        Item: object({}),
        ClientRequest: anyOf("ListRequest"),
      }),
      "list",
    ).page;
  const items = { type: "array", items: ref("Item") };

  it("are found by their cursors and their one list", () => {
    const nextCursor = { type: "string" };
    expect(list(object({ nextCursor, items }, ["items"]))).toEqual({ member: "items", item: "Item" });
    expect(list(object({ items }, ["items"]))).toBeUndefined();
    expect(list(object({ nextCursor, items, more: items }, ["items", "more"]))).toBeUndefined();
  });
});

describe("errors", () => {
  it("are found in the schema and named after their definitions", () => {
    const code = (value: number): ReturnType<typeof object> => object({ code: { const: value } }, ["code"]);
    const { errors, assumptions } = modelOf({
      ParseError: code(-1),
      HeaderMismatchError: object({ error: { allOf: [ref("Error"), code(-2)] } }, ["error"]),
      Error: object({ code: { type: "integer" } }, ["code"]),
      Color: code(7),
    });
    expect(errors).toEqual([
      { code: -2, name: "HEADER_MISMATCH", definition: "HeaderMismatchError" },
      { code: -1, name: "PARSE_ERROR", definition: "ParseError" },
    ]);
    expect(assumptions.filter(({ kind }) => kind === "error")).toHaveLength(2);
  });

  it("may share a code, but not a name", () => {
    const note = (name: string): NoteText => ({ kind: "error", targets: ["-3"], name });
    const { errors } = modelOf({}, [note("WRONG_B"), note("WRONG_A")]);
    expect(errors).toEqual([
      { code: -3, name: "WRONG_A" },
      { code: -3, name: "WRONG_B" },
    ]);
  });
});

describe("batches", () => {
  const jsonrpc = { const: "2.0", type: "string" };
  const Message = object({ jsonrpc }, ["jsonrpc"]);
  const Other = object({ jsonrpc: { type: "string" } });
  const list = (items: JsonValue): JsonValue => ({ type: "array", items });

  it.each([
    ["a list of messages", { Message, Batch: list(ref("Message")) }, true],
    [
      "a list of several kinds of messages",
      { Message, A: ref("Message"), B: list(anyOf("Message", "A")) },
      true,
    ],
    [
      "a list among what a message may be",
      { Message, Any: { anyOf: [ref("Message"), list(ref("Message"))] } },
      true,
    ],
    ["a list of other things, too", { Message, Other, Batch: list(anyOf("Message", "Other")) }, false],
    [
      "messages that hold a list of messages",
      { Message, Held: object({ all: list(ref("Message")) }) },
      false,
    ],
    ["a list of anything", { Message, Batch: { type: "array" } }, false],
  ])("%s", (_, definitions, expected) => {
    expect(modelOf(definitions as { [name: string]: JsonValue }).batches).toBe(expected);
  });
});
