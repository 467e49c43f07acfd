import { expect, test } from "vitest";
import { extensionOver } from "../../generator/extension/load-extension.js";
import { loadExtensions } from "../../generator/pipeline/extensions.js";
import { randomFrom } from "../../generator/sample/values.js";
import { seed } from "../support/cases.mjs";
import { failureOf } from "../support/failure-of.js";
import { revisions } from "../support/revisions.js";
import { releasedModel } from "../support/models.js";
import { sourceOf, stored } from "./models.js";
import { randomExtension } from "./random-extension.js";

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

test("malformed ids are refused with their place", async () => {
  const random = randomFrom(`${seed}: ids`);
  const breaks: readonly ((id: string) => string)[] = [
    (id) => id.replace("/", ""),
    (id) => id.replace("/", "//"),
    (id) => `${id}/more`,
    (id) => `1${id}`,
    (id) => id.replace("/", "-/"),
    (id) => `${id}-`,
    (id) => id.replace("/", "/_"),
    (id) => id.replace("example", "mcp"),
    (id) => id.replace(".", ".."),
    (id) => id.replace("e", "é"),
    () => "com.example/con",
    (id) => ` ${id}`,
    () => "",
  ];
  for (let number = 0; number < 50; number++) {
    const one = randomExtension(seed, number);
    const id = random.pick(breaks)(one.id);
    expect([id, await failureOf(sourceOf({ ...one, id }))]).toMatchObject([
      id,
      { code: "MG1301", place: { file: "extension.json", pointer: "/id" } },
    ]);
  }
});

test("two owners of an addition of a random extension are refused, with both names and a place", async () => {
  const models = await Promise.all(revisions.map(releasedModel));
  for (let number = 0; number < 12; number++) {
    const one = randomExtension(seed, number);
    const twice = [one, { ...one, id: "com.example/other" }].map(stored);
    expect(await failureOf(loadExtensions(twice, models, revisions))).toMatchObject({
      code: "MG1304",
      message: expect.stringMatching(
        new RegExp(
          `has two owners on ${one.bases[0]!}: the extension com.example/other .* and the extension ${one.id}$`,
        ),
      ) as string,
      place: { file: expect.stringMatching(/schema\.json$/) as string },
    });
  }
});

test("the same seed gives the same extension, and another seed another one", () => {
  const one = randomExtension(seed, 0);
  expect(randomExtension(seed, 0)).toEqual(one);
  expect(randomExtension(`${seed}?`, 0)).not.toEqual(one);
});

test("random extensions use every feature of extensions", () => {
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
