import { expect, test } from "vitest";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { readContract } from "../../generator/contract/read-contract.js";
import { compilerErrors } from "../support/typescript-compiler.js";

/** Arguments and variables called as members that every object has. */
const named = {
  capabilities: { completions: {} },
  prompts: [{ name: "p", arguments: [{ name: "toString" }, { name: "constructor" }] }],
  resourceTemplates: [{ name: "t", uriTemplate: "x://{valueOf}/{hasOwnProperty}" }],
};

/** A pattern for which the platform could take long, so its matcher is copied beside the validators. */
const matched = {
  tools: [
    {
      name: "t",
      inputSchema: {
        type: "object",
        properties: {
          a: { type: "string", pattern: "^(a+)+$" },
          // As zod writes a duration.
          span: { type: "string", pattern: "^P(?:(\\d+W)|(?!.*W)(?=\\d|T\\d)(\\d+Y)?(T(?=\\d)(\\d+H)?)?)$" },
          every: { type: "string", pattern: "^(?:\\d(?=.*;))*;$", default: "1;" },
        },
      },
    },
  ],
};

/** A tool with few arguments, each of which has many members. */
function nested(): object {
  const membersOf = (prefix: string, count: number, schema: object): object => {
    const properties = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`${prefix}${index}`, schema]),
    );
    return { type: "object", properties };
  };
  const inner = membersOf("b", 12, { type: "integer", minimum: 0 });
  return { tools: [{ name: "t", inputSchema: membersOf("a", 190, inner) }] };
}

// One run of the compiler for all: most of its time is the start.
test("contracts with names of every object's members, and with large schemas, compile strictly", async () => {
  const files = new Map<string, string>();
  for (const [folder, offered] of Object.entries({ named, matched, nested: nested() })) {
    const contract = JSON.stringify({ name: "n", version: "1", ...offered });
    const document = await readContract(contract, "c.json");
    const generated = await generateContract({ document, role: "both", importExtension: "js" });
    for (const [path, content] of generated.files) files.set(`${folder}/${path}`, content);
  }
  expect([...files.keys()]).toContain("matched/checks/schemas/patterns.ts");
  expect(await compilerErrors(files, ["node"])).toEqual([]);
});
