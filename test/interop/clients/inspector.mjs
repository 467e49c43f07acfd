import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { modern } from "../peers.mjs";

const run = promisify(execFile);
const launcher = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", import.meta.url),
);

/** The command line of the inspector, which connects again for every request. @param target the URL of a server */
export async function connect(target, revision) {
  const home = mkdtemp(join(tmpdir(), "mcpgen-inspector-"));
  const era = revision === modern ? "modern" : "legacy";
  const ask = async (method, ...options) => {
    const connection = ["--cli", target.href, "--transport", "http", "--protocol-era", era];
    const args = [launcher, ...connection, "--format", "json", "--quiet", "--method", method, ...options];
    // It writes files to the user's home folder; a test must leave none there.
    const env = { ...process.env, HOME: await home };
    const { stdout } = await run(process.execPath, args, { env }).catch((error) => {
      // If a tool has failed, it exits with an error code, but still prints the result.
      if (error.stdout) return error;
      throw new Error(error.stderr);
    });
    return JSON.parse(stdout).result;
  };
  return {
    tools: async () => (await ask("tools/list")).tools,
    call: (name, input = {}) =>
      ask("tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(input)),
    resources: async () => (await ask("resources/list")).resources,
    templates: async () => (await ask("resources/templates/list")).resourceTemplates,
    read: (uri) => ask("resources/read", "--uri", uri),
    prompts: async () => (await ask("prompts/list")).prompts,
    prompt: (name, input) =>
      ask(
        "prompts/get",
        "--prompt-name",
        name,
        "--prompt-args",
        ...Object.entries(input).map(([key, value]) => `${key}=${value}`),
      ),
    close: async () => rm(await home, { recursive: true }),
  };
}
