import type { JsonValue } from "@mcpgen/engine";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { type NoteText, anyOf, message, modelOf, object, ref } from "../../../support/models.js";

const text = { type: "string" };

/** A protocol with one method of each sort, small enough to read all of its output. */
const definitions: { [name: string]: JsonValue } = {
  ClientRequest: anyOf("DiscoverRequest", "GreetRequest", "ListRequest", "MeetRequest", "PingRequest"),
  ServerRequest: anyOf("PingRequest"),
  ServerNotification: anyOf("GreetedNotification"),
  DiscoverRequest: message("server/discover", { params: object({ version: text }, ["version"]) }, ["params"]),
  DiscoverResult: object({ version: text }, ["version"]),
  PingRequest: message("ping"),
  EmptyResult: object({ _meta: ref("ResultMeta"), kind: text }, ["_meta", "kind"]),
  GreetRequest: {
    ...(message("people/greet", { params: ref("GreetRequestParams") }, ["params"]) as object),
    description: "Greets a person.",
  },
  GreetRequestParams: object({ _meta: ref("RequestMeta"), name: text, tone: ref("Tone") }, ["_meta", "name"]),
  GreetResult: object({ _meta: ref("ResultMeta"), kind: text, greeting: text }, [
    "_meta",
    "kind",
    "greeting",
  ]),
  AskResult: object({ ask: ref("AskRequest"), kind: text }, ["kind"]),
  AskRequest: message("people/ask", { params: object({ question: text }) }),
  AskRequestAnswer: object({}),
  ListRequest: message("people/list", { params: object({ cursor: text }) }),
  ListResult: object(
    { people: { type: "array", items: ref("Listed") }, nextCursor: text, whole: { type: "boolean" } },
    ["people"],
  ),
  Listed: anyOf("Person", "PersonReference"),
  Person: object({ name: text, tone: ref("Tone") }, ["name", "tone"]),
  PersonReference: object({ name: text }, ["name"]),
  MeetRequest: message("people/meet", { params: object({ name: text }, ["name"]) }, ["params"]),
  MeetResult: object({ person: ref("Person") }, ["person"]),
  GreetedNotification: message("notifications/greeted", { params: ref("GreetedParams") }),
  GreetedParams: object({ names: { type: "array", items: text, minItems: 1 } }),
  RequestMeta: object({ "example.com/version": text, token: { type: ["string", "integer"] } }, [
    "example.com/version",
  ]),
  ResultMeta: object({ "example.com/server": text }, ["example.com/server"]),
  Tone: { enum: ["formal", "warm"] },
  BusyError: object({ code: { const: -32050 }, message: text }, ["code", "message"]),
};

const notes: readonly NoteText[] = [
  { kind: "pairing", targets: ["people/greet"], result: "GreetResult", alternatives: ["AskResult"] },
  { kind: "pairing", targets: ["people/ask"], result: "AskRequestAnswer" },
  {
    kind: "capability",
    targets: ["people/greet", "notifications/greeted"],
    of: "server",
    capability: "/people/example.com~1greeting",
  },
  { kind: "header", targets: ["*"], header: "Example-Version", from: null },
  { kind: "header", targets: ["people/greet"], header: "Example-Name", from: "/params/name" },
  { kind: "cacheable", targets: ["people/greet", "server/discover"] },
  { kind: "invalidates", targets: ["notifications/greeted"], methods: ["server/discover"] },
  {
    ...{ kind: "partial", targets: ["people/list"], member: "/whole", means: false },
    ...{ item: "/$defs/PersonReference", get: "people/meet" },
  },
  { kind: "listening", targets: ["people/greet"] },
  { kind: "requires", targets: ["people/greet"], of: "client", capability: "/people/hearing" },
  { kind: "deprecated", targets: ["people/greet"], since: "2099-01-01", instead: "Wave." },
  { kind: "error", targets: ["-32050"], name: "BUSY", http: 503 },
  {
    kind: "owned",
    targets: [
      "/$defs/RequestMeta/properties/example.com~1version",
      "/$defs/ResultMeta/properties/example.com~1server",
      "/$defs/GreetResult/properties/kind",
      "/$defs/EmptyResult/properties/kind",
      "/$defs/AskResult/properties/ask",
      "/$defs/AskResult/properties/kind",
    ],
  },
];

/** The tiny protocol, with further definitions. */
export function tinyModel(more: { [name: string]: JsonValue } = {}): ProtocolModel {
  return modelOf({ ...definitions, ...more }, notes);
}
