import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { describe, expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { line, modelFrom } from "./models.js";

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const object = (properties: JsonObject, required: string[] = Object.keys(properties)): JsonObject => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
});
const message = (method: string, params?: JsonValue, required = true): JsonObject =>
  object({ method: { type: "string", const: method }, ...(params !== undefined && { params }) }, [
    "method",
    ...(params !== undefined && required ? ["params"] : []),
  ]);
const text = { type: "string" };
const empty = { type: "object" };

interface Parts {
  readonly clientRequests?: Readonly<Record<string, JsonObject>>;
  readonly serverRequests?: Readonly<Record<string, JsonObject>>;
  readonly clientNotifications?: Readonly<Record<string, JsonObject>>;
  readonly serverNotifications?: Readonly<Record<string, JsonObject>>;
  readonly definitions?: JsonObject;
}

/** A protocol of these messages, by the name of their definition. */
function protocol(parts: Parts): JsonObject {
  const lists: JsonObject = {};
  const messages: JsonObject = {};
  const add = (list: string, of: Readonly<Record<string, JsonObject>> = {}): void => {
    if (Object.keys(of).length > 0) lists[list] = { anyOf: Object.keys(of).map(ref) };
    Object.assign(messages, of);
  };
  add("ClientRequest", { PingRequest: message("ping"), ...parts.clientRequests });
  add("ServerRequest", parts.serverRequests);
  add("ClientNotification", parts.clientNotifications);
  add("ServerNotification", parts.serverNotifications);
  return { $defs: { PingResult: empty, ...messages, ...lists, ...parts.definitions } };
}

/** Findings that are not safe for a role, and findings about methods. */
function harm(old: Parts, next: Parts): string[] {
  return diffModels(modelFrom(protocol(old)), modelFrom(protocol(next)))
    .filter(({ rule }) => !rule.startsWith("definition-"))
    .map(line);
}

const echo = { EchoRequest: message("echo", object({ text })) };
const log = { LogNotification: message("notifications/log", object({ text })) };
const result = { EchoResult: object({ text }) };

describe("methods", () => {
  test("an added request affects its receiver, a removed one its sender", () => {
    expect(harm({}, { clientRequests: echo, definitions: result })).toEqual([
      "request-added echo from client client:safe server:dangerous",
    ]);
    expect(harm({ clientRequests: echo, definitions: result }, {})).toEqual([
      "request-removed echo from client client:breaking server:safe",
    ]);
    expect(harm({ serverRequests: echo, definitions: result }, {})).toEqual([
      "request-removed echo from server client:safe server:breaking",
    ]);
  });

  test("a removed notification affects both sides", () => {
    expect(harm({}, { serverNotifications: log })).toEqual([
      "notification-added notifications/log from server client:safe server:safe",
    ]);
    expect(harm({ serverNotifications: log }, {})).toEqual([
      "notification-removed notifications/log from server client:dangerous server:breaking",
    ]);
  });

  test("an added or removed direction is not reported as an added or removed method", () => {
    const one: Parts = { clientRequests: echo, clientNotifications: log, definitions: result };
    const both: Parts = { ...one, serverRequests: echo, serverNotifications: log };
    expect(harm(one, both)).toEqual([
      "request-direction-added echo from server client:dangerous server:safe",
      "notification-direction-added notifications/log from server client:safe server:safe",
    ]);
    expect(harm(both, one)).toEqual([
      "request-direction-removed echo from server client:safe server:breaking",
      "notification-direction-removed notifications/log from server client:dangerous server:breaking",
    ]);
  });

  test("a request that moves into results is reported once as demoted, without findings about its parts", () => {
    const ask = { AskRequest: message("ask", object({ question: text })) };
    const definitions = { ...result, AskResult: object({ answer: text }) };
    const old: Parts = { clientRequests: echo, serverRequests: ask, definitions };
    const next: Parts = {
      clientRequests: echo,
      definitions: {
        ...definitions,
        ...ask,
        EchoResult: { ...object({ text, ask: ref("AskRequest") }, ["text"]) },
      },
    };
    expect(harm(old, next)).toEqual([
      "method-demoted-to-payload ask from server client:safe server:breaking",
      "property-added-optional EchoResult.ask client:safe server:safe",
    ]);
    expect(harm(next, old)).toContain("request-added ask from server client:dangerous server:safe");
  });

  test("a request inside results does not count as a message after the results drop it", () => {
    const asks: JsonObject = {
      AskRequest: message("ask", object({ question: text })),
      AskResult: object({ answer: text }),
      Asks: { type: "object", additionalProperties: ref("AskRequest") },
    };
    const answers = (properties: JsonObject): Parts => ({
      clientRequests: echo,
      definitions: { ...asks, EchoResult: object(properties, []) },
    });
    expect(harm(answers({ text, asks: ref("Asks") }), answers({ text }))).toEqual([
      "property-removed EchoResult.asks client:dangerous server:dangerous",
    ]);
  });

  test("a change in a message that both sides send is breaking for both", () => {
    const with_ = (params: JsonValue): Parts => {
      const request = { EchoRequest: message("echo", params) };
      return { clientRequests: request, serverRequests: request, definitions: result };
    };
    expect(harm(with_(object({ text })), with_(object({ text, lang: text })))).toEqual([
      "property-added-required EchoRequest.params.lang client:breaking server:breaking",
    ]);
  });
});

