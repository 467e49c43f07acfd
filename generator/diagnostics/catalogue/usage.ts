import type { Diagnostic } from "../diagnostic.js";

/** MG20xx: command line. MG21xx: configuration. MG40xx: network. MG70xx: bugs in mcpgen. */
export const usageDiagnostics = {
  MG2001: {
    title: "There is no such command",
    exit: 2,
    explanation:
      "The first word after `mcpgen` names the command. `mcpgen --help` lists all commands; `mcpgen COMMAND --help` describes one.",
  },
  MG2002: {
    title: "There is no such option",
    exit: 2,
    explanation:
      "mcpgen refuses unknown options, because it would otherwise ignore a misspelt one. `mcpgen COMMAND --help` lists the options of a command.",
  },
  MG2003: {
    title: "An argument or an option's value is missing",
    exit: 2,
    explanation:
      "A required argument is missing, or the value after an option is missing. `mcpgen COMMAND --help` shows the arguments of the command and its options.",
  },
  MG2004: {
    title: "The value of an option is not allowed",
    exit: 2,
    explanation: "The option accepts a fixed set of values, or values of one format. The message names them.",
  },
  MG2005: {
    title: "Options do not go together",
    exit: 2,
    explanation:
      "Some options require another option (`--schema` requires `--name`), and some exclude another one (`--quiet` excludes `--verbose`). The message names both options.",
  },
  MG2006: {
    title: "There is no such code or rule",
    exit: 2,
    explanation:
      "A code is `MG` and four digits. mcpgen prints it with every error and finding, e.g. `mcpgen explain MG3102`. `mcpgen explain` without a code lists all codes, and the rules of `diff` and `lint`.",
  },
  MG2007: {
    title: "The revision has no name",
    exit: 2,
    explanation:
      "`mcpgen revision add` takes the name of the file's folder, if that name is a date (2025-11-25) or `draft`. For any other file, give the name of the revision: `--name 2025-11-25`. mcpgen never guesses a name from the content.",
  },
  MG2008: {
    title: "A revision cannot have this name",
    exit: 2,
    explanation:
      "The folders of a revision, in the schema folder and in the output, have its name. A name has at most 64 characters: letters, digits, `-`, `_` and `.`. It starts with a letter or digit. Names that the output or the operating system uses for something else are not allowed.",
  },
  MG2009: {
    title: "The schema folder already has this revision, with other content",
    exit: 2,
    explanation:
      "The authors of the protocol sometimes change the file of a released revision. mcpgen does not replace the stored schema without a decision. Look at the difference first: `mcpgen revision verify R FILE` says whether its meaning differs. Then repeat the command with `--replace`.",
  },
  MG2010: {
    title: "There is no such revision",
    exit: 2,
    explanation:
      "The schema folder has no revision of that name. `mcpgen revision list` shows its revisions; `mcpgen revision add FILE` adds one; a released one by its name, `mcpgen revision add 2026-07-28`.",
  },
  MG2011: {
    title: "The built protocol package cannot be loaded",
    exit: 2,
    explanation:
      "`mcpgen validate` checks messages with the generated validators. It loads them from `@mcpgen/protocol`, resolved from the working directory, or from the `dist` folder inside the configured output folder. Run `mcpgen generate` first, and then build the package that contains the output (`npm run build` in this repository).",
  },
  MG2012: {
    title: "Node.js is too old",
    exit: 2,
    explanation:
      "mcpgen runs on Node.js 20.19 and later. Install a newer one from nodejs.org or with your version manager.",
  },
  MG2013: {
    title: "The runtime cannot be loaded",
    exit: 2,
    explanation:
      "Commands that connect to servers use `@mcpgen/runtime` and the tables of `@mcpgen/protocol`. The other commands do not need them. Install both packages beside mcpgen or in your project; in this repository, `npm run build` builds them.",
  },
  MG2014: {
    title: "This SOURCE is no server",
    exit: 2,
    explanation:
      'There are three ways to name a server: its URL (`https://example.com/mcp`); `stdio:` and the command that starts it (`"stdio:node server.js"`, in quotes for the shell if the command has arguments); or its name in the configuration file of a host (`mcpgen list` shows these names).',
  },
  MG2015: {
    title: "A project cannot have this name",
    exit: 2,
    explanation:
      "Programs use the name of a server: hosts keep it in their configuration, and it becomes the name of the npm package and of generated functions. It has at most 64 characters: letters, digits, `-`, `_` and `.`; the first and the last are a letter or digit. People read the `title` in the contract, which can be any text. Without `--name` the server gets the name of the folder, with `-` in place of other characters. If that leaves nothing, `--name` is required.",
  },
  MG2016: {
    title: "The user cancelled the questions",
    exit: 130,
    explanation:
      "Ctrl-C or Escape at a question of `mcpgen init` ends the command before it writes anything. `--name`, `--revision` and DIR answer the questions, and `--yes` accepts all proposals. `mcpgen init` asks nothing without a terminal, if `CI` is set, and with `--quiet` or a format for programs.",
  },
  MG2017: {
    title: "Credentials for a server cannot be used",
    exit: 2,
    explanation:
      "Commands that connect to servers over HTTP read credentials from the environment: `MCPGEN_TOKEN`; `MCPGEN_ASSERTION_FILE`; `MCPGEN_CLIENT_ID` with `MCPGEN_CLIENT_SECRET` or `MCPGEN_CLIENT_KEY_FILE`; `MCPGEN_ISSUER` names the authorization server that gets them, and `MCPGEN_SERVER` the server of the token, where the command line does not name one alone by its URL. `MCPGEN_SCOPES` names scopes. A variable that is set and empty, malformed, or without its destination is an error; the message names it. Tokens and headers are sent over https, or to this machine. Relative paths start at the working directory; a file is a regular one of at most 1 MB.",
  },
  MG2101: {
    title: "The configuration file cannot be used",
    exit: 2,
    explanation:
      "mcpgen looks for `mcpgen.config.json`, `.js` or `.ts` in the working directory and its parents; `--config` names the file directly. The file must be readable and contain one object (a module exports it as default). A folder may have only one such file.",
  },
  MG2102: {
    title: "The configuration has an unknown key",
    exit: 2,
    explanation:
      "mcpgen refuses unknown keys, because it would otherwise ignore a misspelt one. The keys are `revisions`, `schema`, `out`, `package`, `contracts`, `importExtension`, `templates` and `diff`; `defineConfig` of mcpgen gives their types.",
  },
  MG2103: {
    title: "A value in the configuration has the wrong type",
    exit: 2,
    explanation: "The message names the key, the expected type and the value that was found.",
  },
  MG2104: {
    title: "This Node.js cannot import TypeScript",
    exit: 2,
    explanation:
      "Node.js imports `mcpgen.config.ts`; it can import TypeScript from 22.18 and from 23.6 on. With an older version, write `mcpgen.config.js` or `mcpgen.config.json`.",
  },
  MG2105: {
    title: "The configuration of the folder is not trusted",
    exit: 2,
    explanation:
      "Configuration can make mcpgen run code (`mcpgen.config.js`), render templates, start programs (`stdio:` commands, servers of `.mcp.json`) and give values of your environment to a server (`${NAME}`). Who has cloned a repository has not agreed to that. mcpgen asks once for each folder and content: `mcpgen trust` shows what would happen, and records your answer in your state folder. In CI, `mcpgen trust --print` prints a hash for `--trust` or MCPGEN_TRUST. JSON that names no program, module or variable needs no trust. `--no-config` leaves configuration out.",
  },
  MG2106: {
    title: "The configuration of the folder is not the trusted one",
    exit: 2,
    explanation:
      "The hash of `--trust` or MCPGEN_TRUST is that of other content: a file that would run, a template, a command or an entry with variables has changed since. The message gives both hashes. Compare the files; if the change is wanted, replace the hash by that of `mcpgen trust --print`.",
  },
  MG2107: {
    title: "Another user could have written the configuration",
    exit: 2,
    explanation:
      "A configuration file or a file that it would run belongs to another user (not the superuser), or every user or a group may change it; for files that would run, this holds for the folders on the way to them, too. mcpgen does not read such configuration, whatever it says. Correct owner and mode: `chown`, `chmod go-w`. Where another user owns the files for a good reason, such as in a container, `mcpgen trust` or the hash of `mcpgen trust --print` in `--trust` or MCPGEN_TRUST accepts exactly their content.",
  },
  MG4001: {
    title: "The server cannot be reached",
    exit: 4,
    explanation:
      "The host name could not be resolved, or the connection was refused or broke. You can also download the file with another program, and pass the path of the copy.",
  },
  MG4002: {
    title: "The server refused the request",
    exit: 4,
    explanation: "The server answered, but not with the file. Open the URL in a browser to see what it says.",
  },
  MG4003: {
    title: "The server did not answer in time",
    exit: 4,
    explanation:
      "A download may take 30 seconds in all. Try again, or download the file with another program and pass the path of the copy.",
  },
  MG4004: {
    title: "The server redirects in a way that is not followed",
    exit: 4,
    explanation:
      "A download follows at most five redirects. It follows redirects to `http` and `https` URLs only, and never from `https` to `http`. Open the URL in a browser, and pass the URL that it ends at.",
  },
  MG7001: {
    title: "A bug in mcpgen",
    exit: 70,
    explanation:
      "mcpgen has a bug: no input should cause this error. Repeat the command with `--verbose`, and report its output together with the input.",
  },
  MG2019: {
    title: "A variable is not the URL of a proxy",
    exit: 2,
    explanation:
      "Commands that connect to a URL use the proxies that `HTTPS_PROXY` and `HTTP_PROXY` name, in lower or upper case, except for the hosts of `NO_PROXY`. A proxy is `http://HOST:PORT` or `https://HOST:PORT`, perhaps with a user and a password; SOCKS is not supported.",
  },
  MG2020: {
    title: "Handlers cannot be written in this revision",
    exit: 2,
    explanation:
      "The vocabulary is the revision that handlers write and clients read, in all connections. It must be finished, for a draft may still change, and be among the `revisions` of the configuration, if that names some. `mcpgen revision list` shows the revisions and the present vocabulary.",
  },
  MG2018: {
    title: "The command needs the id of a task",
    exit: 2,
    explanation:
      "Without an id, the commands of `mcpgen task` take the only task that this machine has started on the server and not seen end. There is none, or there are several: the message lists them. `mcpgen call … --detach` prints the id of its task, and `mcpgen task list SOURCE` shows tasks with their states.",
  },
} satisfies Record<string, Diagnostic>;

