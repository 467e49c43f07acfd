import { writeFile, mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A package may keep its program out of its exports. */
const entry = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
const reference = (name) => entry(`@modelcontextprotocol/${name}/dist/index.js`);

/**
 * Published servers: four of the protocol's own, and two whose tools are made from other things. Notion's come from an
 * OpenAPI document (`$defs` by the dozen, `oneOf`, lists of types, formats); those of AntV are 100 KB of draft-07 with
 * defaults everywhere and texts beyond ASCII. Both ask a service, for which `service` stands in.
 *
 * `given` are the arguments of tools that need something to be there; all others are drawn from the schema. `more` are
 * calls beside tools, by the names of the generated client. `fails` are tools that answer with an error, `lints` the
 * rules of `mcpgen lint` that have something to say.
 *
 * @param folder where they may write
 * @param service the URL of what answers in place of services
 */
export function publishedServers(folder, service) {
  const path = (name) => join(folder, name);
  return [
    {
      name: "everything",
      args: [reference("server-everything")],
      given: {
        "gzip-file-as-resource": { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" },
        "trigger-long-running-operation": { duration: 0.02, steps: 2 },
        "simulate-research-query": { topic: "ducks", ambiguous: true },
      },
      more: [
        "prompts.simplePrompt()",
        'prompts.argsPrompt({ city: "Paris" })',
        'prompts.completablePrompt({ department: "Engineering", name: "Alice" })',
        'prompts.resourcePrompt({ resourceType: "Text", resourceId: "1" })',
        "resources.featuresMd()",
        'resourceTemplates.dynamicTextResource({ resourceId: "1" })',
        'resourceTemplates.dynamicBlobResource({ resourceId: "2" })',
        'complete.prompts.completablePrompt("department", "E")',
        'complete.prompts.completablePrompt("name", "A", { department: "Engineering" })',
        'complete.resourceTemplates.dynamicTextResource("resourceId", "1")',
      ],
      // It must be called as a task (2025-11-25), which the typed client does not support.
      fails: ["simulate-research-query"],
      lints: ["result-dialect", "strict-format", "task-required"],
    },
    {
      name: "filesystem",
      args: [reference("server-filesystem"), folder],
      given: {
        read_file: { path: path("a.txt"), head: 1 },
        read_text_file: { path: path("a.txt"), tail: 1 },
        read_media_file: { path: path("dot.png") },
        read_multiple_files: { paths: [path("a.txt"), path("none.txt")] },
        write_file: { path: path("written.txt"), content: "ünïcödé\n" },
        edit_file: { path: path("a.txt"), edits: [{ oldText: "two", newText: "2" }], dryRun: true },
        create_directory: { path: path("made") },
        list_directory: { path: folder },
        list_directory_with_sizes: { path: folder, sortBy: "size" },
        directory_tree: { path: folder, excludePatterns: ["*.png"] },
        move_file: { source: path("old.txt"), destination: path("new.txt") },
        search_files: { path: folder, pattern: "*.txt" },
        get_file_info: { path: path("a.txt") },
      },
      fails: [],
      lints: ["result-dialect"],
    },
    {
      name: "memory",
      args: [reference("server-memory")],
      env: { MEMORY_FILE_PATH: path("memory.jsonl") },
      given: {
        create_entities: { entities: [{ name: "Ada", entityType: "person", observations: ["writes"] }] },
        create_relations: { relations: [{ from: "Ada", to: "Ada", relationType: "knows" }] },
        add_observations: { observations: [{ entityName: "Ada", contents: ["counts"] }] },
      },
      more: ["resources.knowledgeGraph()"],
      fails: [],
      lints: ["result-dialect"],
    },
    {
      name: "sequential-thinking",
      args: [reference("server-sequential-thinking")],
      // Its schema takes any text for `nextThoughtNeeded`, the server "true" and "false" alone.
      given: {
        sequentialthinking: { thought: "so", nextThoughtNeeded: "false", thoughtNumber: 2, totalThoughts: 2 },
      },
      fails: [],
      lints: ["gemini-type-list", "long-description", "result-dialect"],
    },
    {
      name: "notion",
      args: [entry("@notionhq/notion-mcp-server/bin/cli.mjs")],
      env: { NOTION_TOKEN: "none", BASE_URL: service },
      given: {},
      fails: [],
      lints: [
        "ambiguous-union",
        "gemini-reference",
        "gemini-type-list",
        "gemini-unknown-keyword",
        "reference",
        "strict-format",
        "unused-definition",
      ],
    },
    {
      name: "chart",
      args: [entry("@antv/mcp-server-chart/build/index.js")],
      env: { VIS_REQUEST_SERVER: service },
      given: {},
      fails: [],
      lints: ["gemini-type-list", "gemini-unknown-keyword"],
    },
  ];
}

/** The files for the filesystem server. */
export async function fillFolder(folder) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "a.txt"), "one\ntwo\n");
  await writeFile(join(folder, "old.txt"), "");
  await writeFile(join(folder, "dot.png"), Buffer.from("iVBORw0KGgo=", "base64"));
}

/** A service that takes whatever it is asked, at a port of this machine: `{ url, close }`. */
export async function standIn() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.setHeader("Content-Type", "application/json");
      const chart = { success: true, resultObj: "https://example.com/chart.png" };
      response.end(JSON.stringify({ object: "list", results: [], ...chart }));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
