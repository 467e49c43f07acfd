import type { Diagnostic } from "../catalogue.js";

/** MG20xx: command line. MG21xx: configuration. MG40xx: network. MG70xx: bugs of ours. */
export const usageDiagnostics = {
  MG2001: {
    title: "There is no such command",
    exit: 2,
    explanation:
      "The first word after `mcpgen` names the command. `mcpgen --help` lists them all, `mcpgen COMMAND --help` describes one.",
  },
  MG2002: {
    title: "There is no such option",
    exit: 2,
    explanation:
      "Options are strict, so that a misspelt one is never ignored in silence. `mcpgen COMMAND --help` lists the options of a command.",
  },
  MG2003: {
    title: "An argument or an option's value is missing",
    exit: 2,
    explanation:
      "The command needs an argument that was not given, or an option stands at the end without its value. `mcpgen COMMAND --help` shows the form.",
  },
  MG2004: {
    title: "An option has a value it cannot have",
    exit: 2,
    explanation:
      "The option takes one of a fixed set of values, or a value of a certain form; the message names them.",
  },
  MG2005: {
    title: "Options do not go together",
    exit: 2,
    explanation:
      "Some options need another one (`--schema` needs `--name`), and some exclude each other (`--quiet` and `--verbose`). The message names the pair.",
  },
  MG2006: {
    title: "There is no such code or rule",
    exit: 2,
    explanation:
      "Codes are the letters MG and four digits, as printed with every error and finding, e.g. `mcpgen explain MG3102`. `mcpgen explain` without one lists them all, and the rules of diff and lint.",
  },
  MG2007: {
    title: "The revision has no name",
    exit: 2,
    explanation:
      "`mcpgen revision add` takes the name of the folder the file lies in, if that is a date (2025-11-25) or `draft`. For any other file say what the revision is called: `--name 2025-11-25`. Names are never guessed from the content.",
  },
  MG2008: {
    title: "A revision cannot have this name",
    exit: 2,
    explanation:
      "A revision's name is the name of its folders, in the schema folder and in the output: letters, digits, `-`, `_` and `.`, starting with a letter or digit, at most 64 characters, and no name that the output or the operating system uses for something else.",
  },
  MG2009: {
    title: "The revision is there already, with other content",
    exit: 2,
    explanation:
      "Released files change in place upstream now and then, so replacing one is a decision: look at the difference first (`mcpgen revision verify R FILE` says whether its meaning differs), then repeat the command with `--replace`.",
  },
  MG2010: {
    title: "There is no such revision",
    exit: 2,
    explanation:
      "The schema folder has no revision of that name. `mcpgen revision list` shows those it has; `mcpgen revision add FILE` brings in a new one.",
  },
  MG2011: {
    title: "The built protocol package cannot be loaded",
    exit: 2,
    explanation:
      "`mcpgen validate` judges messages with the generated validators: @mcpgen/protocol as resolved from the working directory, or the `dist` folder inside the configured output folder. Generate and build first, in that order: `mcpgen generate`, then the build of the package that holds the output (`npm run build` in this repository).",
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
      "Commands that speak with servers use @mcpgen/runtime and the tables of @mcpgen/protocol, which the compiler itself does without. Install both beside mcpgen or in your project; in this repository, `npm run build` makes them.",
  },
  MG2014: {
    title: "This SOURCE is no server",
    exit: 2,
    explanation:
      'A server is named by its URL (`https://example.com/mcp`), or by `stdio:` and the command that starts it (`"stdio:node server.js"`), in quotes for the shell where it has arguments, or by the name that the file of a host gives it (`mcpgen list` shows these).',
  },
  MG2015: {
    title: "A project cannot have this name",
    exit: 2,
    explanation:
      "The name of a server is for programs: hosts keep it in their configuration, and the npm package and the generated code are called by it. So it is letters, digits, `-`, `_` and `.`, at most 64, the first and last a letter or digit. What people read is the `title` in the contract, which can be any text. Without `--name` the server is called as the folder, with what is not allowed replaced by `-`; where nothing is left, it has to be named.",
  },
  MG2016: {
    title: "The questions were left",
    exit: 130,
    explanation:
      "Ctrl-C or Escape at a question of `mcpgen init` ends it before anything is written. Each question has an option (`--name`, `--revision`, DIR), and `--yes` takes what would be proposed. Nothing is asked where no terminal listens, under `CI`, and with `--quiet` or a format for programs.",
  },
  MG2101: {
    title: "The configuration file cannot be used",
    exit: 2,
    explanation:
      "mcpgen.config.json, .js or .ts is looked for in the working directory and its parents; `--config` names one directly. It must exist, be readable, hold one object (a module: as its default export), and stand alone in its folder.",
  },
  MG2102: {
    title: "The configuration has a key that means nothing",
    exit: 2,
    explanation:
      "Unknown keys are refused, so that a misspelt one is never ignored in silence. The keys are revisions, schema, out, package, contracts, importExtension, templates, plugins and diff; `defineConfig` from mcpgen types them.",
  },
  MG2103: {
    title: "A value in the configuration has the wrong type",
    exit: 2,
    explanation: "The message says which key, what is expected there and what was found.",
  },
  MG2104: {
    title: "This Node.js cannot import TypeScript",
    exit: 2,
    explanation:
      "mcpgen.config.ts is imported by Node.js itself, which can do that from 22.18 and 23.6 on. With an older one, name the file mcpgen.config.js or mcpgen.config.json.",
  },
  MG4001: {
    title: "The server cannot be reached",
    exit: 4,
    explanation:
      "The name could not be resolved, the connection was refused or broke off. mcpgen touches the network only when it is given a URL; downloading the file yourself and naming the copy does the same.",
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
      "A download may take 30 seconds in all. Try again, or download the file yourself and name the copy.",
  },
  MG4004: {
    title: "The server leads elsewhere",
    exit: 4,
    explanation:
      "A download follows at most five redirects, to http and https addresses alone, and never from https to http. Open the URL in a browser to see where it leads, and name that address.",
  },
  MG7001: {
    title: "A bug in mcpgen",
    exit: 70,
    explanation:
      "Something in mcpgen itself went wrong; your input may be unusual, but this is never your fault. Repeat the command with `--verbose` for the details and report them with the input that causes it.",
  },
} satisfies Record<string, Diagnostic>;
