import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { exportedName } from "../../generator/targets/typescript/extension/roles.js";
import { readStoredExtension, storedExtensions } from "../../generator/extension/extension-store.js";
import { revisions } from "../support/revisions.js";

const roles = ["client", "server"] as const;
type Role = (typeof roles)[number];

/** A module, as one minified file for production: its bytes with gzip, and the files that it is made of. */
async function bundled(lines: readonly string[]): Promise<{ bytes: number; files: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: lines.join("\n"), resolveDir: process.cwd() },
    ...{ bundle: true, minify: true, write: false, platform: "node", format: "esm", legalComments: "none" },
    ...{ conditions: ["mcpgen-source"], define: { "process.env.NODE_ENV": '"production"' } },
    ...{ metafile: true, logLevel: "error" },
  });
  const [output] = Object.values(metafile.outputs);
  const used = Object.entries(output!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { bytes: gzipSync(outputFiles[0]!.text).length, files: used.map(([path]) => path) };
}

/** The tables of revisions, as a program of that role has them. */
function tables(role: Role, ids: readonly string[]): string[] {
  return ids.flatMap((id, index) => [
    `import { revision as r${index} } from "@mcpgen/protocol/${id}/${role}";`,
    `console.log(r${index});`,
  ]);
}

/** The code that merges tables, which every extension of a program shares. */
const merging = (role: Role): string[] => [
  `import { ${role}Extension } from "./generated/extending.ts";`,
  `console.log(${role}Extension);`,
];

const cases = storedExtensions("schema").flatMap((stored) =>
  roles.map((role) => [stored.id, role, stored] as const),
);

test.each(cases)("the tables of %s add at most 1,500 bytes to those of a %s", async (id, role, stored) => {
  // Code in the files of a base belongs to the revision.
  const { bases } = (await readStoredExtension(stored, revisions)).about;
  const before = [...tables(role, bases), ...merging(role)];
  const extension = [
    `import { ${exportedName(id)} as extension } from "@mcpgen/protocol/extensions/${id}/${role}";`,
    "console.log(extension);",
  ];
  const [without, having] = await Promise.all([bundled(before), bundled([...before, ...extension])]);
  expect(having.files.some((path) => path.includes(`extensions/${id}/`))).toBe(true);
  expect(having.bytes - without.bytes).toBeGreaterThan(200);
  expect(having.bytes - without.bytes).toBeLessThanOrEqual(1500);
});

test.each([
  [
    "server",
    [
      'import { createServer } from "@mcpgen/runtime";',
      'import { serveStdio } from "@mcpgen/runtime/stdio";',
      'import { serveHttp } from "@mcpgen/runtime/http";',
      "const server = createServer({ name: 'a', version: '1' }, { revisions: [r0, r1] });",
      "serveStdio(server); serveHttp(server);",
    ],
  ],
  ["client", ['import { connect } from "@mcpgen/runtime";', "connect('a', { revisions: [r0, r1] });"]],
] as const)("a program without extensions has no code of them: %s", async (role, program) => {
  const { files } = await bundled([...program, ...tables(role, revisions.slice(-2))]);
  expect(files.some((path) => path.startsWith("runtime/core/"))).toBe(true);
  expect(files.filter((path) => path.startsWith("generated/exten"))).toEqual([]);
});
