import type { Diagnostic } from "../catalogue.js";

/** MG41xx: servers that commands speak with. MG63xx: what they offer, beside a contract. */
export const serverDiagnostics = {
  MG4101: {
    title: "The server cannot be started",
    exit: 4,
    explanation:
      "What follows `stdio:` is a program and its arguments, separated by spaces; quote what holds one. No shell reads it: there are no variables, patterns or pipes. The program is looked for in PATH, and relative paths start at the working directory.",
  },
  MG4102: {
    title: "The connection to the server is lost, or never was one",
    exit: 4,
    explanation:
      "The process has ended, or no longer reads or writes; what it last printed on standard error stands below the message. Over HTTP the address may be wrong, or the server wants authorization: `--header NAME:VALUE` sends what it asks for. Servers inherit only variables that hold no secrets; `--env NAME` passes one on.",
  },
  MG4103: {
    title: "The server does not answer",
    exit: 4,
    explanation:
      "No answer and no progress came in time. A program that is no MCP server waits for input for ever; one that installs itself first needs more time: `--timeout SECONDS`. The message quotes other lines that it prints on standard output: they belong on standard error.",
  },
  MG4104: {
    title: "No revision of the protocol is common",
    exit: 4,
    explanation:
      "The server speaks none of the revisions that were generated, or not the one asked for with `--revision`. The message names both lists as far as they are known.",
  },
  MG4105: {
    title: "The server answers with an error, or with what is no answer",
    exit: 4,
    explanation:
      "The server has refused a request, or its answer is not what the protocol's revision says an answer is. The message quotes it. The authors of the server can judge a recorded exchange with `mcpgen validate`.",
  },
  MG6301: {
    title: "An entry of a server's list is left out of the contract",
    exit: 1,
    explanation:
      "The entry is not what the protocol says it should be, or has the name of another one: no client could use it, and many clients lose the whole list over it. All other entries are captured. Mend the server.",
  },
  MG6302: {
    title: "A contract is there already, with other content",
    exit: 2,
    explanation:
      "The file may hold what a server does not send: comments, and decisions. Look at the difference first with `mcpgen check --server SOURCE --contract FILE`, then repeat the command with `--replace`.",
  },
  MG6303: {
    title: "The server has not said what it is called",
    exit: 0,
    explanation:
      "A contract has a name and a version. The server sent none, so they are `server` and `0.0.0`: give it better ones in the file.",
  },
  MG6304: {
    title: "The tool ended with an error",
    exit: 1,
    explanation:
      "The call itself went well, and its result says `isError`: what the tool says about it is printed. Other arguments may do better.",
  },
  MG6305: {
    title: "The server has no such tool",
    exit: 2,
    explanation:
      "Names of tools are exact. The message names the nearest; `mcpgen capture SOURCE --out -` shows all of them.",
  },
  MG6306: {
    title: "The server refuses the arguments of a tool",
    exit: 2,
    explanation:
      "What was given with `--args` is not what the tool's input schema asks for. The server's words stand in the message; `mcpgen capture SOURCE --out -` shows the schema.",
  },
  MG6309: {
    title: "An argument is not what a schema asks for",
    exit: 2,
    explanation:
      "`key=value` is read by the tool's input schema: a text where one may stand, else a number, `true`, `false` or `null`; `key:=JSON` gives any value, `outer.inner=value` a member of an object, and one key several times a list. A key that the schema does not name is refused, unless the schema leaves others open; so is a value of another type, and a required argument that is missing. `mcpgen list SOURCE` shows the types. `--args JSON` passes anything: then the server judges. Arguments of prompts are texts.",
  },
  MG6310: {
    title: "The file is there already",
    exit: 2,
    explanation:
      "`--output` of `call`, `read` and `prompt`, and `package`, replace an existing file only with `--replace`. No request was sent. In a folder `--output` replaces nothing: the new file gets a number.",
  },
  MG6311: {
    title: "The server has no such prompt",
    exit: 2,
    explanation:
      "Names of prompts are exact. The message names the nearest; `mcpgen list SOURCE` shows all of them.",
  },
  MG6312: {
    title: "An answer does not fit the form",
    exit: 2,
    explanation:
      "`--answer FIELD=VALUE` fills in a field of a form that the server asked its user to fill in. The value is not what the field takes, or the server asked for no field of that name. The form was cancelled where the value was wrong. `FIELD:=JSON` gives numbers, booleans and lists; one field several times a list.",
  },
  MG6313: {
    title: "The server prints on standard output what is no message",
    exit: 0,
    explanation:
      "Over stdio, standard output holds messages of the protocol and nothing else (specification, transports, stdio). This client passes such lines over; others show them as errors, or give the server up. Logs belong on standard error: `console.error` in Node.js, `stream=sys.stderr` in Python. A server of `@mcpgen/runtime` imports `@mcpgen/runtime/stdio-guard` first, which moves what libraries print.",
  },
  MG6307: {
    title: "A contract is compared with what is none",
    exit: 2,
    explanation:
      "`mcpgen diff` compares two revisions (or schema files), or two contracts (or live servers). A `.yaml` file, and a JSON file with a name and no definitions, is a contract; beside one, a URL that does not end in `.json`, `.yaml` or `.yml` is a live server.",
  },
  MG6308: {
    title: "The live server differs from its contract",
    exit: 1,
    mayWarn: true,
    explanation:
      "The message names the rule (`mcpgen explain RULE` says more), the place, and what the difference means for each role: for a client, or a server, written for the contract when the other side does as the live server does. Either the server is to be mended, or the contract: the last line takes over what the server says. `--fail-on breaking` lets the rest pass as warnings.",
  },
} satisfies Record<string, Diagnostic>;
