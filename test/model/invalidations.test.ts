// Which cached results a notification drops beyond those that follow from its capability.
import { expect, it } from "vitest";
import { type NoteText, anyOf, built, message, methodOf, object } from "../support/models.js";

const definitions = {
  ListRequest: message("tools/list"),
  GetRequest: message("tools/get"),
  CallRequest: message("tools/call"),
  ListChangedNotification: message("notifications/tools/list_changed"),
  ClientRequest: anyOf("ListRequest", "GetRequest", "CallRequest"),
  ServerNotification: anyOf("ListChangedNotification"),
  Result: object({}),
};
const changed = "notifications/tools/list_changed";
const dropping = (...methods: string[]): NoteText => ({ kind: "invalidates", targets: [changed], methods });
const cacheable: NoteText = { kind: "cacheable", targets: ["tools/list", "tools/get"] };
const pairing: NoteText = {
  kind: "pairing",
  targets: ["tools/list", "tools/get", "tools/call"],
  result: "Result",
};

const gate = (capability: string, ...targets: string[]): NoteText => ({
  kind: "capability",
  targets,
  of: "server",
  capability,
});
const notes = [
  ...[pairing, cacheable, gate("/tools", "tools/list"), gate("/toolsets", "tools/get")],
  gate("/tools/listChanged", changed),
];

it("comes from a note", () => {
  const { model, problems } = built(definitions, [...notes, dropping("tools/get", "tools/get")]);
  expect(problems).toEqual([]);
  expect(methodOf(model, changed).invalidates).toEqual(["tools/get"]);
  expect(methodOf(model, "tools/get").invalidates).toBeUndefined();
});

it.each([
  ["tools/gone", "MG1202", 'there is no request "tools/gone"'],
  [changed, "MG1202", `there is no request "${changed}"`],
  ["tools/call", "MG1203", "no note says that results of tools/call are cached"],
  ["tools/list", "MG1203", "it drops the results of tools/list by its capability"],
])("is refused for %s", (method, code, said) => {
  const { model, problems } = built(definitions, [...notes, dropping(method)]);
  expect(problems).toEqual([expect.objectContaining({ code, target: changed, message: said })]);
  expect(methodOf(model, changed).invalidates).toBeUndefined();
});

it("concerns notifications, and is stated once", () => {
  const request: NoteText = { kind: "invalidates", targets: ["tools/call"], methods: ["tools/get"] };
  expect(built(definitions, [...notes, request]).problems).toEqual([
    expect.objectContaining({ code: "MG1202", message: "it is a request, and no notification" }),
  ]);
  const twice = [dropping("tools/get"), dropping("tools/get")];
  expect(built(definitions, [...notes, ...twice]).problems).toEqual([
    expect.objectContaining({ code: "MG1203", target: changed }),
  ]);
});
