import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { emitterNames, generateFiles } from "../../../../generator/pipeline/generate.js";
import { format } from "../../../../generator/print/format.js";
import { storedRevision } from "../../../../generator/revision/revision-source.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { bundled, loaded } from "../emitted-output.js";
import { Refusal, type Steps, carriedBy, isAccepted, listener, methodOf, sampleOf } from "./protocol.js";
import { revisions } from "../../../support/revisions.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const schemaDir = fileURLToPath(new URL("../../../../schema/", import.meta.url));
const stored = revisions.map((revision) => storedRevision(schemaDir, revision, "released", true));
const only = ["validators", "methods", "client", "server", "steps", "stepping", "model"];
const { files } = await generateFiles({ sources: stored, schemaDir, importExtension: "js", only });
const later = revisions.slice(1);

describe("steps of the released revisions", () => {
  it("have prettier's layout", async () => {
    for (const path of ["stepping.ts", ...later.map((revision) => `${revision}/steps.ts`)])
      expect(await format(path, files.get(path)!), path).toBe(files.get(path));
  });

  it("exist for every revision except the oldest, and the previous revision names them", () => {
    expect(files.has(`${revisions[0]}/steps.ts`)).toBe(false);
    for (const [index, revision] of later.entries()) {
      const before = files.get(`${revisions[index]}/client.ts`);
      expect(before).toContain(`import { clientSteps } from "../${revision}/steps.js";`);
      expect(before).toContain("steps: clientSteps,");
    }
  });

  it("of revisions that a program does not use are not in its bundle", async () => {
    const newest = await bundled(files, `export { revision } from "./${later.at(-1)}/server.js";`);
    expect(newest).not.toMatch(/serverSteps|stepTable/);
    const two = await bundled(
      files,
      `export { revision as one } from "./${later.at(-1)}/server.js";
       export { revision as other } from "./${later.at(-2)}/server.js";`,
    );
    expect(two.match(/\bserverSteps\d* = \{/g)).toHaveLength(1);
  });

  it("of one role have no code that only the other needs", async () => {
    const server = await bundled(files, `export { serverSteps } from "./2025-11-25/steps.js";`);
    expect(server).toContain("function liftCallToolRequestParams(");
    expect(server).not.toMatch(/clientSteps|function (liftTool|liftContentBlock|lowerElicitResult)\(/);
    const client = await bundled(files, `export { clientSteps } from "./2025-11-25/steps.js";`);
    expect(client).toContain("function liftTool(");
    expect(client).not.toMatch(/serverSteps|function (liftCallToolRequestParams|lowerCallToolResult)\(/);
  });

  it("are refused only with codes that notes name", () => {
    for (const revision of later)
      expect(files.get(`${revision}/steps.ts`)).not.toMatch(/"no-(older|newer)-form"/);
  });

  it("name a shared function after all its methods", () => {
    const steps = files.get("2025-11-25/steps.ts")!;
    for (const method of ["completion/complete", "resources/read", "prompts/get"])
      expect(steps).toContain(`"${method}": liftRequestParamsMeta,`);
    for (const method of ["notifications/message", "notifications/progress"])
      expect(steps).toContain(`"${method}": liftMeta,`);
    expect(steps).toContain('list(value, "prompts", liftIcons, report, at)');
    expect(steps).toContain('fitting(value, "icons", isIcons, report, at)');
    const all = later.map((revision) => files.get(`${revision}/steps.ts`)!).join("");
    expect(all).not.toMatch(/function (lift|lower)\d*\(/);
  });

  it("can be generated alone", async () => {
    const { files: alone } = await generateFiles({
      sources: stored.slice(0, 2),
      schemaDir,
      importExtension: "ts",
      only: ["steps"],
    });
    expect([...alone.keys()]).toEqual(["2025-03-26/steps.ts"]);
    expect(alone.get("2025-03-26/steps.ts")).toContain('from "../stepping.ts"');
    expect(emitterNames).toContain("stepping");
  });
});

describe("a revision without notes", () => {
  const newest = revisions.at(-1)!;
  const sources = revisions
    .slice(-2)
    .map((revision) => storedRevision(schemaDir, revision, "draft", revision !== newest));

  it("has steps that compile, and translate or refuse each message; refusals are reported", async () => {
    const generated = await generateFiles({
      sources,
      schemaDir,
      importExtension: "js",
      only: ["types", "validators", "model", "explain", "steps", "stepping"],
    });
    const reported = generated.assumptions.filter(
      ({ revision, kind }) => revision === newest && kind === "lower",
    );
    expect(reported.map(({ subject }) => subject)).toContain(
      "/$defs/CallToolResult/properties/structuredContent",
    );
    const { steps } = await loaded<{ steps: Steps }>(
      generated.files,
      `import { serverSteps } from "./${newest}/steps.js"; export const steps = serverSteps;`,
    );
    const [older, model] = generated.models.slice(-2);
    let refused = 0;
    for (const carried of carriedBy(model!).filter(
      ({ sender, part }) => sender === "client" && part === "result",
    )) {
      if (!methodOf(older!, carried)) continue;
      const random = randomFrom(carried.method);
      for (let made = 0; made < 30; made++) {
        const value = sampleOf(model!, carried, random);
        if (!value) continue;
        try {
          const lowered = steps.outgoingResults.get(carried.method)?.(value, listener()) ?? value;
          expect(isAccepted(older!, carried, lowered as never), JSON.stringify(lowered)).toBe(true);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(0);
    const needed = new RegExp(
      `^(model|stepping|shared-checks|issue|explain)\\.ts$|^${newest}/(steps|validators|types)\\.ts$|^${older!.revision}/(validators|types)\\.ts$`,
    );
    const own = [...generated.files].filter(([path]) => needed.test(path));
    expect(await compilerErrors(new Map(own))).toEqual([]);
  });
});
