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
