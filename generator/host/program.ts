import { type CodedErrorDetails, CodedError } from "../diagnostics/coded-error.js";
import type { Authorizer } from "../login/token-stores.js";
import { type HostName, type HostRow, hostNames, hostRows } from "../lint/host-rows.js";

/** A server as a host's configuration names it. The host does not see what the `authorizer` adds to its requests. */
export type HostServer =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Variables }
  | { readonly url: string; readonly headers: Variables; readonly authorizer?: Authorizer | undefined };

export type Variables = Readonly<Record<string, string>>;

/** What a host is started with. */
export interface Start {
  /** Files in its home folder, which is its working folder, too. */
  readonly files: { readonly [path: string]: string };
  readonly env: Variables;
  readonly args: readonly string[];
}

/**
 * How a host is started.
 *
 * @param name by which the host knows the server
 * @param model URL of the model, without a path
 */
type StartOf = (name: string, server: HostServer, model: string) => Start;

/** A program that uses servers for a model. */
export interface HostProgram extends Pick<
  HostRow,
  "package" | "program" | "node" | "revision" | "rules" | "olderRules" | "startup" | "quiet" | "proxy"
> {
  readonly name: string;
  readonly start: StartOf;
}

const prompt = "go";

/** Configuration as most hosts write it. */
function mcpServers(name: string, server: HostServer, more: object = {}): object {
  const entry = "url" in server ? { type: "http", ...server } : server;
  return { mcpServers: { [name]: { ...entry, ...more } } };
}

/** As Gemini CLI and its descendants write it: `url` means SSE there. */
function geminiServers(name: string, server: HostServer, more: object = {}): object {
  const trusted = { trust: true, ...more };
  if (!("url" in server)) return mcpServers(name, server, trusted);
  const { url, headers } = server;
  return { mcpServers: { [name]: { httpUrl: url, headers, ...trusted } } };
}

const claudeCode: StartOf = (name, server, model) => ({
  files: { "servers.json": JSON.stringify(mcpServers(name, server)) },
  env: {
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: "sk-fake",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    // Otherwise the model gets a tool that searches for tools.
    ENABLE_TOOL_SEARCH: "false",
    IS_SANDBOX: "1",
  },
  args: [
    "-p",
    prompt,
    "--mcp-config",
    "servers.json",
    "--strict-mcp-config",
    "--allowedTools",
    `mcp__${name}`,
  ],
});

const codex: StartOf = (name, server, model) => {
  const entry =
    "url" in server
      ? { url: server.url, http_headers: server.headers }
      : { command: server.command, args: server.args, env: server.env };
  const lines = [
    'model = "fake"',
    'model_provider = "fake"',
    'approval_policy = "never"',
    "check_for_update_on_startup = false",
    "[features]",
    "plugins = false",
    "apps = false",
    "[analytics]",
    "enabled = false",
    "[model_providers.fake]",
    'name = "fake"',
    `base_url = ${JSON.stringify(`${model}/v1`)}`,
    'wire_api = "responses"',
    `[mcp_servers.${JSON.stringify(name)}]`,
    ...Object.entries(entry).map(([key, value]) => `${key} = ${toml(value)}`),
    // Otherwise the model is asked while the server starts, without its tools; a busy machine may need longer than it waits.
    "required = true",
    "startup_timeout_sec = 60",
  ];
  return {
    files: { ".codex/config.toml": lines.join("\n") },
    env: {},
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
  };
};

/** A value of TOML: texts, lists and tables of them. */
function toml(value: string | readonly string[] | Variables): string {
  if (typeof value === "string" || Array.isArray(value)) return JSON.stringify(value);
  const members = Object.entries(value as Variables);
  return `{ ${members.map(([key, text]) => `${JSON.stringify(key)} = ${JSON.stringify(text)}`).join(", ")} }`;
}

const geminiCli: StartOf = (name, server, model) => ({
  files: {
    ".gemini/settings.json": JSON.stringify({
      ...geminiServers(name, server),
      security: { auth: { selectedType: "gemini-api-key" } },
      // A script may look like a loop, and the model has no answer to the question whether it is one.
      model: { disableLoopDetection: true },
      general: { disableAutoUpdate: true, disableUpdateNag: true },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
    }),
  },
  env: { GEMINI_API_KEY: "fake", GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: "true" },
  args: ["-p", prompt, "-y", "-m", "gemini-2.5-flash"],
});

const qwenCode: StartOf = (name, server, model) => ({
  files: {
    ".qwen/settings.json": JSON.stringify({
      // Otherwise the model gets a tool that searches for tools.
      ...geminiServers(name, server, { alwaysLoadTools: true }),
      security: { auth: { selectedType: "openai" } },
      general: { preventSystemSleep: false },
      privacy: { usageStatisticsEnabled: false },
    }),
  },
  env: { OPENAI_API_KEY: "fake", OPENAI_MODEL: "fake", OPENAI_BASE_URL: `${model}/v1` },
  args: ["-p", prompt, "-y"],
});

const opencode: StartOf = (name, server, model) => {
  const entry =
    "url" in server
      ? { type: "remote", ...server }
      : { type: "local", command: [server.command, ...server.args], environment: server.env };
  const modalities = { input: ["text", "image", "audio"], output: ["text"] };
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "fake",
    options: { baseURL: `${model}/v1`, apiKey: "fake" },
    // Without them it keeps pictures from the model.
    models: { fake: { name: "fake", tool_call: true, attachment: true, modalities } },
  };
  const settings = {
    mcp: { [name]: { ...entry, enabled: true } },
    provider: { fake: provider },
    model: "fake/fake",
    autoupdate: false,
    share: "disabled",
  };
  return { files: { "opencode.json": JSON.stringify(settings) }, env: {}, args: ["run", prompt] };
};

const copilotCli: StartOf = (name, server, model) => ({
  files: {
    ".copilot/mcp-config.json": JSON.stringify(
      mcpServers(name, server, { ...("command" in server && { type: "local" }), tools: ["*"] }),
    ),
  },
  env: {
    COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
    COPILOT_PROVIDER_API_KEY: "fake",
    COPILOT_MODEL: "fake",
    COPILOT_OFFLINE: "true",
  },
  args: ["-p", prompt, "--allow-all-tools"],
});

const starts: { readonly [Name in HostName]: StartOf } = {
  "claude-code": claudeCode,
  codex,
  "copilot-cli": copilotCli,
  "gemini-cli": geminiCli,
  opencode,
  "qwen-code": qwenCode,
};

/** The hosts that can be run without a network, by the name that users write. */
export const hostPrograms = Object.fromEntries(
  hostNames.map((name): [HostName, HostProgram] => [name, { ...hostRows[name], name, start: starts[name] }]),
) as { readonly [Name in HostName]: HostProgram };

/** The error of a host that fails; its installation is the first suspect. */
export function hostFailure(
  { name, program, node }: HostProgram,
  what: string,
  details: CodedErrorDetails,
): CodedError {
  const next = `Mend its installation: \`${program} --version\` must work. It needs Node.js ${node} or later.`;
  return new CodedError("MG6333", `${name} ${what}`, { next, ...details });
}