describe("params", () => {
  const with_ = (params?: JsonValue, required?: boolean): Parts => ({
    clientRequests: { EchoRequest: message("echo", params, required) },
    definitions: result,
  });

  test("may become required or optional", () => {
    expect(harm(with_(empty, false), with_(empty, true))).toEqual([
      "params-became-required EchoRequest.params client:breaking server:safe",
    ]);
    expect(harm(with_(empty, true), with_(empty, false))).toEqual([
      "params-became-optional EchoRequest.params client:safe server:breaking",
    ]);
    expect(harm(with_(), with_(empty, true))).toEqual([
      "params-became-required EchoRequest.params client:breaking server:safe",
    ]);
    expect(harm(with_(), with_(empty, false))).toEqual([
      "property-added-optional EchoRequest.params client:safe server:safe",
    ]);
    expect(harm(with_(empty, false), with_())).toEqual([
      "property-removed EchoRequest.params client:dangerous server:dangerous",
    ]);
  });

  test("do not change with separate definitions, or with the envelope written out in each message", () => {
    const old = with_(object({ text }));
    const request = object({
      jsonrpc: { type: "string", const: "2.0" },
      id: { type: ["string", "integer"] },
      method: { type: "string", const: "echo" },
      params: ref("EchoRequestParams"),
    });
    const next: Parts = {
      clientRequests: { EchoRequest: request },
      definitions: { ...result, EchoRequestParams: object({ text }) },
    };
    expect(harm(old, next)).toEqual([]);
    expect(harm(next, old)).toEqual([]);
  });
});

