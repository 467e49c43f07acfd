import { expect, test } from "vitest";
import type { GenerateRequest } from "../../generator/pipeline/generate.js";
import { seed } from "../support/cases.mjs";
import { generate, releasedSource } from "../support/generated-output.js";
import { revisions } from "../support/revisions.js";
import { compilerErrors } from "../support/typescript-compiler.js";
import { stored } from "./models.js";
import { randomCount, randomExtension } from "./random-extension.js";

const extensions = Array.from({ length: randomCount }, (_, number) => randomExtension(seed, number));

const all = revisions.map(releasedSource);
const more = (): Partial<GenerateRequest> => ({ extensions: extensions.map(stored) });

test(`${randomCount} random extensions compile under strict TypeScript`, async () => {
  const { files } = await generate(all, more());
  const code = new Map([...files].filter(([path]) => path.endsWith(".ts")));
  expect(await compilerErrors(code)).toEqual([]);
  for (const { id, bases } of extensions) {
    for (const base of bases) expect(files.has(`extensions/${id}/${base}/methods.ts`)).toBe(true);
  }
});
