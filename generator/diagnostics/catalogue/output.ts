import type { Diagnostic } from "../diagnostic.js";

/** MG30xx: planning and writing output. MG31xx: check and drift. */
export const outputDiagnostics = {
  MG3001: {
    title: "The contents of a file would be lost",
    exit: 1,
    explanation:
      "mcpgen would have to overwrite or delete a file that was edited by hand, or a file that is not in manifest.json. mcpgen has changed nothing. If the edit is to stay, make it in the source: the schema's notes, a template, or your own code. `mcpgen generate --force` overwrites the file. If the file is not in the manifest, it may be the only copy of your work: move it away, or choose another output folder with `--out`.",
  },
  MG3002: {
    title: "The output folder, or a path in it, cannot be used",
    exit: 2,
    explanation:
      "mcpgen writes only below the output folder. It never follows a symbolic link inside the folder. It never replaces a folder with a file, or a file with a folder. The output folder cannot be a file, an unreadable folder or the root of the file system. Remove what the message names, or choose another folder with `--out`.",
  },
  MG3003: {
    title: "The output cannot be written",
    exit: 2,
    explanation:
      "The operating system refused to write. Common causes are missing permissions, a full disk, or a file that another program has open. mcpgen writes all files or none, so the output is unchanged. Remove the cause and run the command again.",
  },
  MG3004: {
    title: "Another run is writing to the same folder",
    exit: 2,
    explanation:
      "Two runs at the same time would mix their output. Wait until the other run has ended. The message names its process. If that process is not mcpgen, the run has died and the system has given its process id to another program: then delete the file that the message names.",
  },
  MG3005: {
    title: "An earlier run was interrupted",
    exit: 1,
    mayWarn: true,
    explanation:
      "The process of an earlier run was killed while it replaced files: manifest.json says which ones it had begun to write. `mcpgen check` writes nothing, so it reports this as an error. `mcpgen generate` writes the files again, and reports a warning. You need not do anything else.",
  },
  MG3006: {
    title: "The manifest is malformed",
    exit: 3,
    explanation:
      "manifest.json in the output folder records the files that mcpgen wrote. Without it, mcpgen cannot distinguish a file that was edited by hand from an older output. The usual cause is a merge conflict. Restore the file from version control, or run `mcpgen generate --force`, which writes all files again and overwrites manual edits.",
  },
  MG3007: {
    title: "The output of a revision would be lost",
    exit: 2,
    explanation:
      "With `--revision` or `--schema`, mcpgen generates only some revisions and keeps the output of the others. The files that all revisions share (index, authoring) need all their schemas. The output folder has a revision that the schema folder does not have; usually it was generated with `--schema` and `--name`. Add its schema with `mcpgen revision add`, or choose another folder with `--out`. `mcpgen generate` without these options deletes the output of revisions without a stored schema.",
  },
  MG3008: {
    title: "The state folder of the user cannot be used",
    exit: 2,
    explanation:
      "mcpgen keeps what it remembers (trusted folders, logins, tasks, the cache of `check`) in files of the user's state folder, `$XDG_STATE_HOME/mcpgen` or `~/.local/state/mcpgen`. It believes these files, so it refuses a file or folder there that belongs to another user, that other users can change, or that is a symbolic link. Check who made it, and remove it; or set `XDG_STATE_HOME` to an absolute path of your own.",
  },
  MG3009: {
    title: "A file of the project asks mcpgen to write outside of the project",
    exit: 2,
    explanation:
      "A path in mcpgen.config.json, in tsconfig.json or behind a symbolic link leads out of the project: the folder that Git keeps as one, or else the folder of the configuration. A repository that you have cloned must not decide what is written elsewhere. Choose a folder in the project, or name the folder yourself on the command line with `--out`. If you know the configuration, `mcpgen generate --force` writes outside of the project, too.",
  },
  MG3101: {
    title: "A generated file is out of date",
    exit: 1,
    explanation:
      "The file is as mcpgen wrote it, but the schema, its notes, a template, an option or mcpgen itself has changed since then. Run `mcpgen generate`.",
  },
  MG3102: {
    title: "A generated file is missing",
    exit: 1,
    explanation: "mcpgen would generate this file, but it does not exist. Run `mcpgen generate`.",
  },
  MG3103: {
    title: "The output folder has a file that mcpgen does not generate",
    exit: 1,
    explanation:
      "There are two cases. If the message says that the file is no longer generated, mcpgen wrote it earlier: `mcpgen generate` deletes it, and if it was edited, only with `--force`. If the file was never part of the output, `mcpgen generate` does not touch it: move it away or delete it, because the output folder may contain only output.",
  },
  MG3104: {
    title: "A generated file was edited by hand",
    exit: 1,
    explanation:
      "The content of the file differs from the checksum in manifest.json, or the manifest does not have the file. If the edit is to stay, make it in the source: the schema's notes, a template, or your own code. Then run `mcpgen generate --force`, which overwrites the file.",
  },
  MG3105: {
    title: "A stored schema differs from the imported one",
    exit: 1,
    explanation:
      "The checksum of schema.json differs from the one in schema/lock.json, or the file is not in canonical form. Never edit a stored schema: write corrections to notes.json. Restore the file from version control, or import it again with `mcpgen revision add FILE --replace`.",
  },
  MG3106: {
    title: "The schema folder and its lock have different revisions",
    exit: 1,
    explanation:
      "schema/lock.json has an entry for a revision without a schema, or the folder has a schema without an entry. Restore the missing part from version control, or import the revision with `mcpgen revision add`. If you no longer need the revision, delete its folder and its entry.",
  },
  MG3107: {
    title: "A carried note is not confirmed, or could not be carried over",
    exit: 0,
    explanation:
      '`mcpgen revision add` copies the notes of the newest released revision to the new one, marked with `"carried": true`. Check each note against the new specification. If it still holds, delete the mark; otherwise delete the note. A note that does not fit the new schema is not copied; the message says why.',
  },
  MG3108: {
    title: "The revision was imported from another file",
    exit: 1,
    explanation:
      "The sha256 of the file differs from the one in schema/lock.json. If the canonical forms are equal, only descriptions or formatting differ. Otherwise the authors of the protocol have changed the released file, or the file belongs to another revision. `mcpgen revision add FILE --name R --replace` stores the new file.",
  },
  MG3109: {
    title: "A message does not follow the protocol",
    exit: 1,
    explanation:
      "The line is not a JSON-RPC message, or the message is not valid in the revision that was checked. The lines below the error name the place in the message (JSON Pointer), the expected value and the value found.",
  },
  MG3110: {
    title: "The published file of a revision has changed",
    exit: 1,
    mayWarn: true,
    explanation:
      "The authors of the protocol sometimes change the file of a released revision (rule published-file-changed). `mcpgen check --upstream` lists the differences. It prints a warning if only descriptions or formatting differ. `mcpgen upgrade SOURCE --name R --replace` stores the new file and generates again.",
  },
  MG3111: {
    title: "There is a new revision of the protocol",
    exit: 1,
    explanation:
      "`mcpgen check --upstream` read a file that belongs to no revision in the schema folder. mcpgen identifies the revision of a file by the first of these that decides: `--revision`, the sha256 in schema/lock.json, equal definitions, the name of the folder in its address, and the share of definitions that the nearest revision has unchanged. If that share is small, the file is a new revision if a client or server would notice the difference. `mcpgen upgrade SOURCE --name R` stores the file, generates, and lists the open decisions. If the file belongs to a known revision, name it with `--revision`.",
  },
  MG3112: {
    title: "The name of a new revision is probably wrong",
    exit: 0,
    explanation:
      "The new revision has the same file as another revision, or the same canonical form, or a date before the newest revision. mcpgen has added it. If the name is wrong, delete the folder of the revision, its entry in schema/lock.json and its output. The warning is harmless if a released revision has the same schema as the draft.",
  },
  MG3113: {
    title: "A new revision leaves something to decide",
    exit: 0,
    explanation:
      "No schema contains the answer: `mcpgen upgrade` asks a person. `--format github` prints each decision as a warning, with the questions and the notes that answer them. Every note is complete but for `reason` and `link`: paste it into notes.json at the place that is given, write both, and run `mcpgen generate`.",
  },
  MG3114: {
    title: "A new revision would break something",
    exit: 1,
    explanation:
      "`mcpgen upgrade --try` let a server and a client of every pair of revisions talk, without the new revision and with it. A call that was served before is no longer served, or a message is not what its revision describes. The details name the calls with their errors, or the messages. Write the notes that `mcpgen upgrade --dry-run` proposes, and try again; `--json` lists everything.",
  },
  MG3115: {
    title: "The conversations of a rehearsal failed",
    exit: 4,
    explanation:
      "`mcpgen upgrade --try` runs the conversations in a separate process, which gets the generated code and no variable of the environment. The process ended before it answered. The details have its standard error. `mcpgen upgrade` without `--try` is not affected.",
  },
} satisfies Record<string, Diagnostic>;

