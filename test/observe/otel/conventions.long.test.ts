import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { describe, expect, test } from "vitest";
import { revisions } from "../../support/revisions.js";
import { paramsOf, run, runOpening, runStream } from "./both-sides.js";
import { type Ending, type Operation, type SpanFacts, operationsOf, spansOf } from "./conventions.js";
import { useOpenTelemetry } from "./telemetry.js";

useOpenTelemetry();

/** The messages that open a connection. */
const isOpening = ({ method }: Operation): boolean =>
  ["initialize", "server/discover", "notifications/initialized"].includes(method);

/** Methods that a client only sends with the tasks extension. Without it, the client refuses them. */
const isOfTasks = ({ method, sender }: Operation): boolean =>
  sender === "client" && method === "notifications/tasks/status";

const errors = [-32700, -32600, -32601, -32602, -32603, -32000, -32050, -32004, -32099, 7].map((code) => ({
  code,
  message: `code ${code}`,
}));
const endings: Ending[] = ["success", ...errors, "cancelled", "timeout", "disconnect"];

const nameOf = (ending: Ending): string => (typeof ending === "object" ? `error ${ending.code}` : ending);

/** A line for each span, in order. */
const lines = (spans: readonly SpanFacts[]): string[] =>
  spans
    .map(({ name, kind, status, description, attributes }) =>
      [name, kind, status, description, JSON.stringify(Object.entries(attributes).sort())].join(" | "),
    )
    .sort();

function operationsAt(revision: string): Operation[] {
  const client = clientRevisions.find(({ id }) => id === revision)!;
  return operationsOf(
    client,
    serverRevisions.find(({ id }) => id === revision)!,
  );
}

describe.each(revisions)("at %s", (revision) => {
  const operations = operationsAt(revision);
  const compare = async (tested: readonly Operation[], ending: Ending): Promise<void> => {
    expect(tested.length).toBeGreaterThan(0);
    const rows = tested.map((operation) => [operation, paramsOf(operation, revision)] as const);
    const expected = rows.flatMap(([operation, params]) => spansOf(operation, params, ending, revision));
    expect(lines(await run(revision, rows, ending))).toEqual(lines(expected));
  };

  test.each(endings.map((ending) => [nameOf(ending), ending] as const))("requests: %s", (_, ending) =>
    compare(
      operations.filter((each) => each.kind === "request" && !isOpening(each) && !each.isStream),
      ending,
    ),
  );

  test("requests: a result with isError", () =>
    compare(
      operations.filter(({ method }) => method === "tools/call"),
      "isError",
    ));

  test("notifications", () =>
    compare(
      operations.filter((each) => each.kind === "notification" && !isOpening(each) && !isOfTasks(each)),
      "success",
    ));

  const openings = operations.filter(isOpening);

  test.each(openings.map((operation) => [operation.method, operation] as const))(
    "%s",
    async (_, operation) => {
      const outcomes = operation.kind === "request" ? [...errors, "success" as const] : ["success" as const];
      for (const ending of outcomes) {
        const expected = spansOf(operation, {}, ending, revision);
        expect(lines(await runOpening(revision, operation, ending))).toEqual(lines(expected));
      }
    },
  );

  const streams = operations.filter(({ isStream }) => isStream);

  test.runIf(streams.length > 0)("subscriptions", async () => {
    for (const operation of streams)
      for (const ending of ["success", "cancelled", "disconnect", ...errors] as const) {
        const expected = spansOf(operation, {}, ending, revision);
        expect(lines(await runStream(revision, operation, ending))).toEqual(lines(expected));
      }
  });
});
