// A contract accepts the same URI templates as the runtime: for servers only those that can be matched, for clients
// all.
import { variablesIn } from "@mcpgen/engine/uri-template";
import { UriTemplate } from "@mcpgen/runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readContract } from "../../generator/contract/read-contract.js";
import { templateExpressions, templateParts } from "../../generator/contract/emit/uri-template.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { cases } from "../support/cases.mjs";

/** Documents that are drawn. */
const runs = cases(3000);

/** The result of a function, or `undefined` if it throws. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

const name = fc.constantFrom("a", "b", "c", "d.e", "%41", "f_1", "", "g-h", ".i", "%4");
const variable = fc
  .tuple(name, fc.constantFrom("", "", "", "*", ":3", ":0", ":10000", "**"))
  .map(([text, modifier]) => text + modifier);
const expression = fc
  .tuple(
    fc.constantFrom("", "", "+", "#", ".", "/", ";", "?", "&", "!", "=", "|"),
    fc.array(variable, { minLength: 1, maxLength: 3 }),
  )
  .map(([operator, variables]) => `{${operator}${variables.join(",")}}`);
const literal = fc.constantFrom("x://", "-", "/", "", "", "a", "}", "{", "é");
const template = fc
  .array(fc.oneof(expression, expression, literal), { maxLength: 5 })
  .map((parts) => parts.join(""));

test("the compiler and the runtime read the same templates, and match the same", () => {
  let readable = 0;
  let matchable = 0;
  fc.assert(
    fc.property(template, (text) => {
      const theirs = attempt(() => new UriTemplate(text));
      const ours = attempt(() => templateExpressions(text, {}));
      expect(ours === undefined).toBe(theirs === undefined);
      const parts = attempt(() => templateParts(text, {}));
      if (!theirs || !ours) {
        expect(parts).toBeUndefined();
        return;
      }
      readable++;
      expect(variablesIn(ours)).toEqual(theirs.variables);
      const matched = attempt(() => [theirs.match("")]);
      expect(parts === undefined).toBe(matched === undefined);
      if (matched) matchable++;
    }),
    { numRuns: runs },
  );
  // The test is only useful if enough of the random templates are valid.
  expect(readable).toBeGreaterThan(runs / 10);
  expect(matchable).toBeGreaterThan(runs / 20);
});

test("types, table and routing of templates of every level", async () => {
  const uriTemplate = "x://{a,b}{/c*}{;d}{?e,f*}";
  const text = JSON.stringify({ name: "n", version: "1", resourceTemplates: [{ name: "t", uriTemplate }] });
  const document = await readContract(text, "c.json");
  const { files } = await generateContract({ document, role: "server", importExtension: "js" });
  const members = files.get("types.ts")!.match(/readonly \w+\??: [^;]+;/g);
  expect(members).toEqual([
    "readonly a: string;",
    "readonly b: string;",
    "readonly c?: readonly string[];",
    "readonly d?: string;",
    "readonly e?: string;",
    "readonly f?: readonly string[];",
  ]);
  const routing = files.get("routing.ts")!.replace(/\s+/g, " ");
  expect(routing).toContain('{ "name": "b", "operator": "," }');
  expect(routing).toContain('{ "name": "c", "operator": "/", "exploded": true }');
  expect(routing).toContain('{ "name": "f", "operator": "&", "exploded": true }');
  const client = await generateContract({ document, role: "client", importExtension: "js" });
  expect(client.files.get("client.ts")).toContain(JSON.stringify(uriTemplate));
});