/** MG32xx: comparing two revisions or contracts. */
export const diffDiagnostics = {
  MG3201: {
    title: "A breaking difference",
    exit: 1,
    mayWarn: true,
    explanation:
      "A client or server written for the old revision or contract can fail when the other side uses the new one. `--verbose` and `--format json` print a counter-example: a message that is valid on one side only. `mcpgen explain RULE` says what to do. If the change is intended, approve the finding: the text report prints the entry for mcp-approvals.json. The finding is an error if it fails the command (`--fail-on`), and a warning otherwise.",
  },
  MG3202: {
    title: "A dangerous difference",
    exit: 1,
    mayWarn: true,
    explanation:
      "A client or server written for the old revision or contract may behave wrongly when the other side uses the new one. That depends on its code. `mcpgen explain RULE` says what to do. The finding is an error with `--fail-on dangerous` or `--fail-on any`, and a warning otherwise.",
  },
  MG3203: {
    title: "An approval matches no finding",
    exit: 0,
    explanation:
      "mcp-approvals.json has an entry whose finding does not exist any longer, because the change was reverted or has changed. Or the entry names another rule or subject than the finding with its fingerprint. Delete or correct the entry, so that it cannot approve a change that was not reviewed.",
  },
  MG3204: {
    title: "An approval has expired",
    exit: 0,
    explanation:
      "The date in `until` has passed, so the approval has no effect, and its finding can fail the command again. Review the finding: write a later date, or follow the advice of the finding and delete the entry.",
  },
  MG3205: {
    title: "The approvals file is malformed",
    exit: 3,
    explanation:
      'The file contains `{ "format": 1, "approvals": [ … ] }`. Each entry has `fingerprint`, `rule`, `subject`, `reason`, `by` and `until` (YYYY-MM-DD, the last day on which the approval is valid). An entry with `"values": "any"` in place of `fingerprint` approves every finding of its rule on its subject, whatever the old and the new value are: for a default that differs with each start. No two entries approve the same. The text report of `mcpgen diff` prints entries; replace `reason`, `by` and `until` in them.',
  },
  MG3206: {
    title: "The baseline is not a report of mcpgen diff",
    exit: 3,
    explanation:
      "`--baseline FILE` reads a report of `mcpgen diff OLD NEW --format json`. Findings whose fingerprints are in that report do not fail the command. Write the file again with that command.",
  },
  MG3207: {
    title: "A severity in the configuration is not allowed",
    exit: 2,
    explanation:
      "`diff.rules` in the configuration maps rule ids to `breaking`, `dangerous`, `safe` or `off`. The message names the wrong id or value. `mcpgen explain` lists the rules, and `mcpgen explain RULE` describes one.",
  },
  MG3208: {
    title: "There is no such revision or file",
    exit: 2,
    explanation:
      "`mcpgen diff` compares revisions of the schema folder, given by name, and schema files, given by path or URL. `mcpgen revision list` shows the revisions.",
  },
  MG3209: {
    title: "The code of --uses cannot be read",
    exit: 2,
    explanation:
      "`--uses` takes a folder or a tsconfig file. In a folder mcpgen reads the TypeScript files, and beside them the JavaScript files that import mcpgen or an official SDK; if there is no TypeScript, it reads all JavaScript files. It takes the options of the nearest tsconfig.json. A tsconfig file names its files. The message says what is wrong: the path is neither, there are no such files, or the tsconfig file is malformed. A tsconfig file with only `references` names no files: pass one of the files that it refers to.",
  },
  MG3210: {
    title: "A file of --uses has a syntax error",
    exit: 0,
    explanation:
      "The TypeScript compiler skips code that it cannot parse, so the report may lack uses in this file. Correct the syntax error and run the command again. Type errors do not matter: mcpgen does not type-check the code.",
  },
  MG3211: {
    title: "Imports of generated code or of an SDK cannot be resolved",
    exit: 0,
    explanation:
      "The compiler does not find the generated code or the SDK that a file imports. Without the types, mcpgen finds uses by name alone, so a place may be about something else. If an official SDK is not installed, mcpgen finds imported names, methods and functions of clients and servers, but no members of its types. Install the packages or run `mcpgen generate`, and compare again.",
  },
} satisfies Record<string, Diagnostic>;

