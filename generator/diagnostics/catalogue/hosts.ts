import type { Diagnostic } from "../diagnostic.js";

/** MG22xx: servers that the configuration of a host names. */
export const hostDiagnostics = {
  MG2201: {
    title: "No server has this name",
    exit: 2,
    explanation:
      "A SOURCE that is not a revision, an existing file, a URL, `stdio:COMMAND` or `-` is the name of a server. mcpgen looks for the name in `.mcp.json`, `.vscode/mcp.json` and `.cursor/mcp.json` of the working directory and its parent folders, and in `claude_desktop_config.json` of Claude Desktop. It ignores files in parent folders that belong to another user. `mcpgen list` without a SOURCE lists all names.",
  },
  MG2202: {
    title: "The configuration file of a host cannot be used",
    exit: 2,
    mayWarn: true,
    explanation:
      "The file cannot be read or is not JSON, or the entry of the server is wrong: it needs a `command` or an `http` or `https` `url`, and members of the right types. The place names the file and the member. mcpgen does not read `envFile`: start the server with `stdio:COMMAND`, and pass its variables with `--env NAME`. Only Claude Code runs the command of `headersHelper`: in the file of another host it is an error. `mcpgen list` without a SOURCE prints a warning, and lists the servers of the other files.",
  },
  MG2203: {
    title: "A variable in the configuration of a host has no value",
    exit: 2,
    explanation:
      "mcpgen replaces `${…}` in an entry as the host of the file does. `.mcp.json` allows `${NAME}` and `${NAME:-DEFAULT}`; the default may be empty, and may hold variables. `.vscode/mcp.json` and `.cursor/mcp.json` allow `${env:NAME}`, `${input:ID}`, `${workspaceFolder}`, `${workspaceFolderBasename}`, `${userHome}` and `${pathSeparator}`. `claude_desktop_config.json` allows none. Set a missing variable in the environment of mcpgen. For an input, pass `--input ID=VALUE`, or `--input ID` to take the value of the environment variable ID; in a terminal mcpgen asks for it.",
  },
  MG2204: {
    title: "The command that prints headers has failed",
    exit: 2,
    explanation:
      "An entry of `.mcp.json` with a `url` may have `headersHelper`: a command that prints the headers of requests as a JSON object of texts. mcpgen runs it as Claude Code does: for each connection, in a shell, in the folder of the file, with your environment (but for the variables `MCPGEN_…`) and with `CLAUDE_CODE_MCP_SERVER_NAME` and `CLAUDE_CODE_MCP_SERVER_URL`. It has 10 seconds, and must end with 0. Its headers replace those of `headers`, and `--header` replaces both. The lines below the message are the end of its standard error.",
  },
} satisfies Record<string, Diagnostic>;
