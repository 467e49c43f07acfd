import type { Diagnostic } from "../diagnostic.js";

/** MG41xx: servers that commands connect to. MG63xx: what servers offer, compared with a contract. */
export const serverDiagnostics = {
  MG4101: {
    title: "The server cannot be started",
    exit: 4,
    explanation:
      "The text after `stdio:` is a program and its arguments, separated by spaces. Put an argument that contains a space in quotes. mcpgen starts the program without a shell, so it expands no variables or patterns and connects no pipes. It searches PATH for the program; relative paths start at the working directory. Check the command, and that the program is installed.",
  },
  MG4102: {
    title: "The connection to the server failed or was lost",
    exit: 4,
    explanation:
      "A process has exited, or has closed its standard input or output. The lines below the message are the end of its standard error. Start the server yourself, and read what it prints. mcpgen passes on only the environment variables that a program needs to run; `--env NAME` adds one. Over HTTP the URL may be wrong, or the server refuses what the request may do (403). If the session has ended, run the command again.",
  },
  MG4103: {
    title: "The server does not answer",
    exit: 4,
    explanation:
      "The server sent no answer and no progress in time. Check that the program is an MCP server: another program may wait for input forever. If the program installs itself first, or works for a long time, raise the limit with `--timeout SECONDS`. If the message quotes lines from standard output, the server must print them on standard error.",
  },
  MG4104: {
    title: "The server and mcpgen have no revision in common",
    exit: 4,
    explanation:
      "The server supports none of the generated revisions, or not the revision of `--revision`. The message names the revisions of both sides, as far as they are known. Omit `--revision`, or generate a revision that the server supports.",
  },
  MG4105: {
    title: "The server returned an error or an invalid answer",
    exit: 4,
    explanation:
      "The server refused the request, lacks the capability or resource, or sent an answer that the protocol revision does not allow. The message quotes the answer; the line below it is the `data` of the error, which `--json` has in `error.rpc`. `mcpgen list SOURCE` shows what the server offers. If the server is yours, read its log, and check a recorded exchange with `mcpgen validate`.",
  },
  MG4106: {
    title: "The server asks for a login",
    exit: 4,
    explanation:
      "The server answered 401 or 403, and there are no credentials for it, or not for all scopes that it names. At a terminal, mcpgen opens the browser. Without a terminal, with `CI` set, with `--quiet` or a format for programs it asks nothing: run `mcpgen login URL` once, or set `MCPGEN_ISSUER` with `MCPGEN_ASSERTION_FILE`, or with `MCPGEN_CLIENT_ID` and `MCPGEN_CLIENT_SECRET`; or set `MCPGEN_TOKEN`. For a server without OAuth, `--header NAME:VALUE` sends what it asks for. With `--json`, `error.authorization` names issuer, resource and scopes.",
  },
  MG4107: {
    title: "The authorization failed",
    exit: 4,
    explanation:
      "The server, or the authorization server that it names, differs from what the specification requires, or it refused the client, the user or the credentials. The message names the check that failed. mcpgen sends no credentials after such a check has failed.",
  },
  MG4108: {
    title: "The handle of a task cannot be kept",
    exit: 0,
    explanation:
      "mcpgen keeps each task that `call` starts in a file below `$XDG_STATE_HOME/mcpgen/tasks`, so that later commands find it. The file cannot be written. The task goes on, and its id works without the file: give it to `mcpgen task result SOURCE ID`. Check the permissions of the folder.",
  },
  MG4109: {
    title: "The server asks its user to open a page first",
    exit: 4,
    explanation:
      "The server answered with the error -32042 (2025-11-25, URL elicitation required): the request can succeed only after its user has opened a page, for example to connect an account. The lines below the message are the message of each page, its full URL and its host. mcpgen never opens such a page: open it yourself, if you trust its host, and run the command again. With `--json`, `error.rpc.data` has the pages.",
  },
  MG6301: {
    title: "The contract leaves out an invalid entry of a server's list",
    exit: 1,
    explanation:
      "The entry does not match the protocol, or has the same name as an earlier entry. No client could use it, and many clients reject the whole list because of it. The contract has all other entries. Correct the entry in the server, and capture again.",
  },
  MG6302: {
    title: "The contract file already exists, with other content",
    exit: 2,
    explanation:
      "mcpgen does not overwrite the file without `--replace`, because it may contain comments and changes of yours that the server does not send. First run `mcpgen check --server SOURCE --contract FILE`, which shows the differences. Then repeat the command with `--replace`, or write to another file with `--out`.",
  },
  MG6303: {
    title: "The server did not send its name",
    exit: 0,
    explanation:
      "A contract needs the name and the version of the server. The server sent no name, so the contract has the name `server`, and the version `0.0.0` if the server sent no version either. Correct both in the contract.",
  },
  MG6304: {
    title: "The tool returned an error",
    exit: 1,
    explanation:
      "The server executed the request, and the result of the tool has `isError: true`. mcpgen prints the content of the result. Correct the arguments as that content says.",
  },
  MG6305: {
    title: "The server has no such tool",
    exit: 2,
    explanation:
      "The name of a tool must match exactly, including upper and lower case. The message names a similar tool, or the tools of the server. `mcpgen list SOURCE` shows all.",
  },
  MG6306: {
    title: "The server refused the arguments of a tool",
    exit: 2,
    explanation:
      "The server answered the call with the JSON-RPC error -32602 (invalid params). The message quotes the server. `mcpgen list SOURCE` shows the types of the arguments, and `mcpgen capture SOURCE --out -` the whole schema.",
  },
  MG6309: {
    title: "An argument does not match the schema",
    exit: 2,
    explanation:
      "mcpgen converts `key=value` to the type in the input schema of the tool: to a string if the schema allows one, otherwise to a number, `true`, `false` or `null`. `key:=JSON` passes any JSON value. `outer.inner=value` sets a member of an object. To build an array, repeat the key. Of a union, the alternatives count whose constants fit the given values; if none fits, all count. mcpgen refuses an unknown key (unless the schema allows additional properties), a value of another type, and a missing required argument. `mcpgen list SOURCE` shows the types. mcpgen does not check `--args JSON`: the server does. All arguments of prompts are strings.",
  },
  MG6310: {
    title: "The output file already exists",
    exit: 2,
    explanation:
      "mcpgen overwrites a file of `--output` (in `call`, `read` and `prompt`) or of `mcpgen package` only with `--replace`. It has changed nothing, and has sent no request. Look at the file; then use `--replace` or another path. If `--output` is a folder, mcpgen keeps the files in it, and adds a number to the name of a new one.",
  },
  MG6311: {
    title: "The server has no such prompt",
    exit: 2,
    explanation:
      "The name of a prompt must match exactly, including upper and lower case. The message names a similar prompt, or the prompts of the server. `mcpgen list SOURCE` shows all.",
  },
  MG6312: {
    title: "The value of --answer does not fit the form",
    exit: 2,
    explanation:
      "A server can ask its user to fill in a form (elicitation). `--answer FIELD=VALUE` fills in one field. If the field does not allow the value, mcpgen has cancelled the form. If no form had the field, the name is probably misspelt; the message names the fields. The server has done its work by then, so the result is printed, too. `FIELD:=JSON` passes numbers, booleans and arrays. To give several choices, repeat the option.",
  },
  MG6313: {
    title: "The server prints something other than messages on standard output",
    exit: 0,
    explanation:
      "With the stdio transport, standard output may contain only MCP messages. mcpgen ignores other lines; some hosts show them as errors, and some disconnect. Print logs on standard error: `console.error` in Node.js, `stream=sys.stderr` in Python. In a server with `@mcpgen/runtime`, import `@mcpgen/runtime/stdio-guard` first: it redirects what libraries print.",
  },
  MG6307: {
    title: "A contract can be compared only with a contract or a server",
    exit: 2,
    explanation:
      "`mcpgen diff` compares two revisions (or schema files), or two contracts (or live servers). A `.yaml` file is a contract; so is a JSON file with a name and without definitions. Beside a contract, a URL is a live server, unless it ends in `.json`, `.yaml` or `.yml`. To see what two revisions change for one server, use `--for CONTRACT`.",
  },
  MG6308: {
    title: "The live server differs from its contract",
    exit: 1,
    mayWarn: true,
    explanation:
      "The message names the rule (`mcpgen explain RULE`), the place, and two levels. `client` is the effect on a client written for the contract that calls the live server. `server` is the effect on a server written for the contract that is called by a client of the live server. Correct the server; or, if the difference is intended, update the contract with the command in the last line. With `--fail-on breaking`, other differences are warnings.",
  },
  MG6314: {
    title: "The refusal of the server does not name its metadata",
    exit: 0,
    explanation:
      'A server that asks for a token answers 401 with `WWW-Authenticate: Bearer resource_metadata="URL"`: clients find the authorization server by the metadata at this URL. Clients of 2025-11-25 and later also look at the well-known places; older ones do not. `resourceServer()` of `@mcpgen/auth/server` writes the header.',
  },
  MG6315: {
    title: "The metadata of the protected resource cannot be read",
    exit: 1,
    mayWarn: true,
    explanation:
      "The metadata (RFC 9728) is a JSON object at the URL of the challenge, or at `/.well-known/oauth-protected-resource`, followed by the path of the server: for `https://example.com/mcp`, `https://example.com/.well-known/oauth-protected-resource/mcp`. It is answered with 200 and `application/json`, without a redirect, with at most 64 KB. Servers that are mounted below a path often serve it below that path, too: pass the routes of the well-known place to the handler. It is a warning if clients find the metadata at another place after all.",
  },
  MG6316: {
    title: "The metadata describes another resource",
    exit: 1,
    mayWarn: true,
    explanation:
      "`resource` of the metadata is the URL of the server, exactly as clients write it. Otherwise clients refuse to ask for a token: it could be one for another server. It is a warning if the URL contains that of the server: the origin, or the beginning of the path. Then a token is valid for everything below it. Behind a proxy, configure the public URL (`resource` of `resourceServer()`).",
  },
  MG6317: {
    title: "The metadata names no authorization server",
    exit: 1,
    explanation:
      "`authorization_servers` of the metadata is a list of issuers, with at least one. Without it, clients cannot ask for a token.",
  },
  MG6318: {
    title: "The authorization server cannot be used",
    exit: 1,
    explanation:
      "Clients read the metadata of the issuer at `/.well-known/oauth-authorization-server` or `/.well-known/openid-configuration`, with the path of the issuer behind it. The server must answer in five seconds without a redirect, over https, and `issuer` in the document must equal the URL in `authorization_servers`, character by character: a slash at the end is a difference. An authorization server with a private address needs `MCPGEN_PRIVATE_NETWORK=1`.",
  },
  MG6319: {
    title: "The authorization server does not list PKCE with S256",
    exit: 1,
    explanation:
      "Clients must refuse a login if `code_challenge_methods_supported` does not contain `S256` (2025-11-25, authorization code protection). Let the authorization server list it. Some that support PKCE do not, such as Entra ID and Cognito: clients need an exception for these (`issuers` of `oauth()`).",
  },
  MG6320: {
    title: "The metadata does not offer scopes of the contract",
    exit: 0,
    explanation:
      "`scopes_supported` of the metadata lists the scopes that clients ask for first. The contract requires others for single entries: clients get to know them by a refusal with 403, and the user has to consent once more. List them if most users need them (`scopes.supported` of `resourceServer()`); otherwise, leave it so.",
  },
  MG6321: {
    title: "The contract has scopes, and the server asks for no token",
    exit: 0,
    explanation:
      "The server has answered a request without a token. Scopes of the contract have an effect only with `authenticate` and `permit` on the HTTP endpoint, such as those of `resourceServer()`.",
  },
  MG6322: {
    title: "The server has no such task",
    exit: 2,
    explanation:
      "The id is wrong, or its task has expired, ended with the process of its server (without a store that lasts), or belongs to another login. Servers give the same answer in each case. Compare the id with `mcpgen task list SOURCE`, and log in as when the task was started. A task that is gone is started again by a call.",
  },
  MG6323: {
    title: "The task is one of another server",
    exit: 2,
    explanation:
      "A command of this machine started the task on another server, or reached the same server by another address. Its id, and answers to its questions, are for that server alone: mcpgen sends them to no other. Name the server as in the call; `mcpgen task list` shows all.",
  },
  MG6324: {
    title: "The server has no tasks",
    exit: 2,
    explanation:
      "The server declares neither the extension `io.modelcontextprotocol/tasks` (2026-07-28) nor the capability `tasks` (2025-11-25). Calls without `--detach` work: they wait for the result. With `--revision`, the server may have tasks at another revision.",
  },
  MG6325: {
    title: "The task was cancelled",
    exit: 1,
    explanation:
      "A client, or the server, cancelled the task before it had a result. It stays cancelled. A call starts a new task.",
  },
  MG6326: {
    title: "The task failed",
    exit: 1,
    explanation:
      "The task ended with a JSON-RPC error, which the message quotes: the handler failed, took too long, or its server stopped and was not to run it again (`onRestart`). Waiting does not change it. Read the server's log; a call starts a new task.",
  },
  MG6327: {
    title: "A list of the server cannot be read",
    exit: 0,
    explanation:
      "The server declares the list, and answered the request for it with an error, with nothing, or with something other than a list; null counts as an empty list. `list`, `docs` and the page of `dev` show the other lists, and the pages that came before; `lint` needs the tools alone. `capture`, `check` and `init` end with the error, because a contract must have every list. Correct the server: a list without entries is `[]`.",
  },
  MG6328: {
    title: "A list of the server may leave entries out",
    exit: 0,
    informs: true,
    explanation:
      "The server answered with a part of the list, as its revision allows, or was asked for a part with `--ask`. The contract then has `complete: false`, and in `asked` what the server was asked for. `mcpgen capture SOURCE --ask tools.query=weather` asks for more: what it adds is merged into the contract. Entries that the server only refers to are fetched one by one, where the revision has a request for that.",
  },
  MG6329: {
    title: "An incomplete list does not name an entry of the contract",
    exit: 0,
    informs: true,
    explanation:
      "The server leaves entries out of the list, and the revision has no request for a single entry, or the server refused it. So nothing is known of the entry: it may be there or not, and it may have changed. It is no difference. Where the revision has such a request, an entry that the server does not have is reported as removed.",
  },
  MG6331: {
    title: "The host is not installed",
    exit: 2,
    explanation:
      "`mcpgen host test` runs the user's own installation of a host: it looks for its program in `node_modules/.bin` and in the folders of PATH. The next line installs it. Without `--host`, it runs the hosts that it finds.",
  },
  MG6332: {
    title: "The file of --script has no calls that can be made",
    exit: 3,
    explanation:
      "The file of `--script` is a JSON array. Each element is a call: `tool`, a name that the server lists, and `arguments`, an object. Without `--script`, `mcpgen host test` calls each tool once that is marked with `readOnlyHint`, with the examples of its schema or the smallest valid arguments; at a terminal, it asks which other tools are called.",
  },
  MG6333: {
    title: "A host fails, or keeps something of the server from its model",
    exit: 1,
    explanation:
      "`mcpgen host test` runs a real host with a model that plays a script. The host did not start, did not ask the model, did not offer a tool to it, or the model got no result of a call, or an error for a result that the server does not mark as one. Hosts refuse names and schemas that the API of their model does not take: `mcpgen lint` reports many of them. `--json` has everything that the host printed, and all that reached the model.",
  },
  MG6334: {
    title: "A host gives up on the server",
    exit: 0,
    explanation:
      "With `--faults`, `mcpgen host test` runs a host again for each fault of a network or a server, in front of the server: a restart, a session that is gone, a tool that is quiet, a connection that ends in the middle of an answer, a changed list. The host did not come back: the next call had no answer of the server. Or the model did not get the changed list. Or a tool was quiet for longer than the host is known to wait. It is a warning: the fault was made, not found.",
  },
  MG6330: {
    title: "With --replace, a list that leaves entries out would delete them",
    exit: 2,
    explanation:
      "The server leaves entries out of a list. A contract that is replaced with that list loses the entries that it had from earlier captures, and so does the client that is generated from it. Leave `--replace` out: then `capture` merges, and only entries that the server says it does not have are deleted. `--replace --all` replaces the contract all the same.",
  },
} satisfies Record<string, Diagnostic>;