/** MG66xx: problems that hosts and models have with a contract's entries. */
export const lintDiagnostics = {
  MG6601: {
    title: "A host rejects a tool",
    exit: 1,
    explanation:
      "The contract is valid MCP, but the model interface behind a host rejects the schema of the tool, usually together with all other tools of the request. The message names the rule and the profiles (model interfaces) that it applies to. `mcpgen explain RULE` gives the reason and the remedy; `mcpgen explain` lists all rules. `--profile` selects the profiles.",
  },
  MG6602: {
    title: "A host or a model may misread a tool",
    exit: 0,
    explanation:
      "Some hosts change or reject the schema, or a model may misunderstand the tool. The message names the rule and the profiles. `mcpgen explain RULE` gives the reason and the remedy.",
  },
  MG6603: {
    title: "A tool exceeds the token budget",
    exit: 1,
    explanation:
      "A host sends every tool of a server to the model in each request, so each tool uses part of the model's context. `--budget` limits the tokens of one tool. mcpgen estimates tokens as the bytes of the tool's entry in `tools/list`, divided by four. Shorten the description, remove what the names already say, or split the tool.",
  },
  MG6604: {
    title: "A member of an extension is wrong",
    exit: 1,
    mayWarn: true,
    explanation:
      "An extension adds a member to tools, resources, resource templates or prompts, such as `_meta.ui`, and the value in this entry is not what the extension defines: hosts that know the extension reject or ignore it. The message names the extension and its version: one of the schema folder, otherwise one that mcpgen brings. An unknown key is a warning, because a newer version may define it. `mcpgen extension add` stores another version.",
  },
  MG6605: {
    title: "A member belongs to an extension that is not declared",
    exit: 0,
    explanation:
      "A server declares this extension in its capabilities, and this one does not: clients may ignore the member. Enable the extension in the server (the option `extensions` of `createServer`) and add it to `capabilities` of the contract, or remove the member. Extensions that only clients declare cause no warning.",
  },
  MG6606: {
    title: "A tool requires tasks",
    exit: 0,
    explanation:
      'Most hosts have no tasks, and a tool with `task: { support: "required" }` refuses them: with -32021 at 2026-07-28, with -32601 at 2025-11-25, with a failed result at earlier revisions. With `"optional"` the same handler serves them: they wait for the result, and get its progress. For hosts that end a call after a time, add a tool that starts the work and returns an id, and one that returns its state. If the tool must not run without tasks, write a comment `mcpgen-allow MG6606: REASON` above the member.',
  },
  MG6607: {
    title: "A replayed handler does something outside of once",
    exit: 0,
    explanation:
      'With `replay: true`, a handler may run again from its first line after each answer to an ask; with `onRestart: "replay"` of a task, also after the end of its process. Then calls that are awaited, return a promise or whose result is unused, calls of `node:fs`, `node:child_process` or the network, and assignments to what is declared outside happen again, and `Date.now()` or `crypto.randomUUID()` have another value. With `replay: true` alone, only what comes before an ask, or runs while it is open, is reported. In `await context.once("KEY", () => …)` the result is stored, and a later run gets it from there. If repeating it does no harm, write a comment `mcpgen-allow MG6607: REASON` in the line or above it.',
  },
  MG6608: {
    title: "There is no contract file to fix",
    exit: 2,
    explanation:
      "`mcpgen lint FILE --fix` changes the file of a contract. What a live server lists, a download, standard input and code have no such file. Correct the code of the server; or write its contract with `mcpgen capture SOURCE --out FILE`, fix that file, and generate the server from it.",
  },
  MG6609: {
    title: "A replayed handler catches the end of a round",
    exit: 0,
    explanation:
      "In a handler that runs again, an ask without an answer throws to end the round. A `catch` that does not throw this again, the function of `.catch()`, and `Promise.allSettled` take it for a failure: the code after it runs without an answer, in each round. Handle the errors that you know, and throw all others again; or write a comment `mcpgen-allow MG6609: REASON` in the line or above it. A handler without `replay: true` waits, and catches only real errors.",
  },
  MG6610: {
    title: "A handler asks where nothing can wait for the answer",
    exit: 0,
    explanation:
      "A handler that asks waits for the answer in its process. With `state.parking: false`, and on workers, the ask fails from 2026-07-28 on; the process of a function may end before the answer. Write `replay: true` in the definition: the handler then runs again with the answer, and effects before the ask belong into `context.once`. Or serve it from a process that keeps running; in a Durable Object, with `state: { parking: {} }`. The message has the fact about the server that was found. If its clients are served elsewhere, write a comment `mcpgen-allow MG6610: REASON` in the line or above it.",
  },
} satisfies Record<string, Diagnostic>;