describe("members of the envelope", () => {
  const jsonrpc = { type: "string", const: "2.0" };
  const id = { type: ["string", "integer"] };
  const whole = (more: JsonObject = {}, options: JsonObject = {}, required: string[] = []): Parts => ({
    clientRequests: {
      EchoRequest: {
        ...object(
          { jsonrpc, id, method: { type: "string", const: "echo" }, params: object({ text }), ...more },
          ["jsonrpc", "id", "method", ...required],
        ),
        ...options,
      },
    },
    definitions: result,
  });

  test("are compared like members of params", () => {
    expect(harm(whole(), whole({ id: text }))).toEqual([
      "type-narrowed EchoRequest.id client:breaking server:safe",
    ]);
    expect(harm(whole({ id: text }), whole())).toEqual([
      "type-widened EchoRequest.id client:safe server:breaking",
    ]);
    expect(harm(whole(), whole({ trace: text }, {}, ["trace"]))).toEqual([
      "property-added-required EchoRequest.trace client:breaking server:safe",
    ]);
    expect(harm(whole(), whole({ trace: text }))).toEqual([
      "property-added-optional EchoRequest.trace client:safe server:safe",
    ]);
    expect(harm(whole(), whole({}, { additionalProperties: false }))).toEqual([
      "object-closed EchoRequest client:breaking server:safe",
    ]);
    expect(harm(whole(), whole({}, { unevaluatedProperties: false }))).toEqual([
      "object-closed EchoRequest client:breaking server:safe",
    ]);
    expect(harm(whole(), whole({}, { additionalProperties: text }))).toEqual([
      "map-value-narrowed EchoRequest{} client:breaking server:safe",
    ]);
  });

  test("come from JSONRPCRequest if messages omit them", () => {
    const envelope = (more: JsonObject): JsonObject => ({
      JSONRPCRequest: object({ jsonrpc, id, method: text, ...more }, ["jsonrpc", "id", "method"]),
      JSONRPCNotification: object({ jsonrpc, method: text }),
      JSONRPCMessage: { anyOf: [ref("JSONRPCRequest"), ref("JSONRPCNotification")] },
    });
    const with_ = (more: JsonObject = {}): Parts => ({
      clientRequests: { EchoRequest: message("echo", object({ text })) },
      definitions: { ...result, ...envelope(more) },
    });
    const meta = (value: JsonValue): JsonObject => ({ params: object({ _meta: value }, []) });
    expect(harm(with_(meta(object({ token: text }))), with_(meta(object({ token: id }))))).toEqual([
      "type-widened JSONRPCRequest.params._meta.token client:safe server:breaking",
    ]);
    expect(harm(with_({ params: empty }), with_({ params: { ...empty, maxProperties: 3 } }))).toEqual([
      "bound-tightened EchoRequest.params client:breaking server:safe",
      "bound-tightened JSONRPCRequest.params client:breaking server:safe",
    ]);
  });

  test("include members beside the result of a response, and alternatives to the result", () => {
    const answered = (more: JsonObject = {}): Parts => ({
      clientRequests: echo,
      definitions: {
        ...result,
        EchoResultResponse: object({ jsonrpc, id, result: ref("EchoResult"), ...more }, [
          "jsonrpc",
          "id",
          "result",
        ]),
      },
    });
    expect(harm(answered(), answered({ id: text }))).toEqual([
      "type-narrowed EchoResultResponse.id client:safe server:breaking",
    ]);
    const orNull = { result: { anyOf: [ref("EchoResult"), { type: "null" }] } };
    expect(harm(answered(), answered(orNull))).toEqual([
      "nullable-added EchoResultResponse.result client:breaking server:safe",
    ]);
  });

  test("a method that the message unions no longer list counts as removed", () => {
    const listed: Parts = { clientRequests: echo, definitions: result };
    const unlisted: Parts = { definitions: { ...result, ...echo } };
    expect(harm(listed, unlisted)).toEqual(["request-removed echo from client client:breaking server:safe"]);
    expect(harm(unlisted, listed)).toEqual(["request-added echo from client client:safe server:dangerous"]);
    expect(harm(unlisted, unlisted)).toEqual([]);
  });

  test("closing a result is found although its base is open", () => {
    const open = { Result: { type: "object", additionalProperties: {} } };
    const with_ = (more: JsonObject): Parts => ({
      clientRequests: echo,
      definitions: { ...open, EchoResult: { ...object({ text }), ...more } },
    });
    expect(harm(with_({}), with_({ unevaluatedProperties: false }))).toEqual([
      "object-closed EchoResult client:safe server:breaking",
    ]);
  });
});

describe("results", () => {
  const answered = (arms: JsonValue, definitions: JsonObject = {}): Parts => ({
    clientRequests: echo,
    definitions: { ...result, ...definitions, EchoResultResponse: object({ result: arms }) },
  });
  const later = { LaterResult: object({ ticket: text }) };

  test("may have alternatives to the plain one", () => {
    const one = answered(ref("EchoResult"));
    const two = answered({ anyOf: [ref("EchoResult"), ref("LaterResult")] }, later);
    expect(harm(one, two)).toEqual(["result-alternative-added echo from client client:breaking server:safe"]);
    expect(harm(two, one)).toEqual([
      "result-alternative-removed echo from client client:safe server:breaking",
    ]);
  });

  test("may be alternatives whose mark the old result already had", () => {
    const kind = { kind: text };
    const definitions = { EchoResult: object({ text, ...kind }) };
    const one = answered(ref("EchoResult"), definitions);
    const two = answered(
      { anyOf: [ref("EchoResult"), ref("LaterResult")] },
      {
        ...definitions,
        LaterResult: object({ kind: { type: "string", const: "later" } }),
      },
    );
    expect(harm(one, two)).toEqual([
      "result-alternative-added echo from client client:dangerous server:safe",
    ]);
  });

  test("are equal if only their names differ", () => {
    const old = answered(ref("EchoResult"));
    const next = answered(ref("EchoedResult"), { EchoedResult: object({ text }) });
    expect(harm(old, next)).toEqual([]);
  });
});

describe("moved definitions", () => {
  test("are compared by name if no place corresponds", () => {
    const features = (properties: JsonObject): JsonObject => ({ Features: object(properties, []) });
    const old: Parts = {
      clientRequests: { HelloRequest: message("hello", object({ features: ref("Features") })) },
      definitions: { HelloResult: empty, ...features({ a: text, b: text }) },
    };
    const next: Parts = {
      clientRequests: {
        EchoRequest: message("echo", object({ text, _meta: object({ features: ref("Features") }) })),
      },
      definitions: { ...result, ...features({ a: text }) },
    };
    expect(harm(old, next)).toContain("property-removed Features.b client:dangerous server:dangerous");
  });
});
