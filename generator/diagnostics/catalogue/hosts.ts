import type { Diagnostic } from "../catalogue.js";

/** MG22xx: servers that the configuration of a host names. */
export const hostDiagnostics = {
  MG2201: {
    title: "No server has this name",
    exit: 2,
    explanation:
      "A SOURCE that is neither a revision, an existing file, a URL, `stdio:COMMAND` nor `-` is the name of a server. Names stand in `.mcp.json`, `.vscode/mcp.json` and `.cursor/mcp.json` of the working directory and its parents, and in `claude_desktop_config.json` of Claude Desktop. `mcpgen list` without a SOURCE lists them.",
  },
  MG2202: {
    title: "A host's configuration file cannot be used",
    exit: 2,
    mayWarn: true,
    explanation:
      "The file in which a host names servers cannot be read, is not JSON, or its entry has neither a `command` nor a `url`. The place names the file and the member. `envFile` is not read: pass its variables with `--env NAME`.",
  },
  MG2203: {
    title: "A value in a host's configuration is missing",
    exit: 2,
    explanation:
      "`${…}` in an entry is replaced as its host does it: `${NAME}` and `${NAME:-DEFAULT}` in `.mcp.json`; `${env:NAME}`, `${input:ID}`, `${workspaceFolder}` and `${userHome}` in `.vscode/mcp.json` and `.cursor/mcp.json`; nothing in `claude_desktop_config.json`. Variables are those of the environment of mcpgen. `--input ID=VALUE` gives the value of an input (`--input ID` takes it from the variable of this name); at a terminal mcpgen asks for it.",
  },
} satisfies Record<string, Diagnostic>;
