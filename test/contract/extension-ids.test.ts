// Identifiers of extensions that a contract declares.
import { expect, test } from "vitest";
import { readContract } from "../../generator/contract/read-contract.js";
import { generateContract } from "../../generator/pipeline/generate-contract.js";
import { failureOf } from "../support/failure-of.js";

const contractWith = (id: string): string => `name: n
version: "1"
capabilities:
  extensions:
    io.modelcontextprotocol/tasks: {}
    ${JSON.stringify(id)}: {}
`;

const generated = async (id: string, role: "client" | "server" | "both") =>
  generateContract({ document: await readContract(contractWith(id), "c.yaml"), role, importExtension: "js" });

const wrong = [
  "search",
  "/search",
  "com.example/",
  "com.example/a/b",
  "1com/a",
  "com.mcp/a",
  "com.example/é",
];

test.each(wrong)("%j is refused with its place if a server would declare it", async (id) => {
  for (const role of ["server", "both"] as const)
    expect(await failureOf(generated(id, role))).toMatchObject({
      code: "MG1301",
      message: expect.stringContaining(JSON.stringify(id)) as string,
      place: {
        file: "c.yaml",
        line: 6,
        pointer: `/capabilities/extensions/${id.replaceAll("/", "~1")}`,
      },
      next: expect.stringContaining("Write the domain that you own") as string,
    });
});

test.each(wrong)("a client is generated even if a third-party server declares %j", async (id) => {
  expect([...(await generated(id, "client")).files.keys()]).toContain("client.ts");
});

test.each(["com.example/search", "a/b", "com.example/con"])("%j is accepted", async (id) => {
  for (const role of ["server", "client", "both"] as const)
    expect((await generated(id, role)).files.size).toBeGreaterThan(0);
});
