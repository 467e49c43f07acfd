import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mcpgen } from "../../support/in-process.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

/** The folder with the output of commands. Tests do not change it. */
const printed = new Map<string, string>();

/** Writes what a command prints to a file: its URL, as a reader opens it. */
export async function pageOf(directory: string, args: readonly string[]): Promise<string> {
  const known = directory === "." ? printed.get(args.join(" ")) : undefined;
  if (known !== undefined) return fileOf(known);
  const { stdout, stderr } = await mcpgen(directory, args);
  if (directory === ".") printed.set(args.join(" "), stdout);
  if (!stdout.startsWith("<!doctype html>")) throw new Error(`${args.join(" ")}: no page\n${stderr}`);
  return fileOf(stdout);
}

export function fileOf(page: string): string {
  return pathToFileURL(join(temporaryFolder({ "page.html": page }), "page.html")).href;
}

const object = {
  type: "object",
  properties: { count: { type: "integer", minimum: 1 }, more: { type: "object", properties: { a: {} } } },
  required: ["count"],
};

/** A contract with a tool, a prompt and resources of each kind; `lint` has findings in one tool. */
export const shop = {
  name: "shop",
  title: "Corner shop",
  version: "1.0.0",
  instructions:
    "# Rules\n\nLook an item up **before** you order it: [manual](https://shop.example/manual).\n\n|tool||\n|-|-|\n|`search`|free|\n\n3. search\n\n   ```json\n   {}\n   ```\n4. order",
  tools: [
    { name: "search", description: "Finds items by words in their names.", inputSchema: object },
    { name: "order", description: "Orders.", inputSchema: object, outputSchema: object },
    {
      name: "get_a_name_that_somebody_made_by_concatenation_of_everything_that_it_does_v2",
      description: "Reports what was ordered so far.",
      inputSchema: { type: "object" },
    },
  ],
  prompts: [{ name: "review", description: "Looks for what is missing.", arguments: [{ name: "diet" }] }],
  resources: [{ name: "hours", uri: "shop://hours", description: "When the shop is open" }],
  resourceTemplates: [{ name: "item", uriTemplate: "shop://items/{id}" }],
};

/** The same shop later: one argument more, one tool less. */
export const laterShop = {
  ...shop,
  version: "2.0.0",
  tools: [{ ...shop.tools[0], inputSchema: { ...object, required: ["count", "more"] } }, shop.tools[1]],
};

/** A folder with both. */
export function shopFolder(): string {
  return temporaryFolder({
    "mcp.contract.json": JSON.stringify(shop),
    "later.json": JSON.stringify(laterShop),
  });
}
