import type { Diagnostic } from "../catalogue.js";

/** MG30xx: planning and writing output. MG31xx: check and drift. */
export const outputDiagnostics = {
  MG3001: {
    title: "A file would be overwritten that is not as mcpgen wrote it",
    exit: 1,
    explanation:
      "A generated file was edited by hand, or a file of yours stands where one is to be written. Nothing was changed. Move the edit to where it belongs (the schema, its notes, a template), or let mcpgen overwrite the file with `--force`. For a file that mcpgen has no record of, take another output folder with `--out`: `--force` would destroy it.",
  },
  MG3002: {
    title: "A path of the output leads elsewhere",
    exit: 2,
    explanation:
      "Output stays below the output folder. A symbolic link inside it, or a file where a folder is needed (or the reverse), is never followed or replaced. Remove it, or choose another folder with `--out`.",
  },
  MG3003: {
    title: "The output cannot be written",
    exit: 2,
    explanation:
      "The operating system refused: permissions, a full disk, a file held open. A run writes all of its files or none, so everything is as it was before.",
  },
  MG3004: {
    title: "Another run is writing to the same folder",
    exit: 2,
    explanation:
      "Two runs at once would mix their output. Wait for the other one. If it is gone although its process number lives on as something else, delete the folder named in the message.",
  },
  MG3005: {
    title: "An interrupted run was undone",
    exit: 1,
    explanation:
      "An earlier run was killed while it was putting files in place. What it had changed was put back before this run went on; nothing is left to do.",
  },
  MG3006: {
    title: "The manifest is malformed",
    exit: 3,
    explanation:
      "manifest.json in the output folder records what mcpgen wrote; without it edits by hand and older output look the same. After a merge conflict, `mcpgen generate --force` writes all files; otherwise restore the file from version control.",
  },
  MG3007: {
    title: "The output of a revision would be lost",
    exit: 2,
    explanation:
      "`--revision` and `--schema` generate some revisions and leave the others of the folder as they are; only the files that all share (index, authoring) are written for all of them. For that their schemas are needed, and the folder holds the output of a revision that the schema folder does not have, most likely one that was made with `--schema` and `--name`. Bring its schema in with `mcpgen revision add`, choose another folder with `--out`, or run `mcpgen generate` without `--revision`, which deletes what it has no schema of.",
  },
  MG3101: {
    title: "A generated file is out of date",
    exit: 1,
    explanation:
      "The file is as mcpgen wrote it, but its input, the templates or mcpgen itself have changed since. `mcpgen generate` brings it up to date.",
  },
  MG3102: {
    title: "A generated file is missing",
    exit: 1,
    explanation: "The file would be generated but does not exist. `mcpgen generate` writes it.",
  },
  MG3103: {
    title: "A file in the output folder is no longer generated",
    exit: 1,
    explanation:
      "mcpgen wrote the file earlier and would not write it now, or it was never part of the output. `mcpgen generate` removes the former if it was not edited; the latter is yours to move: the output folder holds nothing but output.",
  },
  MG3104: {
    title: "A generated file was edited by hand",
    exit: 1,
    explanation:
      "The file differs from what manifest.json recorded when it was written. Move the edit to where it belongs (the schema, its notes, a template), then run `mcpgen generate --force`, which overwrites it.",
  },
  MG3105: {
    title: "A stored schema is not the one that was imported",
    exit: 1,
    explanation:
      "schema.json differs from what schema/lock.json recorded, or is not in canonical form. Stored schemas are never edited: corrections go to notes.json. Restore the file from version control, or import it again with `mcpgen revision add FILE --replace`.",
  },
  MG3106: {
    title: "The schema folder and its lock disagree",
    exit: 1,
    explanation:
      "A revision is in schema/lock.json and has no folder, or the reverse. Restore what is missing from version control, import the revision with `mcpgen revision add`, or remove what is left of it.",
  },
  MG3107: {
    title: "A note was carried over and is not confirmed",
    exit: 1,
    explanation:
      '`mcpgen revision add` copies the notes of the newest released revision, marked `"carried": true`. Check each against the new specification and delete the mark, or the note. This is a warning: it does not change the exit code.',
  },
  MG3108: {
    title: "The file is not the one the revision was imported from",
    exit: 1,
    explanation:
      "Its sha256 differs from the one in schema/lock.json. If its canonical form is equal, only prose or formatting changed; otherwise upstream changed the revision in place, or the file is of another revision.",
  },
  MG3109: {
    title: "A message does not follow the protocol",
    exit: 1,
    explanation:
      "The message is not valid in the revision it was judged by. The lines below it name the place inside the message (JSON Pointer), what is expected there and what was found.",
  },
  MG3110: {
    title: "The published file of a revision is another one now",
    exit: 1,
    explanation:
      "Released files change in place upstream now and then (rule published-file-changed). The differences are listed; where only prose or layout differs this is a warning and does not change the exit code. `mcpgen upgrade SOURCE --name R --replace` takes the new file over.",
  },
  MG3111: {
    title: "Upstream has published a new revision",
    exit: 1,
    explanation:
      "The file is of no revision in the schema folder. What decides is, in this order: `--revision`, the sha256 in schema/lock.json, equal schemas, the folder in the file's address, and what it has in common with the nearest revision: it is a new one if a peer would notice the difference. `mcpgen upgrade SOURCE --name R` stores it, generates, and lists what is left to decide.",
  },
  MG3112: {
    title: "A revision has the content, or the place, of another",
    exit: 1,
    explanation:
      "The file added under a new name is the file of a present revision, means the same as one, or has a name older than the newest revision. The file was added, and this is a warning. If it was a mistake, delete the revision's folder, its entry in schema/lock.json and its output. A draft that equals the next release's file is not a mistake.",
  },
} satisfies Record<string, Diagnostic>;