/** MG64xx: new projects. */
export const initDiagnostics = {
  MG6401: {
    title: "An existing file lacks parts that the new project needs",
    exit: 0,
    explanation:
      "`mcpgen init` never changes an existing file. Below the message it prints the members that your package.json or mcpgen configuration lacks: add them. For npm packages, run `npm install NAME@VERSION` for those in `dependencies`, and add `--save-dev` for those in `devDependencies`.",
  },
  MG6402: {
    title: "The new configuration does not name the server",
    exit: 0,
    explanation:
      '`mcpgen init client --server SOURCE` writes SOURCE beside the contract in mcpgen.config.json, so that `mcpgen check` compares the server with the contract. Other people read that file, so mcpgen does not write a SOURCE that may contain a secret: a password, a URL query, an assignment, or an option such as --token. It writes no SOURCE that needs `--header`, and no server name that the hosts\' files do not have in the folder of the project. Name the server in .mcp.json, with variables (`${NAME}`) for secrets, and add that name to the configuration: `"server": "NAME"`.',
  },
} satisfies Record<string, Diagnostic>;

/** MG67xx: packaging a server for publication. */
export const packageDiagnostics = {
  MG6701: {
    title: "The package does not work for other people yet",
    exit: 0,
    explanation:
      "mcpgen has written the files, but the project lacks something. The MCP registry accepts an npm package only if its `mcpName` is the name in server.json. Hosts start the package with npx, which needs `bin`, and `#!/usr/bin/env node` as the first line of the program. A Docker image cannot contain a dependency outside the project folder: use a version from a registry. The message says what to change.",
  },
  MG6702: {
    title: "Data that the package format requires is missing",
    exit: 2,
    explanation:
      "A bundle requires an author. The MCP registry requires a namespace that the publisher owns. Every format requires a package.json that contains an object, whose `name` is one that npm allows. The message names the missing part and the option or member that provides it.",
  },
} satisfies Record<string, Diagnostic>;