/** MG65xx: the user's handlers and the contract. */
export const syncDiagnostics = {
  MG6501: {
    title: "A handler is missing",
    exit: 1,
    explanation:
      "The contract has a tool, resource, resource template or prompt for which your code has no handler. `mcpgen sync` inserts a function that throws an error until you implement it. It changes nothing else in the file.",
  },
  MG6502: {
    title: "The contract has no entry for a handler",
    exit: 1,
    mayWarn: true,
    explanation:
      "Your code has a handler for an entry that the contract does not have. The server does not start with such a handler. `mcpgen sync` never deletes code. Remove the function, or add the entry to the contract; if the entry was renamed, move the code to the new name. In a class, a method that is typed as a handler (for example with `Handlers.Answer`) is an error. Any other public method is a warning: make it `private`, or ignore the warning.",
  },
  MG6503: {
    title: "Whether a handler is missing cannot be determined",
    exit: 0,
    explanation:
      'The code decides only at run time which handlers there are: by a spread, a computed key, a base class, a function call, or members that are added later. Or a type such as `Partial<Handlers>` makes handlers optional, or mcpgen cannot read the module that the handlers come from. mcpgen inserts nothing there; the type-checker reports missing handlers. To let `mcpgen sync` insert handlers, write the members out in an object literal, or give each literal a type such as `Handlers["tools"]`.',
  },
  MG6504: {
    title: "A file of handlers cannot be parsed",
    exit: 1,
    explanation:
      "The file has a syntax error, or is not text in UTF-8. mcpgen does not edit such a file. Correct the place in the message, and run `mcpgen sync` again.",
  },
  MG6505: {
    title: "A handler cannot be inserted",
    exit: 1,
    explanation:
      "mcpgen inserted the missing handlers in memory and parsed the result. The result had a syntax error or still lacked a handler, so mcpgen did not change the file. Paste the text below the message yourself.",
  },
  MG6506: {
    title: "A contract has no handlers",
    exit: 1,
    explanation:
      'mcpgen identifies handlers by their type. The type is `Handlers`, or a part such as `Handlers["tools"]`, from the generated `server` module. The code declares a value with this type, uses `satisfies Handlers`, has a class that implements it, or passes an object to the function that creates the server. Without `--handlers FILE`, mcpgen reads the TypeScript and JavaScript files below the folder of the configuration, except those in `node_modules`, `dist`, `coverage`, hidden folders and generated folders. Paste the text below the message into a new file, or name your file with `--handlers`.',
  },
  MG6507: {
    title: "The configuration names no contract of a server",
    exit: 2,
    explanation:
      '`mcpgen sync` reads the contracts in mcpgen.config.json that have the role `server` or `both`. Add one: `"contracts": [{ "file": "mcp.contract.yaml", "out": "src/generated", "role": "server" }]`.',
  },
  MG6508: {
    title: "A server has no extension that runs tasks",
    exit: 1,
    explanation:
      "A tool of the contract has `task`, and the code makes the server with options that name no extension. Such a server does not start. Add the lines below the message to the file, with `extensions` among the options, and do the same in tests that make the server; `mcpgen sync` changes no options. `@mcpgen/tasks` must be in the `dependencies` of package.json. mcpgen reads only options that are an object literal in the call.",
  },
} satisfies Record<string, Diagnostic>;
