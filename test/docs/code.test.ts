import { expect, test } from "vitest";
import { compilerOutput, projectConfig } from "../support/typescript-compiler.js";
import { blocksOf, documentsIn } from "./documents.js";

const documents = ["README.md", ...documentsIn("docs"), ...documentsIn("docs/tasks")];

test("code blocks of the documentation that import the runtime compile", async () => {
  const blocks = documents.flatMap((document) =>
    blocksOf(document, "ts")
      .filter((code) => code.includes('"@mcpgen/runtime'))
      .map((code, index) => [`${document.replaceAll("/", "-")}-${index}.ts`, code] as const),
  );
  expect(blocks.length).toBeGreaterThanOrEqual(25);
  const errors = (await compilerOutput(new Map(blocks), projectConfig))
    .split("\n")
    .filter((line) => line.includes("error TS"));
  // Our packages are taken from source, and type-checked by themselves.
  expect(errors.filter((line) => !/^(runtime|generated)\//.test(line))).toEqual([]);
});
