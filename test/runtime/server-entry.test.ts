import { build } from "esbuild";
import { expect, test } from "vitest";

test("the entry of servers does not load code of clients, and has no imports on demand", async () => {
  const { metafile } = await build({
    entryPoints: ["runtime/core/server.ts"],
    ...{ bundle: true, write: false, metafile: true, platform: "node", format: "esm" },
    ...{ conditions: ["mcpgen-source"], logLevel: "error" },
  });
  const files = Object.keys(metafile.inputs);
  expect(files).toContain("runtime/core/server/create-server.ts");
  expect(
    files.filter((file) => /^runtime\/core\/(client|connect|http|stdio|legacy\/(client|http))\//.test(file)),
  ).toEqual([]);
  const imports = Object.values(metafile.inputs).flatMap((file) => file.imports);
  expect(imports.filter(({ kind }) => kind === "dynamic-import")).toEqual([]);
});
