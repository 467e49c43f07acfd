import { describe, expect, test, vi } from "vitest";
import { paramHeadersOf } from "../../runtime/core/protocol/param-headers.js";
import { messagesProblem } from "../../runtime/core/protocol/input-requests.js";
import { Listing } from "../../runtime/core/server/listing.js";
import type { HandlerContext } from "../../runtime/core/server/context.js";
import { openState } from "../../runtime/core/server/rounds.js";
import { systemClock } from "../../runtime/base/time/clock.js";
import { searchedIn } from "./work.js";

/** A tool schema with so many declarations of headers. */
function declaring(count: number): object {
  const names = Array.from({ length: count }, (_, index) => `p${index}`);
  const properties = names.map((name) => [name, { type: "string", "x-mcp-header": name }] as const);
  return { type: "object", properties: Object.fromEntries(properties) };
}

describe("declarations of headers", () => {
  test("at most 256 are accepted", () => {
    expect(paramHeadersOf(declaring(256))).toMatchObject({ problem: undefined, headers: { length: 256 } });
    expect(paramHeadersOf(declaring(257)).problem).toBe("more than 256 parameters have x-mcp-header");
  });

  test("24,000 are refused without a search among them", () => {
    const schema = declaring(24_000);
    expect(searchedIn(() => paramHeadersOf(schema))).toBeLessThan(1000);
  });

  test("a schema is read once", () => {
    const schema = declaring(3);
    expect(paramHeadersOf(schema)).toBe(paramHeadersOf(schema));
  });

  test.each([
    ["a name", { properties: { a: { type: "string", "x-mcp-header": "x".repeat(4_000_000) } } }],
    ["a list", { properties: { a: { type: "string", "x-mcp-header": ["x".repeat(4_000_000)] } } }],
    ["a parameter", { properties: { ["x".repeat(4_000_000)]: { type: "array", "x-mcp-header": "A" } } }],
    ["a type", { properties: { a: { type: "x".repeat(4_000_000), "x-mcp-header": "A" } } }],
  ])("of %s of 4 MB the problem shows 100 characters", (_, schema) => {
    expect(paramHeadersOf(schema).problem!.length).toBeLessThan(300);
  });
});

/** A conversation in which a model uses so many tools at once. */
function conversation(uses: number): object[] {
  const ids = Array.from({ length: uses }, (_, index) => `call ${index}`);
  return [
    { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "t", input: {} })) },
    { role: "user", content: ids.map((toolUseId) => ({ type: "tool_result", toolUseId, content: [] })) },
  ];
}

test("tool uses in sampling are compared in linear time", () => {
  const [few, many] = [conversation(500), conversation(4000)];
  expect(messagesProblem(many)).toBeUndefined();
  const searched = searchedIn(() => messagesProblem(few));
  expect(searchedIn(() => messagesProblem(many))).toBeLessThanOrEqual(8 * searched + 100);
});

describe("a cursor", () => {
  const context = {} as HandlerContext;
  const listing = new Listing("tools", { pageSize: 10 });
  for (let index = 0; index < 5000; index++)
    listing.entries.set(`tool ${index}`, { definition: { name: `tool ${index}` }, enabled: true });
  listing.changed();
  const encode = (name: string): string => btoa(JSON.stringify(["tools", name])).replaceAll("=", "");

  test.each([
    ["garbage", "garbage"],
    ["the name of no entry", encode("tool 5000")],
    ["padding", `${encode("tool 17")}=`],
    ["4 MB", "x".repeat(4_000_000)],
  ])("of %s is refused with the cursors that the first request computed", (_, cursor) => {
    const refuse = (): void => expect(() => listing.page(cursor, context)).toThrow(/there is no such page/);
    refuse();
    const encoding = vi.spyOn(TextEncoder.prototype, "encode");
    try {
      for (let times = 0; times < 3; times++) refuse();
      expect(encoding).not.toHaveBeenCalled();
    } finally {
      encoding.mockRestore();
    }
  });

  test("after any entry returns its page; pages outside of a normal walk are not cached", () => {
    const page = (cursor: string): object => listing.page(cursor, context);
    expect(page(encode("tool 16"))).toMatchObject({ value: { tools: { 0: { name: "tool 17" } } } });
    expect(page(encode("tool 16"))).not.toBe(page(encode("tool 16")));
    expect(page(encode("tool 19"))).toBe(page(encode("tool 19")));
  });

  test("may be as long as a name requires", () => {
    const long = new Listing("tools", { pageSize: 1 });
    for (const name of ["\u0001ü🌍".repeat(20_000), "b"])
      long.entries.set(name, { definition: { name }, enabled: true });
    long.changed();
    const { nextCursor } = long.page(undefined, context).value as { nextCursor: string };
    expect(long.page(nextCursor, context).value).toEqual({ tools: [{ name: "b" }] });
  });
});

test("requestState above its limit is refused before it is decoded", async () => {
  const open = vi.fn();
  const seal = {
    onRandomKey: undefined,
    instance: "",
    open,
    close: () => Promise.resolve(""),
    holderOf: () => undefined,
  };
  const params = { requestState: "x".repeat(3_900_000) };
  const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as const;
  const limits = { sharesState: false, stateLimit: 2_097_152 };
  const definition = { seal, ...limits, states: undefined, clock: systemClock };
  await expect(openState({ request, connection: { principal: "", definition } })).rejects.toMatchObject({
    code: "state-rejected",
    message: "requestState is refused: it has more than 2097152 bytes",
  });
  expect(open).not.toHaveBeenCalled();
});
