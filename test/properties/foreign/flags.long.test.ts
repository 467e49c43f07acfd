import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cases, isThorough } from "../../support/cases.mjs";
import { compilerOutputs } from "../../support/typescript-compiler.js";
import { type Outcome, contractOutput, protocolOutput, randomProtocol, randomTool } from "./output.js";

// Generated code compiles under the settings that projects use, one by one and all together, and under the versions of
// TypeScript that they use.

const flags = [
  ...["exactOptionalPropertyTypes", "noUncheckedIndexedAccess", "noUnusedLocals"],
  ...["verbatimModuleSyntax", "isolatedModules"],
] as const;

const resolutions = {
  node16: { module: "node16", moduleResolution: "node16" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
} as const;

type Resolution = keyof typeof resolutions;

/** Plain `strict`, each flag beside it, and all of them; each with one way to resolve modules. */
const settings: readonly (readonly [names: readonly string[], resolution: Resolution])[] = [
  [[], "node16"],
  [[], "bundler"],
  ...flags.map((flag, index) => [[flag], (["node16", "nodenext", "bundler"] as const)[index % 3]!] as const),
  [flags, "nodenext"],
  [flags, "bundler"],
];

/** What old compilers are asked: the ends of the list. */
const ends = settings.filter(([names]) => names.length !== 1);

const versions = Object.keys(
  (JSON.parse(readFileSync("test/flags/package.json", "utf8")) as { dependencies: object }).dependencies,
);

function configOf([names, resolution]: (typeof settings)[number]): object {
  return {
    compilerOptions: {
      ...{
        target: "es2022",
        lib: ["es2022"],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: ["node"],
      },
      ...resolutions[resolution],
      ...Object.fromEntries(names.map((name) => [name, true])),
    },
    include: ["**/*.ts"],
  };
}

/** The errors of each setting that has some. */
async function errorsOf(
  files: ReadonlyMap<string, string>,
  asked: readonly (typeof settings)[number][],
  compiler?: string,
): Promise<{ readonly [setting: string]: readonly string[] }> {
  const runs = asked.map((setting) => ({
    config: configOf(setting),
    ...(compiler !== undefined && { compiler }),
  }));
  const outputs = await compilerOutputs(files, runs);
  return Object.fromEntries(
    outputs.flatMap((text, index) => {
      const errors = text.split("\n").filter((line) => line.includes("error TS"));
      return errors.length === 0 ? [] : [[JSON.stringify(asked[index]), errors.slice(0, 10)] as const];
    }),
  );
}

/** The output that is shipped, and that of a contract. */
function shippedFiles(): ReadonlyMap<string, string> {
  const isSource = (path: string): boolean =>
    path.endsWith(".ts") && !/(^|\/)(dist|node_modules)\//.test(path);
  const below = (folder: string, as: string): [string, string][] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter(isSource)
      .map((path) => [`${as}/${path}`, readFileSync(join(folder, path), "utf8")]);
  return new Map([...below("generated", "shipped"), ...below("test/golden/contract/weather", "contract")]);
}

const count = cases(500, 10);

/** Output of random schemas, half of them of protocols and half of tools. */
async function randomFiles(): Promise<ReadonlyMap<string, string>> {
  const outcomes: Outcome[] = [];
  for (let index = 0; index < count / 2; index++)
    outcomes.push(await protocolOutput(`R${index}`, randomProtocol(index)));
  const tools = Array.from({ length: Math.ceil(count / 2) }, (_, index) => randomTool(index));
  outcomes.push(await contractOutput("C", tools));
  expect(outcomes.flatMap(({ crash = [], refusal = [] }) => [crash, refusal].flat())).toEqual([]);
  return new Map(outcomes.flatMap(({ files }) => [...files]));
}

const isInstalled = (version: string): boolean => existsSync(join("test/flags/node_modules", version));

describe.each([
  ["the shipped output", async () => shippedFiles()],
  [`the output of ${count} random schemas`, randomFiles],
] as const)("%s", { timeout: 3_600_000 }, (_, filesOf) => {
  test("compiles under each of the usual settings", async () => {
    expect(await errorsOf(await filesOf(), settings)).toEqual({});
  });

  // The nightly installs the versions, and fails without them.
  test.each(versions.filter((version) => isThorough || isInstalled(version)))(
    "compiles by %s under the loosest and the strictest settings",
    async (version) => {
      expect(await errorsOf(await filesOf(), ends, join("test/flags/node_modules", version))).toEqual({});
    },
  );
});
