import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cases, isThorough } from "../../support/cases.mjs";
import { mcpgen } from "../../support/in-process.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { checkedWhole, compilerOutputs } from "../../support/typescript-compiler.js";
import { type Outcome, contractOutput, protocolOutput, randomProtocol, randomTool } from "./output.js";

// Generated code compiles under the settings that projects use, one by one and all together, and under the versions of
// TypeScript that they use.

/** Settings beside `strict`, with the version of TypeScript that brought them, where that is not the oldest one here. */
const flags: readonly (readonly [name: string, since?: number])[] = [
  ["exactOptionalPropertyTypes"],
  ["noUncheckedIndexedAccess"],
  ["noUnusedLocals"],
  ["noUnusedParameters"],
  ["verbatimModuleSyntax"],
  ["isolatedModules"],
  ["noPropertyAccessFromIndexSignature"],
  ["noImplicitReturns"],
  ["noImplicitOverride"],
  ["noFallthroughCasesInSwitch"],
  ["erasableSyntaxOnly", 5.8],
];

const resolutions = {
  node16: { module: "node16", moduleResolution: "node16" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
} as const;

const resolution = Object.keys(resolutions) as (keyof typeof resolutions)[];

/** Settings of one run of a compiler. */
interface Setting {
  readonly flags: typeof flags;
  readonly resolution: keyof typeof resolutions;
}

/** Plain `strict`, and all flags, with each way to resolve modules; each flag alone, with one. */
const settings: readonly Setting[] = [
  ...resolution.flatMap((each) => [
    { flags: [], resolution: each },
    { flags, resolution: each },
  ]),
  ...flags.map((flag, index) => ({ flags: [flag], resolution: resolution[index % 3]! })),
];

const packages = Object.keys(
  (JSON.parse(readFileSync("test/flags/package.json", "utf8")) as { dependencies: object }).dependencies,
);

function configOf(setting: Setting, version = Infinity): object {
  const names = setting.flags.filter(([, since = 0]) => since <= version);
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
      ...resolutions[setting.resolution],
      ...Object.fromEntries(names.map(([name]) => [name, true])),
    },
    include: ["**/*.ts"],
  };
}

/** The errors of each setting that has some. */
async function errorsOf(
  files: ReadonlyMap<string, string>,
  asked: readonly Setting[],
  name?: string,
): Promise<{ readonly [setting: string]: readonly string[] }> {
  const compiler = name === undefined ? {} : { compiler: join("test/flags/node_modules", name) };
  const version = name === undefined ? Infinity : Number(name.split("-")[1]);
  const runs = asked.map((setting) => ({ config: configOf(setting, version), ...compiler }));
  const outputs = await compilerOutputs(files, runs);
  return Object.fromEntries(
    outputs.flatMap((text, index) => {
      const errors = text.split("\n").filter((line) => line.includes("error TS"));
      return errors.length === 0 ? [] : [[JSON.stringify(asked[index]), errors.slice(0, 10)] as const];
    }),
  );
}

/** The modules of a folder, by paths that begin with `as`. */
function modulesIn(folder: string, as: string): [string, string][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/(^|\/)(dist|node_modules)\//.test(path))
    .map((path) => [`${as}/${path}`, readFileSync(join(folder, path), "utf8")]);
}

/** The output that is shipped, and that of a contract: whole, as their schemas are known. */
const outputFiles = (): [string, string][] =>
  [...modulesIn("generated", "shipped"), ...modulesIn("test/golden/contract/weather", "contract")].map(
    ([path, text]) => [path, checkedWhole(text)],
  );

/** These, and projects that `init` makes. */
async function shippedFiles(): Promise<ReadonlyMap<string, string>> {
  const folder = temporaryFolder();
  const made = [
    ["server", "of-server"],
    ["client", "of-client", "--server", `stdio:node ${join(process.cwd(), "dist/examples/echo/main.js")}`],
  ];
  for (const words of made) expect((await mcpgen(folder, ["init", ...words])).code).toBe(0);
  return new Map([...outputFiles(), ...modulesIn(folder, "init")]);
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

/** Made once for all compilers. */
function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => (made ??= make());
}

const isInstalled = (name: string): boolean => existsSync(join("test/flags/node_modules", name));

describe.each([
  ["the shipped output", once(shippedFiles), settings],
  [`the output of ${count} random schemas`, once(randomFiles), settings.slice(0, 6)],
] as const)("%s", { timeout: 3_600_000 }, (_, filesOf, asked) => {
  test("compiles under each of the usual settings", async () => {
    expect(await errorsOf(await filesOf(), asked)).toEqual({});
  });

  // The nightly installs the versions, and fails without them.
  test.each(packages.filter((name) => isThorough || isInstalled(name)))(
    "compiles by %s under the loosest or the strictest settings",
    async (name) => {
      // Old compilers are slow: one of the ways to resolve modules each, and for random schemas one of the ends.
      const at = packages.indexOf(name);
      const ends: readonly Setting[] = [
        { flags: [], resolution: resolution[at % 3]! },
        { flags, resolution: resolution[(at + 1) % 3]! },
      ];
      const chosen = asked === settings ? ends : [ends[at % 2]!];
      expect(await errorsOf(await filesOf(), chosen, name)).toEqual({});
    },
  );
});

test("in a project of CommonJS, output compiles as CommonJS", async () => {
  const files = new Map([...outputFiles(), ["package.json", JSON.stringify({ type: "commonjs" })]]);
  // It takes no syntax of modules as it stands (MG6009).
  const others = flags.filter(([name]) => name !== "verbatimModuleSyntax");
  const asked = [[], others].map((each) => ({ flags: each, resolution: "nodenext" as const }));
  expect(await errorsOf(files, asked)).toEqual({});
});

test("in a project of CommonJS, output compiles beside a package.json that makes modules of it", async () => {
  const manifests = [
    ["", "commonjs"],
    ["shipped/", "module"],
    ["contract/", "module"],
  ] as const;
  const files = new Map([
    ...outputFiles(),
    ...manifests.map(([folder, type]) => [`${folder}package.json`, JSON.stringify({ type })] as const),
  ]);
  expect(await errorsOf(files, [{ flags, resolution: "nodenext" }])).toEqual({});
});
