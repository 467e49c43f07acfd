import { expect, test } from "vitest";
import { completable } from "../../generator/contract/completable.js";
import type { Contract } from "../../generator/contract/contract.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { serverExports } from "../../generator/sync/meanings.js";
import { handlersStub } from "../../generator/sync/stub.js";
import { syncFile } from "../../generator/sync/sync-file.js";
import { wantedMembers } from "../../generator/sync/wanted.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { mcpgen } from "../support/in-process.js";

const contract: Contract = {
  ...{ name: "w", version: "1", capabilities: { completions: {} } },
  prompts: [
    { name: "plan", arguments: [{ name: "city", required: true }, { name: "max-days" }] },
    { name: "bare" },
  ],
  resourceTemplates: [
    { name: "day", uriTemplate: "w://{city}/days{?from}" },
    { name: "odd", uriTemplate: "w://{one" },
  ],
};
const undeclared: Contract = { ...contract, capabilities: {} };

test("arguments and variables are named after prompts and templates", () => {
  expect([...completable(contract)]).toEqual([
    ["plan", ["city", "max-days"]],
    ["w://{city}/days{?from}", ["city", "from"]],
  ]);
  expect(wantedMembers(contract).get("completions")).toEqual(["plan", "w://{city}/days{?from}"]);
  expect(wantedMembers(undeclared).has("completions")).toBe(false);
});

test("there is an empty stub for each argument", () => {
  expect(handlersStub(wantedMembers(contract), "./server.js", completable(contract))).toContain(`
  completions: {
    plan: {
      city: async () => [],
      "max-days": async () => [],
    },
    "w://{city}/days{?from}": {
      city: async () => [],
      from: async () => [],
    },
  },
};
`);
});

test("sync inserts missing completions, and names completions without a prompt or template", () => {
  const head = 'import type { Handlers } from "./generated/server.js";\n';
  const before = `${head}export const completions: Handlers["completions"] = {\n  plan: { city: () => [] },\n  old: {},\n};\n`;
  const at = (some: Contract) => ({
    ...{ file: "c.yaml", wanted: wantedMembers(some), completable: completable(some), anywhere: "" },
    lookIn: () => serverExports,
  });
  const { text, findings } = syncFile(before, "h.ts", [at(contract)]);
  expect(text).toBe(
    before.replace(
      "};\n",
      '  "w://{city}/days{?from}": {\n    city: async () => [],\n    from: async () => [],\n  },\n};\n',
    ),
  );
  expect(findings.map(({ message }) => message)).toEqual([
    'c.yaml has no prompt or template with arguments, called "old"',
  ]);
  // Undeclared completions may be present or absent.
  const without = syncFile(before, "h.ts", [at(undeclared)]);
  expect([without.text, without.findings]).toEqual([before, []]);
});

test.each([
  [contract, "  readonly completions: {"],
  [undeclared, "  readonly completions?: {"],
])("completions are required if the contract declares them", async (some, line) => {
  const { resourceTemplates: [day] = [], ...rest } = some;
  const document = await readContract(JSON.stringify({ ...rest, resourceTemplates: [day] }), "c.json");
  const { files } = await generateContract({ document, role: "server", importExtension: "js" });
  const text = files.get("server.ts")!;
  expect(text).toContain(`${line}\n    readonly plan: Completions<keyof types.PlanPrompt.Arguments>;`);
  expect(text).toContain(
    'readonly "w://{city}/days{?from}": Completions<keyof types.DayTemplate.Variables>;',
  );
});

test("a contract without arguments has none, declared or not; the command line writes them", async () => {
  const none = { ...contract, prompts: [{ name: "bare" }], resourceTemplates: [] };
  const document = await readContract(JSON.stringify(none), "c.json");
  const { files } = await generateContract({ document, role: "server", importExtension: "js" });
  expect(files.get("server.ts")).not.toContain("readonly completions");
  const folder = temporaryFolder({
    "c.json": JSON.stringify({ ...contract, resourceTemplates: contract.resourceTemplates!.slice(0, 1) }),
    "mcpgen.config.json": JSON.stringify({
      contracts: [{ file: "c.json", out: "src/generated", role: "server" }],
    }),
    "src/h.ts": 'import type { Handlers } from "./generated/server.js";\nexport const h: Handlers = {};\n',
  });
  expect((await mcpgen(folder, ["generate"])).code).toBe(0);
  expect((await mcpgen(folder, ["check"])).stdout).toContain(
    'completions has no handler "plan", which c.json requires',
  );
  expect((await mcpgen(folder, ["sync"])).code).toBe(0);
  expect((await mcpgen(folder, ["check"])).code).toBe(0);
});
