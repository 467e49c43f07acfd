// Serves the skills below a folder: their entries with digests, their files as resources, their directories.
// Usage: node dist/examples/skills/main.js FOLDER [--port PORT] [--no-directories]
import "@mcpgen/runtime/stdio-guard";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { skillServer } from "./server.js";
import { SkillFolder } from "./skill-folder.js";

const words = process.argv.slice(2);
const folder = await SkillFolder.at(words[0] ?? ".");
for (const problem of folder.problems) console.error(`left out: ${problem}`);
const server = skillServer(folder, !words.includes("--no-directories"));

const at = words.indexOf("--port");
if (at < 0) serveStdio(server);
else {
  const { url } = await serveHttp(server, { port: Number(words[at + 1]), host: "localhost" });
  console.error(`listening on ${url}`);
}
