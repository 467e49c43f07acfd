import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { format } from "../../../../generator/print/format.js";
import { typesOf, validatorsOf } from "./emitted.js";
import { isThorough } from "../../../support/cases.mjs";
import { publishedModel, releasedModel } from "../../../support/models.js";
import { revisions } from "../../../support/revisions.js";
import { sharedFolder } from "../../../support/temporary-folder.js";
import { checkedWhole, compilerErrors } from "../../../support/typescript-compiler.js";

const folder = sharedFolder();

/** The bundled and minified text of the exports of `entry` from the validators of a revision. */
function bundled(entry: string): string {
  const result = buildSync({
    stdin: { contents: entry, resolveDir: folder, loader: "ts" },
    bundle: true,
    format: "esm",
    write: false,
  });
  return result.outputFiles[0]!.text;
}

/** Formatting takes long: by default, of the newest revision alone. */
const formatted = isThorough ? revisions : revisions.slice(-1);

describe("validators of the released revisions", () => {
  for (const revision of formatted) {
    for (const notes of [true, ...(formatted === revisions ? [false] : [])]) {
      it(`${revision} ${notes ? "corrected" : "as published"}: prettier changes nothing`, async () => {
        const text = validatorsOf((await (notes ? releasedModel : publishedModel)(revision)).schema);
        expect(await format("validators.ts", text)).toBe(text);
      });
    }
  }

  it("compile under the strictest options", async () => {
    const shared = readFileSync("engine/emitted/shared-checks.ts", "utf8");
    const files = new Map([["shared-checks.ts", shared]]);
    for (const revision of revisions) {
      const { schema } = await releasedModel(revision);
      const text = checkedWhole(validatorsOf(schema))
        .replace("./types.js", `./types-${revision}.js`)
        .replace("../shared-checks.js", "./shared-checks.js");
      files.set(`validators-${revision}.ts`, text);
      files.set(`types-${revision}.ts`, typesOf(schema));
    }
    for (const [path, text] of files) writeFileSync(join(folder, path), text);
    expect([...files.values()].join()).not.toContain("@ts-nocheck");
    expect(await compilerErrors(files)).toEqual([]);
  });

  it("one validator brings only what it needs", () => {
    const text = bundled(`export { isProgressNotification } from "./validators-2025-11-25.ts";`);
    const functions = [...text.matchAll(/^function (\w+)/gm)].map(([, name]) => name);
    expect(functions.sort()).toEqual([
      "isObject",
      "isOptionalObject",
      "isOptionalString",
      "isProgressNotification",
      "isProgressNotificationParams",
      "isProgressToken",
    ]);
    expect(text).not.toMatch(/accepts|isStrings/);
  });

  it("an alias of an exact validator brings only that one", () => {
    const text = bundled(`export { acceptsProgressToken } from "./validators-2025-11-25.ts";`);
    expect([...text.matchAll(/^function (\w+)/gm)].map(([, name]) => name)).toEqual(["isProgressToken"]);
  });
});
