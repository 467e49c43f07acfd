import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mcpgen, sourceOf } from "../interop/real/project.mjs";

const modules = new URL("node_modules/", import.meta.url).pathname;

/** Words after the program, by package. */
const words = {
  "@modelcontextprotocol/server-filesystem": (folder) => [folder],
  "@playwright/mcp": () => ["--headless"],
  "figma-developer-mcp": () => ["--stdio"],
};

/** Keys that a server wants to see before it lists its tools; they open nothing. */
const keys = {
  "@brave/brave-search-mcp-server": "BRAVE_API_KEY",
  "@circleci/mcp-server-circleci": "CIRCLECI_TOKEN",
  "@currents/mcp": "CURRENTS_API_KEY",
  "@modelcontextprotocol/server-github": "GITHUB_PERSONAL_ACCESS_TOKEN",
  "@modelcontextprotocol/server-google-maps": "GOOGLE_MAPS_API_KEY",
  "@modelcontextprotocol/server-slack": ["SLACK_BOT_TOKEN", "SLACK_TEAM_ID"],
  "@notionhq/notion-mcp-server": "NOTION_TOKEN",
  "@perplexity-ai/mcp-server": "PERPLEXITY_API_KEY",
  "@shortcut/mcp": "SHORTCUT_API_TOKEN",
  "@z_ai/mcp-server": "Z_AI_API_KEY",
  "@zereight/mcp-gitlab": "GITLAB_PERSONAL_ACCESS_TOKEN",
  "airtable-mcp-server": "AIRTABLE_API_KEY",
  "figma-developer-mcp": "FIGMA_API_KEY",
  "firecrawl-mcp": "FIRECRAWL_API_KEY",
  "tavily-mcp": "TAVILY_API_KEY",
};

/**
 * Published servers that start without a login: each package of package.json, by a name that is a folder's.
 *
 * @param folder their home: where they may write
 * @returns `{ name, args, env }` of each, with which Node is started
 */
export function publishedServers(folder) {
  const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
  return Object.keys(dependencies).map((name) => {
    const { bin } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
    const program = typeof bin === "string" ? bin : Object.values(bin)[0];
    return {
      name: name.replace("@", "").replace("/", "-"),
      args: [join(modules, name, program), ...(words[name]?.(folder) ?? [])],
      env: { HOME: folder, ...Object.fromEntries([keys[name] ?? []].flat().map((key) => [key, "none"])) },
    };
  });
}

/** Captures a server: `{ contract, revision }`. */
export async function captured(folder, server) {
  const { code, stdout, stderr } = await mcpgen(
    folder,
    "capture",
    ...sourceOf(server),
    "--out",
    "-",
    "--json",
  );
  assert.equal(code, 0, `${server.name}: ${stderr}`);
  return JSON.parse(stdout);
}
