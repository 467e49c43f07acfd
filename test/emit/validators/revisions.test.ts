import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { format } from "../../../generator/print/format.js";
import { typesOf, validatorsOf } from "./emitted.js";
import { publishedModel, releasedModel } from "../../support/models.js";
import { revisions } from "../../support/revisions.js";

const folder = mkdtempSync(join(tmpdir(), "validators-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const strictest = {
  target: "ES2022",
  lib: ["ES2022"],
  module: "NodeNext",
  moduleResolution: "NodeNext",
  types: [],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitReturns: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noFallthroughCasesInSwitch: true,
  allowUnreachableCode: false,
  skipLibCheck: false,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
};

/** Source text bundled and minified, of what `entry` exports from the validators of a revision. */
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
const formatted = process.env["MCPGEN_LONG"] === "1" ? revisions : revisions.slice(-1);

describe("validators of the released revisions", { timeout: 120_000 }, () => {
  for (const revision of formatted) {
    for (const notes of [true, ...(formatted === revisions ? [false] : [])]) {
      it(`${revision} ${notes ? "corrected" : "as published"}: prettier changes nothing`, async () => {
        const text = validatorsOf((await (notes ? releasedModel : publishedModel)(revision)).schema);
        expect(await format("validators.ts", text)).toBe(text);
      });
    }
  }

  it("compile under the strictest options", async () => {
    for (const revision of revisions) {
      const { schema } = await releasedModel(revision);
      const text = validatorsOf(schema).replace("./types.js", `./types-${revision}.js`);
      writeFileSync(join(folder, `validators-${revision}.ts`), text);
      writeFileSync(join(folder, `types-${revision}.ts`), typesOf(schema));
    }
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: strictest, include: ["*.ts"] }),
    );
    const compiler = join("node_modules", "typescript", "bin", "tsc");
    const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  it("one validator brings only what it needs", () => {
    const text = bundled(`export { isProgressNotification } from "./validators-2025-11-25.ts";`);
    const functions = [...text.matchAll(/^function (\w+)/gm)].map(([, name]) => name);
    expect(functions.sort()).toEqual([
      "isObject",
      "isProgressNotification",
      "isProgressNotificationParams",
      "isProgressToken",
    ]);
    expect(text).not.toMatch(/accepts|isStrings/);
  });

  it("an alias of an exact validator brings that one alone", () => {
    const text = bundled(`export { acceptsProgressToken } from "./validators-2025-11-25.ts";`);
    expect([...text.matchAll(/^function (\w+)/gm)].map(([, name]) => name)).toEqual(["isProgressToken"]);
  });
});
