import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";

/**
 * Bundles a program that uses `names` of the client's entry. The modules that a client of the core has anyway are
 * external.
 */
const bundle = (names: string, splitting: boolean) =>
  build({
    stdin: {
      contents: `export { ${names} } from "./runtime/auth/client.js";`,
      resolveDir: ".",
      loader: "ts",
    },
    bundle: true,
    minify: true,
    splitting,
    format: "esm",
    target: "node20.19",
    outdir: "out",
    write: false,
    metafile: true,
    external: ["@mcpgen/base"],
  });

const compressed = (text: Uint8Array): number => gzipSync(text, { level: 9 }).length;

/** Bytes that are loaded with the program; the rest is loaded with the first token. */
async function startOf(names: string): Promise<number> {
  const { outputFiles, metafile } = await bundle(names, true);
  const { outputs } = metafile;
  const started = new Set<string>();
  const visit = (path: string): void => {
    if (started.has(path)) return;
    started.add(path);
    for (const { path: next, kind, external } of outputs[path]!.imports)
      if (kind === "import-statement" && !external) visit(next);
  };
  visit(Object.keys(outputs).find((path) => outputs[path]!.entryPoint === "<stdin>")!);
  return outputFiles
    .filter(({ path }) => [...started].some((each) => path.endsWith(each)))
    .reduce((sum, { contents }) => sum + compressed(contents), 0);
}

/** Bytes of a program in one file, with the client of the core. */
async function wholeOf(names: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { connect } from "@mcpgen/runtime";
${names && `import { ${names} } from "@mcpgen/auth/client";`}
globalThis.used = [connect, ${names}];`,
      resolveDir: ".",
      loader: "ts",
    },
    ...{ bundle: true, minify: true, write: false, format: "esm", platform: "node", target: "node20.19" },
    ...{ conditions: ["mcpgen-source"], legalComments: "none" },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return compressed(outputFiles[0]!.contents);
}

// Raise these limits only to fix a fault.
test.each([
  ["oauth", 4310, 18_770],
  ["oauth, clientCredentials, workloadIdentity, enterprise", 4740, 19_950],
])("%s adds to a client of the core %i bytes at the start, and %i in one file", async (names, start, all) => {
  expect(await startOf(names)).toBeLessThanOrEqual(start);
  expect((await wholeOf(names)) - (await wholeOf(""))).toBeLessThanOrEqual(all);
});

test("the core contains no code for authorization", async () => {
  const { outputFiles } = await build({
    stdin: { contents: 'export * from "./runtime/core/index.js";', resolveDir: ".", loader: "ts" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    conditions: ["mcpgen-source"],
    write: false,
  });
  expect(outputFiles[0]!.text).not.toMatch(/oauth|code_challenge/);
});
