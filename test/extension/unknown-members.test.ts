import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@mcpgen/engine";

interface Vector {
  readonly validator: string;
  readonly valid: boolean;
  readonly message: JsonObject;
}

/** The value with one member more in each object, except in maps of texts. */
function withUnknown(value: JsonValue, key = ""): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withUnknown(item));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, withUnknown(member, name)] as const);
  return Object.fromEntries([...members, ["--added-later", key === "variables" ? "1px" : {}]]);
}

const folder = "generated/extensions/io.modelcontextprotocol/ui";

test.each(["2025-06-18", "2025-11-25", "2026-07-28"])(
  "over %s, members that a later host or view adds are accepted in every message",
  async (base) => {
    const { vectors } = JSON.parse(readFileSync(`${folder}/${base}/vectors.json`, "utf8")) as {
      vectors: readonly Vector[];
    };
    const validators = (await import(
      new URL(`../../${folder}/${base}/validators.ts`, import.meta.url).href
    )) as Record<string, (value: unknown) => boolean>;
    const valid = vectors.filter((vector) => vector.valid);
    const refused = valid.filter(
      ({ validator, message }) => !validators[`accepts${validator}`]!(withUnknown(message)),
    );
    expect(refused.map(({ validator, message }) => [validator, withUnknown(message)])).toEqual([]);
    expect(valid.length).toBeGreaterThan(30);
  },
);

test("values that a later version may add are accepted, and not sent", async () => {
  const { acceptsMcpUiHostContext, isMcpUiHostContext } =
    await import("../../generated/extensions/io.modelcontextprotocol/ui/2025-11-25/validators.js");
  const context = {
    theme: "sepia",
    displayMode: "window",
    availableDisplayModes: ["inline", "window"],
    platform: "watch",
    styles: { variables: { "--color-text-primary": "black", "--color-of-tomorrow": "blue" } },
  };
  expect([acceptsMcpUiHostContext(context), isMcpUiHostContext(context)]).toEqual([true, false]);
  expect(isMcpUiHostContext({ styles: { variables: { "--color-text-primary": "black" } } })).toBe(true);
});
