import { type CommandDefinition, flag, text, texts } from "./command-definition.js";

/** Commands about extensions of the protocol. */
export const extensionCommands: readonly CommandDefinition[] = [
  {
    name: "extension add",
    summary: "Bring the schema of an extension into the schema folder, in canonical form",
    positionals: {
      source: { type: "string", description: "FILE, URL or - for standard input", demandOption: true },
    },
    options: {
      id: text("What the sides declare, e.g. com.example/search", { demandOption: true }),
      base: texts(
        "Revision that it extends; may be repeated (default: those of the version before, else the newest)",
      ),
      version: text(
        "Version of the extension (default: the folder of FILE, if it is a date or draft, else the newest, else 1.0.0)",
      ),
      notes: text("What the schema cannot say (default: the notes of the version before)"),
      sender: texts("METHOD=client, =server or =both: the side that sends it; may be repeated"),
      status: text("How final it is (default: released for a date or a number such as 1.2.0)", {
        choices: ["draft", "released", "handwritten"],
      }),
      "no-descriptions": flag("Leave out the prose"),
      replace: flag("Replace a version whose content differs"),
      "dry-run": flag("Report everything; write nothing"),
      "upstream-url": text("Address the file was taken from (default: SOURCE, if it is a URL)"),
      "upstream-commit": text("Commit the file was taken from (default: the one in the URL)"),
      "upstream-date": text("Day of that commit, YYYY-MM-DD"),
    },
    examples: [
      ["$0 extension add search.json --id com.example/search --base 2026-07-28 --version 1.0.0", "a new one"],
      ["$0 extension add 2026-09-01/schema.json --id com.example/search", "its next version"],
    ],
    load: async () => (await import("./extension.js")).extensionAdd,
  },
  {
    name: "extension list",
    summary: "List the extensions of the schema folder",
    load: async () => (await import("./extension.js")).extensionList,
  },
  {
    name: "extension verify",
    summary: "Compare stored extensions with the lock, or a file with the one an extension came from",
    positionals: {
      extension: { type: "string", description: "ID or ID@VERSION to compare SOURCE with" },
      source: { type: "string", description: "FILE, URL or - for standard input" },
    },
    load: async () => (await import("./extension.js")).extensionVerify,
  },
  {
    name: "extension remove",
    summary: "Take a version of an extension out of the schema folder and the lock",
    positionals: {
      extension: {
        type: "string",
        description: "ID@VERSION, or ID if it has one version",
        demandOption: true,
      },
    },
    options: { "dry-run": flag("Show what would be removed; remove nothing") },
    load: async () => (await import("./extension.js")).extensionRemove,
  },
];
