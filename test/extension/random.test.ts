import { expect, test } from "vitest";
import { extensionOver } from "../../generator/extension/load-extension.js";
import { releasedModel } from "../support/models.js";
import { sourceOf } from "./models.js";
import { randomExtension } from "./random-extension.js";

const seed = process.env["MCPGEN_SEED"] ?? "1";

test("random extensions have models over each of their bases", async () => {
  for (let number = 0; number < 12; number++) {
    const one = randomExtension(seed, number);
    const source = await sourceOf(one);
    for (const base of one.bases) {
      const { methods } = await extensionOver(source, await releasedModel(base));
      const requests = methods.filter(({ kind }) => kind === "request");
      expect(requests.map(({ name }) => name)).toEqual([...one.requests.keys()].sort());
      for (const { name, senders, page } of requests)
        expect([senders, page !== undefined]).toEqual([
          [one.requests.get(name)!.sender],
          one.requests.get(name)!.paged,
        ]);
    }
  }
});

test("the same seed gives the same extension, and another seed another one", () => {
  const one = randomExtension(seed, 0);
  expect(randomExtension(seed, 0)).toEqual(one);
  expect(randomExtension(`${seed}?`, 0)).not.toEqual(one);
});

test("random extensions have all that extensions may have", () => {
  const many = Array.from({ length: 60 }, (_, number) => randomExtension(seed, number));
  const kinds = new Set(many.flatMap(({ notes = [] }) => notes.map(({ kind }) => kind)));
  const expected =
    "augments capability cacheable carries error extends member requires sender subscription".split(" ");
  expect([...kinds].sort()).toEqual(expected.sort());
  const requests = many.flatMap((one) => [...one.requests.values()]);
  expect(new Set(requests.map(({ sender }) => sender)).size).toBe(2);
  expect(requests.some(({ paged }) => paged)).toBe(true);
  expect(many.some(({ bases }) => bases.length > 1)).toBe(true);
});
