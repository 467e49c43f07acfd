import { gzipSync } from "node:zlib";
import { type Plugin, build } from "esbuild";
import { expect, test } from "vitest";

// The size that each half of the package adds at the start to a program with the runtime and the tables of the
// protocol. Code that servers seldom need, and code for the first task, is loaded on demand.

/** Leaves out the modules that are loaded on demand. */
const onDemand: Plugin = {
  name: "on-demand",
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    ),
};

test.each([
  ["server", "index", 6000],
  ["client", "client", 3000],
] as const)("the half of a %s (%s.ts) has at most %i bytes min+gzip", async (_, entry, most) => {
  const { outputFiles } = await build({
    entryPoints: [`runtime/tasks/${entry}.ts`],
    ...{ bundle: true, minify: true, write: false, platform: "neutral", format: "esm" },
    ...{ conditions: ["mcpgen-source"], legalComments: "none", logLevel: "error" },
    external: ["base", "runtime", "protocol"].flatMap((name) => [`@mcpgen/${name}`, `@mcpgen/${name}/*`]),
    plugins: [onDemand],
  });
  expect(outputFiles).toHaveLength(1);
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThanOrEqual(most);
});
