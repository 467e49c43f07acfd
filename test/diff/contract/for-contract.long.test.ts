import { expect, test } from "vitest";
import type { Contract } from "../../../generator/contract/contract.js";
import { relevantTo } from "../../../generator/diff/contract/for-contract.js";
import { diffModels } from "../../../generator/diff/diff-models.js";
import { mcpgen } from "../../support/in-process.js";
import { releasedModel } from "../../support/models.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { revisions } from "../../support/revisions.js";

const models = [await releasedModel(revisions.at(-2)!), await releasedModel(revisions.at(-1)!)] as const;
const all = diffModels(...models);

/** Methods whose differences can affect the server of a contract. */
function met(contract: Partial<Contract>): Set<string> {
  return new Set(
    relevantTo(all, models, { name: "x", version: "1", ...contract }).flatMap(({ methods }) => methods),
  );
}

const tools = [{ name: "a", inputSchema: { type: "object" } }];

test("a server with only tools gets no findings about prompts and resources", () => {
  const methods = met({ tools, capabilities: { tools: {} } });
  expect([...methods]).toEqual(expect.arrayContaining(["tools/call", "initialize", "elicitation/create"]));
  for (const { subject, methods: reached } of relevantTo(all, models, { name: "x", version: "1", tools })) {
    if (reached.length > 0)
      expect(reached.every((name) => /^(?:prompts|completion)\//.test(name))).toBe(false);
    if ("definition" in subject)
      expect(subject.definition).not.toMatch(/^(?:GetPrompt|ListPrompts|Complete)/);
  }
});

test("declared capabilities and non-empty lists count", () => {
  const gated = (path: string): string[] =>
    models
      .flatMap(({ methods }) => methods)
      .filter(({ capabilities }) => capabilities.some((each) => each.of === "server" && each.path === path))
      .map(({ name }) => name);
  const changed = new Set(all.flatMap(({ methods }) => methods));
  for (const [path, contract] of [
    ["/prompts", { prompts: [{ name: "p" }] }],
    ["/resources", { resourceTemplates: [{ name: "t", uriTemplate: "x:{y}" }] }],
    ["/completions", { capabilities: { completions: {} } }],
    ["/logging", { capabilities: { logging: {} } }],
  ] as const) {
    const names = gated(path).filter((name) => changed.has(name));
    expect(names.length, path).toBeGreaterThan(0);
    expect([...met(contract)], path).toEqual(expect.arrayContaining(names));
  }
});

test("a contract narrows the findings; those for every server remain", () => {
  const none = relevantTo(all, models, { name: "x", version: "1" });
  const everything = relevantTo(all, models, {
    name: "x",
    version: "1",
    tools,
    prompts: [{ name: "p" }],
    resources: [{ name: "r", uri: "x:y" }],
    capabilities: { completions: {}, logging: {}, tasks: { list: {}, cancel: {}, requests: {} } },
  });
  expect(none.length).toBeGreaterThan(0);
  expect(everything.length).toBeGreaterThan(none.length);
  expect(all.length).toBeGreaterThanOrEqual(everything.length);
  expect(none.some(({ rule }) => rule.startsWith("error-"))).toBe(true);
});

test("diff --for accepts a contract, reports what it left out, and only compares revisions", async () => {
  const contract = "name: x\nversion: '1'\ntools: [{ name: a, inputSchema: { type: object } }]\n";
  const folder = temporaryFolder({ "c.yaml": contract });
  const words = ["diff", revisions.at(-2)!, revisions.at(-1)!, "--for", `${folder}/c.yaml`];
  const ran = await mcpgen(process.cwd(), words);
  expect(ran.stdout).toMatch(/Only what a server of \S*c\.yaml can meet: \d+ of \d+\./);
  expect(ran.stdout).not.toContain("GetPromptResult");
  const two = await mcpgen(folder, ["diff", "c.yaml", "c.yaml", "--for", "c.yaml"]);
  expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining("MG2005") });
});