/** MG68xx: the development loop. */
export const devDiagnostics = {
  MG6801: {
    title: "The project does not compile",
    exit: 1,
    explanation:
      "`mcpgen dev` compiles the project by its tsconfig.json after each change, and reports an error at the place of the message; TS and a number is TypeScript's own code. After an error of syntax, mcpgen writes no JavaScript, and the server of the last change keeps running. Types are checked by the project's own TypeScript while the server restarts: an error of types is reported, and the server runs all the same. If the settings have neither isolatedModules nor verbatimModuleSyntax, or write declarations, the JavaScript needs the types, and the server restarts after the check. Correct the place and save the file.",
  },
  MG6802: {
    title: "The server does not run",
    exit: 4,
    explanation:
      "`mcpgen dev` started the server, and the process ended, or did not answer. The message quotes the last line that the server printed on standard error; `--verbose` prints all of them. mcpgen starts the server again after the next change. Requests that were open got an error; later messages of the client wait for the next server.",
  },
  MG6803: {
    title: "The types are not checked",
    exit: 0,
    explanation:
      "`mcpgen dev` found a tsconfig.json, and no package `typescript` that the project can import. It writes the JavaScript and starts the server, but cannot report errors of types. Install the package as a development dependency.",
  },
  MG6804: {
    title: "A tool exceeds a limit of hosts",
    exit: 0,
    explanation:
      "`mcpgen dev` compares each tool call of its page, or of the client of `--stdio`, with limits of hosts, and reports each tool once. A tool that sends neither a result nor progress for 30 s is too quiet: hosts give up, some after 60 s, and load balancers after 30 to 100 s. The time in which the server asks its user does not count: report progress in the handler, or let the tool run as a task. Hosts cut long results, and their models do not see the rest: return less at a time. Some take a text that is JSON for structured content, which must be an object, and fail: return an object as `structuredContent`. The page about hosts has the limits.",
  },
} satisfies Record<string, Diagnostic>;

/** MG22xx: servers named in a host's configuration. */
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
