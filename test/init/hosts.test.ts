import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostSnippets } from "../../generator/init/project.js";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

test("the README of a server has the configuration for each host, and mcpgen finds the server by it", async () => {
  const folder = temporaryFolder();
  expect((await mcpgen(folder, ["init", "server", "my weather"])).code).toBe(0);
  const readme = readFileSync(join(folder, "my weather/README.md"), "utf8");
  const path = join(folder, "my weather/dist/main.js");
  const blocks = [...readme.matchAll(/^```json\n([^]*?)^```$/gm)].map(
    ([, text]) => JSON.parse(text!) as object,
  );
  expect(blocks).toEqual([
    { mcpServers: { "my-weather": { command: "node", args: [path] } } },
    { servers: { "my-weather": { type: "stdio", command: "node", args: [path] } } },
  ]);
  expect(readme).toContain(`claude mcp add my-weather -- node '${path}'\n`);
  for (const [index, file] of [".mcp.json", ".vscode/mcp.json"].entries()) {
    const user = temporaryFolder();
    mkdirSync(join(user, ".vscode"));
    writeFileSync(join(user, file), JSON.stringify(blocks[index]));
    const { stdout } = await mcpgen(user, ["list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ servers: [{ name: "my-weather", file }] });
  }
});

test("names and paths of any kind stay inside their blocks", () => {
  const odd = hostSnippets('"; rm -rf ~ `x` \u202e', "/home/o'brien/```\n# x");
  expect(odd.host).toMatch(/^[\w-]+$/);
  expect(odd.mcpServers.split("\n").some((line) => line.startsWith("```"))).toBe(false);
  expect(odd.claude).toContain(`'/home/o'"'"'brien/`);
  expect(JSON.parse(odd.servers)).toMatchObject({ servers: { [odd.host]: { type: "stdio" } } });
});
