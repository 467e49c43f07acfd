import { expect, test } from "vitest";
import { heard } from "../../../support/heard.mjs";
import { connected } from "../../../support/scripted-http-server.js";

test.each(["2026-07-28", "2025-11-25"])(
  "a tool with a very deep schema is harmless (%s)",
  async (revision) => {
    const levels = 20_000;
    const deep = `{"name":"deep","inputSchema":{"type":"object","a":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}}`;
    const plain = { name: "plain", inputSchema: { type: "object" } };
    const warnings: string[] = [];
    const { client } = await connected(
      revision,
      {
        "tools/list": (incoming, server) => {
          const answer = JSON.stringify(incoming.answer(server.result({ tools: ["deep", plain] })));
          incoming.status(200, answer.replace('"deep"', deep), { "content-type": "application/json" });
        },
      },
      { onEvent: heard({ warning: (warning) => void warnings.push(warning) }) },
    );
    const { items, rejected } = await client.listTools();
    const usable = items.map(({ name }) => name);
    if (revision < "2026") return expect(usable).toEqual(["deep", "plain"]);
    expect(usable).toEqual(["plain"]);
    expect(rejected).toEqual([expect.objectContaining({ name: "deep" })]);
    expect(warnings).toEqual([
      expect.stringContaining("deep is left out: the schema is nested deeper than 512"),
    ]);
  },
);
