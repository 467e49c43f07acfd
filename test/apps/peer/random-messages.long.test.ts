import { hostTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/host";
import { viewTable } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/ui/2025-11-25/view";
import { memoryChannels } from "@mcpgen/runtime";
import { openPeer } from "@mcpgen/apps";
import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../support/cases.mjs";

const methods = (table: typeof hostTable | typeof viewTable): string[] => [
  ...table.incomingRequests.keys(),
  ...table.incomingNotifications.keys(),
  ...["__proto__", "constructor", "ui/unknown"],
];
const id = fc.oneof(fc.integer(), fc.string());
const value = fc.jsonValue({ maxDepth: 4 });

/** Messages with any content, and values that are not messages. */
const messages = (table: typeof hostTable | typeof viewTable) =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ id, method: fc.constantFrom(...methods(table)), params: value }) },
      { weight: 2, arbitrary: fc.record({ method: fc.constantFrom(...methods(table)), params: value }) },
      { weight: 1, arbitrary: fc.record({ id, result: value }) },
      { weight: 1, arbitrary: fc.record({ id, error: value }) },
      { weight: 1, arbitrary: value },
    ),
    { maxLength: 12 },
  );

function idOfRequest(message: unknown): string | number | undefined {
  const { id: of, method } = (message ?? {}) as { readonly id?: unknown; readonly method?: unknown };
  const isId = typeof of === "string" || Number.isSafeInteger(of);
  return typeof method === "string" && isId ? (of as string | number) : undefined;
}

interface Response {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

test.each([
  ["host", hostTable],
  ["view", viewTable],
] as const)("a %s answers each request, with random messages between them", async (_, table) => {
  const handlers = Object.fromEntries(
    [...table.incomingRequests.keys(), ...table.incomingNotifications.keys()].map((method) => [
      method,
      () => ({}),
    ]),
  );
  await fc.assert(
    fc.asyncProperty(messages(table), async (sent) => {
      const [near, far] = memoryChannels();
      const peer = openPeer(table as typeof hostTable, far, handlers, { onError: () => {} });
      const whole = sent.map((each) =>
        typeof each === "object" && each !== null && !Array.isArray(each)
          ? { jsonrpc: "2.0", ...each }
          : each,
      );
      const unanswered = new Set(["last", ...whole.map(idOfRequest).filter((of) => of !== undefined)]);
      const answered: Response[] = [];
      await new Promise<void>((resolve) => {
        near.open({
          message: (text) => {
            const response = JSON.parse(text) as Response;
            answered.push(response);
            unanswered.delete(response.id as string);
            if (unanswered.size === 0) resolve();
          },
          turn: () => {},
          tooLong: () => {},
          closed: () => {},
        });
        const end = { jsonrpc: "2.0", id: "last", method: "ping" };
        for (const each of [...whole, end]) near.send(JSON.stringify(each));
      });
      await peer.close();
      for (const { id: of, result, error } of answered) {
        expect([result, error].filter((each) => each !== undefined)).toHaveLength(1);
        if (of === undefined) expect(error).toMatchObject({ code: -32600 });
      }
      expect(answered.length).toBeLessThanOrEqual(whole.length + 1);
    }),
    { numRuns: cases(600, 60) },
  );
});
