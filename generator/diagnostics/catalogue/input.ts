import type { Diagnostic } from "../catalogue.js";

/** MG10xx: files and JSON. MG11xx: schemas. MG12xx: notes, lock and documentation. */
export const inputDiagnostics = {
  MG1001: {
    title: "A file cannot be read",
    exit: 3,
    explanation:
      "The file does not exist, is a folder, or may not be read by this user. Check the path and its permissions.",
  },
  MG1002: {
    title: "A file is not JSON",
    exit: 3,
    explanation:
      "The text breaks off or holds something that is not JSON (RFC 8259): comments, trailing commas and single quotes are not part of it. The place named is the first character that cannot be read.",
  },
  MG1003: {
    title: "A file is too large",
    exit: 3,
    explanation:
      "Schema files are limited to 32 MiB, far beyond any schema written so far. The file is most likely not the one that was meant.",
  },
  MG1004: {
    title: "A file is not text in UTF-8 or UTF-16",
    exit: 3,
    explanation:
      "The bytes are not valid UTF-8, and the file does not start with a byte order mark that says otherwise. Save it as UTF-8.",
  },
  MG1005: {
    title: "An override has the name of no template",
    exit: 2,
    explanation:
      "Files in the folder given with --templates replace shipped templates of the same name (`types.ts.hbs` and so on). A file with another name would be ignored silently, so it is an error.",
  },
  MG1006: {
    title: "A template cannot be rendered",
    exit: 3,
    explanation:
      "The Handlebars template has a syntax error or uses a field that its view does not have. Templates are strict: nothing that is missing prints as empty text.",
  },
  MG1007: {
    title: "There is no output of that name",
    exit: 2,
    explanation:
      "`--only` takes names of outputs, separated by commas: types, open, validators, check, methods and so on, each named after the file it writes.",
  },
  MG1008: {
    title: "A source of that kind cannot be read",
    exit: 2,
    explanation:
      "A source is the path of a file, an http or https URL, or `-` for standard input. Other schemes are not supported: download the file with another program, and name the copy.",
  },
  MG1009: {
    title: "A key stands twice in an object",
    exit: 3,
    explanation:
      "JSON readers keep one of the two values, most of them the last, and report nothing: what the file means depends on the reader. Mostly a merge or a copy left the other one behind. Remove the one that is not meant.",
  },
  MG1101: {
    title: "The document is not a JSON Schema",
    exit: 3,
    explanation:
      "A schema is a JSON object (or, inside another schema, a boolean). The place named holds something else.",
  },
  MG1102: {
    title: "A keyword has a value it cannot have",
    exit: 3,
    explanation:
      "JSON Schema 2020-12 fixes what each keyword's value may be: `required` holds strings, `properties` an object of schemas, and so on. The keyword at the place named does not keep to it.",
  },
  MG1103: {
    title: "A keyword is not supported",
    exit: 3,
    explanation:
      "mcpgen refuses keywords it cannot turn into types and checks, for output that ignored them would accept what the schema forbids. A keyword of your own may start with `x-`; those are ignored. A document of 2019-09 or draft-04 is converted; a keyword whose meaning 2020-12 has no word for is refused, for the output would mean something else: `$recursiveRef`, `contains` in a document with `unevaluatedItems`, or `const` in draft-04, which ignores it.",
  },
  MG1104: {
    title: "The schema is written in another dialect",
    exit: 3,
    explanation:
      "mcpgen reads JSON Schema 2020-12, 2019-09, draft-07, draft-06 and draft-04. Convert the file, or correct its `$schema`.",
  },
  MG1105: {
    title: "A reference leads nowhere",
    exit: 3,
    explanation:
      "A `$ref` names a definition or a place that the document does not have. The most frequent cause is a renamed definition or a truncated file.",
  },
  MG1106: {
    title: "A reference leads out of the document",
    exit: 3,
    explanation:
      "Only references into the same document (`#/$defs/…`) are followed; remote schemas are never fetched. Bundle the schema into one file first.",
  },
  MG1107: {
    title: "A definition refers to itself without describing anything",
    exit: 3,
    explanation:
      "Following the references at the place named leads back to it without stepping into a property or an item, so no value could ever be judged. One of the references is wrong.",
  },
  MG1108: {
    title: "A schema is nested too deep",
    exit: 3,
    explanation:
      "Subschemas may be nested 128 deep. Give parts of the schema names under `$defs` and refer to them.",
  },
  MG1109: {
    title: "The document defines nothing",
    exit: 3,
    explanation:
      "A protocol schema holds its definitions under `$defs` (or `definitions`). The document has none, so there is nothing to generate.",
  },
  MG1111: {
    title: "No definition of the schema describes a message",
    exit: 1,
    explanation:
      "A protocol's schema defines its messages: objects whose `method` is one constant, in unions such as `ClientRequest`. The schema has none, so that types and validators of its definitions are all that is made of it: tables, stubs and steps are empty. If it is no schema of the protocol, generate with `--only types,validators,check`, which leaves them out and says nothing.",
  },
  MG1110: {
    title: "A pattern could take time without bound",
    exit: 3,
    explanation:
      "Some regular expressions, such as `^(a+)+$`, take a backtracking matcher hours for texts of a few dozen characters. Write the pattern so that each text can match in one way only: no repeats directly inside repeats, no alternatives that begin alike inside a repeat. Judging all patterns of a document, or of a contract, takes a bounded number of steps: where earlier patterns have taken them, a pattern with lookaround or backreferences is refused unjudged. Simplify the long patterns of the document then.",
  },
  MG1201: {
    title: "A notes file is malformed",
    exit: 3,
    explanation:
      'notes.json is `{ "format": 1, "notes": [ … ] }`; each note has a `kind`, a `target`, a `reason` and what its kind asks for. See docs/notes.md.',
  },
  MG1202: {
    title: "A note's target does not exist",
    exit: 3,
    explanation:
      "The note is about a place, definition or method that the schema does not have, most often because the schema changed. Remove the note or point it at the new place.",
  },
  MG1203: {
    title: "A note changes nothing",
    exit: 3,
    explanation:
      "What the note corrects is already so in the schema: upstream has mended it, or the generator derives it. Remove the note, so that notes keep telling only what the schema does not.",
  },
  MG1204: {
    title: "The lock or documentation file is malformed",
    exit: 3,
    explanation:
      'schema/lock.json and schema/docs.json have a fixed form with `"format": 1`. Restore the file from version control, or run `mcpgen revision add` again for the revision.',
  },
  MG1205: {
    title: "Nothing says what becomes of a value at the revision before",
    exit: 3,
    explanation:
      "Notes of kind `lower` cover this revision and the one before it, but not the named value, which the older one cannot carry. Add a note that drops it, writes it as text or refuses the message; see docs/notes.md.",
  },
  MG1206: {
    title: "A note on a step cannot be done as it says",
    exit: 3,
    explanation:
      "A value can be written as text only where a text may stand, left out only where it may be missing, and filled only where a member must be there. Choose another outcome.",
  },
} satisfies Record<string, Diagnostic>;
