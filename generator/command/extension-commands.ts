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
      base: texts("Revision that it extends; may be repeated (default: those of the version before)"),
      version: text("Version of the extension (default: the folder of FILE, if it is a date or draft)"),
      notes: text("What the schema cannot say (default: the notes of the version before)"),
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
    load: async () => (await import("./extension-add.js")).extensionAdd,
  },
];
