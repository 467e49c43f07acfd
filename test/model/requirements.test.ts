// The capabilities that a side must have declared before a method of a revision may be used.
import { expect, it } from "vitest";
import { type NoteText, anyOf, built, message, methodOf, object } from "../support/models.js";

const definitions = {
  CallRequest: message("call"),
  PartNotification: message("notifications/part"),
  ClientRequest: anyOf("CallRequest"),
  ServerNotification: anyOf("PartNotification"),
  CallResult: object({}),
};
const requires = (more: object): NoteText =>
  ({ kind: "requires", targets: ["call"], of: "client", capability: "/parts", ...more }) as NoteText;

it("is a capability of the sender of a request, or of the receiver of a notification", () => {
  const { model, problems } = built(definitions, [requires({ targets: ["call", "notifications/part"] })]);
  expect(problems).toEqual([]);
  const wanted = { of: "client", path: "/parts", error: "MISSING_REQUIRED_CLIENT_CAPABILITY" };
  expect(methodOf(model, "call").requires).toEqual(wanted);
  expect(methodOf(model, "notifications/part").requires).toEqual(wanted);
});

it("has an error of the revision for its refusal", () => {
  const error: NoteText = { kind: "error", targets: ["-32050"], name: "NO_PARTS" };
  const { model, problems } = built(definitions, [error, requires({ error: "NO_PARTS" })]);
  expect(problems).toEqual([]);
  expect(methodOf(model, "call").requires!.error).toBe("NO_PARTS");
  expect(built(definitions, [requires({ error: "NO_PARTS" })]).problems).toEqual([
    expect.objectContaining({ code: "MG1202", message: 'the revision has no error "NO_PARTS"' }),
  ]);
});

it.each([
  [{ of: "server" }, "MG1202", "the server does not send it"],
  [{ targets: ["gone"] }, "MG1202", "the schema has no such method"],
])("%o is a problem", (more, code, said) => {
  expect(built(definitions, [requires(more)]).problems).toEqual([
    expect.objectContaining({ code, message: said }),
  ]);
});
