import { readFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const hostile =
  "<img src=x onerror=alert(1)><script>1</script> **b** [l](javascript:1) `c` ![i](https://a.example/i)";

test.each(["server", "client"])(
  "texts of a contract do not become markup in the README of a new %s",
  async (role) => {
    const tool = (name: string) => ({
      ...{ name, title: hostile, description: hostile },
      inputSchema: {
        type: "object",
        properties: { "--out": { type: "string" }, "a;b": { type: "string" } },
        required: ["--out", "a;b"],
      },
    });
    const contract = { name: "shop", title: hostile, version: "1", tools: [tool("--rm"), tool("x")] };
    const folder = temporaryFolder({ "c.json": JSON.stringify(contract) });
    expect((await mcpgen(folder, ["init", role, "out", "--contract", "c.json"])).code).toBe(0);
    const readme = readFileSync(join(folder, "out/README.md"), "utf8");
    const page = new MarkdownIt({ html: true }).render(readme);
    expect(page).not.toMatch(/<(?:img|script|a|strong)\b/);
    expect(page).toContain("&lt;img src=x onerror=alert(1)&gt;");
    // The commands of the README contain the names of tools and arguments.
    expect(readme).toContain("TOOL KEY=… KEY=…");
    expect(readme).not.toMatch(/ --(?:rm|out)\b/);
  },
);
