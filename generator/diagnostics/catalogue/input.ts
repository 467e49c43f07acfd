import type { Diagnostic } from "../diagnostic.js";

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
      "The text is incomplete, or contains something that is not JSON (RFC 8259), such as a comment, a trailing comma or a single quote. The message names the first character that is not JSON.",
  },
  MG1003: {
    title: "A file is too large",
    exit: 3,
    explanation:
      "A schema file has at most 32 MiB. No protocol schema is nearly as large: the path is probably wrong.",
  },
  MG1004: {
    title: "A file is not text in UTF-8 or UTF-16",
    exit: 3,
    explanation:
      "The bytes are not valid UTF-8, and the file does not start with a byte order mark that says otherwise. Save it as UTF-8.",
  },
  MG1005: {
    title: "There is no template of that name",
    exit: 2,
    explanation:
      "A file in the folder of `--templates` replaces the template of mcpgen that has the same name, such as `types.ts.hbs`. A file with another name would have no effect, so it is an error.",
  },
  MG1006: {
    title: "A template cannot be rendered",
    exit: 3,
    explanation:
      "The Handlebars template has a syntax error, or it uses a field that mcpgen does not pass to it. mcpgen does not print a missing field as empty text.",
  },
  MG1007: {
    title: "There is no output of that name",
    exit: 2,
    explanation:
      "`--only` accepts the names of outputs, separated by commas: `types`, `open`, `validators`, `explain`, `methods` and others. An output has the name of the file that it writes.",
  },
  MG1008: {
    title: "A source of that kind cannot be read",
    exit: 2,
    explanation:
      "A source is the path of a file, an http or https URL, or `-` for standard input. Other URL schemes are not supported: download the file with another program, and pass the path of the copy.",
  },
  MG1009: {
    title: "An object has the same key twice",
    exit: 3,
    explanation:
      "JSON parsers disagree on such an object: most keep the last value, some keep the first, and few report it. The cause is usually a merge or a copied line. Remove one of the two keys.",
  },
  MG1010: {
    title: "The file is no handle of a task",
    exit: 3,
    mayWarn: true,
    explanation:
      "mcpgen keeps each task that `call` starts in a file below `$XDG_STATE_HOME/mcpgen/tasks`: its id, its server, its tool, and answers that the user has given. This file is damaged, or another version of mcpgen wrote it. Remove it. The task goes on, and its id still works; answers that the server did not get are asked for again. `task list` reports the file as a warning.",
  },
  MG1101: {
    title: "The document is not a JSON Schema",
    exit: 3,
    explanation:
      "A schema is a JSON object; inside another schema it may also be a boolean. The value at the named place is neither.",
  },
  MG1102: {
    title: "The value of a keyword is not allowed",
    exit: 3,
    explanation:
      "JSON Schema 2020-12 defines the values of each keyword: for example, `required` is an array of strings, and `properties` an object of schemas. The keyword at the named place has another value.",
  },
  MG1103: {
    title: "A keyword is not supported",
    exit: 3,
    explanation:
      "mcpgen refuses a keyword that it cannot translate into types and checks: without the keyword, the output would accept values that the schema forbids. mcpgen ignores keywords that start with `x-`: use them for your own data. mcpgen converts documents of 2019-09 and draft-04 to 2020-12. It refuses keywords that 2020-12 cannot express: `$recursiveRef`; `contains` in a document with `unevaluatedItems`; and `const` in draft-04, where it has no meaning.",
  },
  MG1104: {
    title: "The schema is written in another dialect",
    exit: 3,
    explanation:
      "mcpgen reads JSON Schema 2020-12, 2019-09, draft-07, draft-06 and draft-04. Convert the file, or correct its `$schema`.",
  },
  MG1105: {
    title: "The target of a reference does not exist",
    exit: 3,
    explanation:
      "A `$ref` refers to a definition or a place that the document does not have. Usually a definition was renamed, or the file is truncated.",
  },
  MG1106: {
    title: "A reference refers to another document",
    exit: 3,
    explanation:
      "mcpgen follows only references into the same document (`#/$defs/…`), and never fetches remote schemas. Bundle the schema into one file first.",
  },
  MG1107: {
    title: "A definition refers to itself without describing anything",
    exit: 3,
    explanation:
      "The references at the named place form a circle that contains no property and no item, so the definition describes no value. One of the references is wrong.",
  },
  MG1108: {
    title: "A schema is nested too deeply",
    exit: 3,
    explanation:
      "A schema may have at most 128 levels of nested subschemas. Move parts of it to `$defs`, and refer to them.",
  },
  MG1109: {
    title: "The document has no definitions",
    exit: 3,
    explanation:
      "A protocol schema has its definitions in `$defs` (or `definitions`). The document has neither, so mcpgen cannot generate anything.",
  },
  MG1111: {
    title: "No definition of the schema describes a message",
    exit: 0,
    explanation:
      "A protocol's schema defines its messages: objects whose `method` is one constant, in unions such as `ClientRequest`. The schema has none. mcpgen generates types and validators of its definitions, and empty tables, stubs and steps. If the schema is not one of the protocol, use `--only types,validators,explain`: it leaves out the empty files, and mcpgen prints no warning.",
  },
  MG1110: {
    title: "A pattern could take unbounded time",
    exit: 3,
    explanation:
      "mcpgen matches every pattern in time that grows with the text alone: with the regular expressions of the platform where backtracking is fast, otherwise with an automaton, which takes lookaround, too. A pattern is refused if neither works. Either a backreference repeats a group that takes too many texts, in a pattern such as `^(a+)+\\1$` that takes a backtracking matcher hours for texts of a few dozen characters: bound the group, or compare the two parts in the handler. Or the automaton would be too large: make the counts smaller. mcpgen analyses all patterns of a document, or of a contract, in a bounded number of steps. If earlier patterns have used these steps, it refuses a pattern with backreferences without analysis: simplify the long patterns of the document.",
  },
  MG1201: {
    title: "A notes file is malformed",
    exit: 3,
    explanation:
      'notes.json is `{ "format": 1, "notes": [ … ] }`; each note has a `kind`, a `target`, a `reason` and the fields of its kind.',
  },
  MG1202: {
    title: "A note's target does not exist",
    exit: 3,
    explanation:
      "The note is about a place, definition or method that the schema does not have, or that is of another kind: a request instead of a notification, say, or a property that is no member of a filter. Usually the schema has changed. Remove the note, or correct it.",
  },
  MG1203: {
    title: "A note changes nothing",
    exit: 3,
    explanation:
      "The schema or another note already says what the note says, mcpgen derives it from the schema, or it has no meaning in this revision: `transport` notes belong to revisions with sessions, `listening` and `subscription` notes to revisions without. Remove the note.",
  },
  MG1204: {
    title: "The lock or documentation file is malformed",
    exit: 3,
    explanation:
      'schema/lock.json and schema/docs.json have a fixed form with `"format": 1`. The `vocabulary` of the lock names one of its revisions, and no draft; `mcpgen revision vocabulary ID` corrects it. Restore the file from version control, or run `mcpgen revision add` again for the revision.',
  },
  MG1205: {
    title: "No note says how to convert a value to the previous revision",
    exit: 3,
    explanation:
      "This revision has notes of kind `lower`, but none for the named value, and the previous revision cannot express that value. Add a note that leaves it out, writes it as text or refuses the message; `mcpgen explain MG1201` says which fields it has.",
  },
  MG1206: {
    title: "A note asks for a conversion that is not possible",
    exit: 3,
    explanation:
      "Text can replace a value only where the schema allows text, and can hold only members that are always there. A value can be left out only where it is optional, and filled in only where a member is required. Choose another `how`. The expressions of a note of kind `reshaped` must fit both schemas: they read what the source describes, and make what the target takes. mcpgen runs them over samples of both revisions. The message shows the smallest value found that the other revision refuses, with the reason; the place is the expression. The operators are `$`, `$each`, `$first`, `$if`, `$join`, `$json`, `$map`, `$or` and `$request`.",
  },
  MG1207: {
    title: "A note says otherwise than the schema",
    exit: 0,
    explanation:
      "The note holds, and hides what the schema says: most often it was carried over from the revision before, and the schema has changed. A `pairing` note leaves out a result that the schema lists, or names one that it does not list. A `sender` note names other sides than the unions of messages. A note names a capability that no definition has, or other parts of it. A filter has a member that no `subscription` note names, or a result has the members of cacheable results and no `cacheable` note. Or a carried `errata`, `owned`, `open` or `error` note is about a place that has changed since the revision before. Where mcpgen knows it, the finding ends with the note that agrees with the schema. If the schema is wrong, correct it with a note of kind `errata`. If a carried note about a changed place still holds, delete its `carried`.",
  },
  MG1208: {
    title: "A note does not bring back what it converts",
    exit: 0,
    explanation:
      "A note of kind `reshaped` was run over samples of the previous revision: `lift` makes a value of this revision, and `lower` makes of that another value than there was. The message shows the smallest such value found. A peer of the previous revision that gets its own data back sees the difference. Let `lift` keep what `lower` needs, or accept the loss: servers and clients report what a step leaves out, but not what it writes in another way.",
  },
  MG1301: {
    title: "The id or version of an extension is malformed",
    exit: 3,
    explanation:
      "An id is a prefix and a name: `com.example/search`. The labels of the prefix begin with a letter and end with a letter or digit; prefixes whose second label is `mcp` or `modelcontextprotocol` are reserved, apart from that of the official extensions. The name begins and ends with a letter or digit. Id and version name folders, so names that Windows keeps for devices are refused. Servers of contracts declare extensions by such ids, too.",
  },
  MG1302: {
    title: "An extension file is malformed",
    exit: 3,
    explanation:
      'extension.json has a fixed form with `"format": 1`; `id`, `version` and `bases` are in every one. With the key `$schema` and the path of extension.schema.json in the folder `docs` of the package mcpgen, editors describe each key and check the file while it is written.',
  },
  MG1303: {
    title: "An extension names something that is not there",
    exit: 3,
    explanation:
      'A schema of an extension refers to definitions of the protocol as `base#/$defs/NAME`: each of its bases must have the definition. A base must be a stored revision, and a definition of settings must stand in schema.json. Correct the name, remove the base that does not have it, or limit a note to some bases with `"bases"`.',
  },
  MG1304: {
    title: "Two owners define the same on one base",
    exit: 3,
    explanation:
      "A method, the name of an error, a `resultType` of one method, or a member of a filter has one owner on each revision: the revision itself, or one extension. Give the later one another name, or generate only one of the extensions.",
  },
  MG1305: {
    title: "The folder of an extension does not fit its file",
    exit: 3,
    explanation:
      "An extension lies in schema/extensions/PREFIX/NAME/VERSION/, as `id` and `version` in its extension.json say. Rename the folder, or correct the file.",
  },
  MG1306: {
    title: "There is no such extension",
    exit: 2,
    explanation:
      "The named extension, or version of it, is not in the schema folder. Add it with `mcpgen extension add`, or correct the name.",
  },
  MG1307: {
    title: "The version of the extension exists already",
    exit: 3,
    explanation:
      "A version of an extension with this name is in the schema folder, with another schema, other bases or other notes. Give the new one another `--version`; `--replace` replaces the stored one. The notes of a replaced version stay, unless `--notes` gives others.",
  },
  MG1308: {
    title: "The schema of an extension leaves a fact open",
    exit: 0,
    explanation:
      "A JSON Schema cannot say which side sends a method, what must be declared before, which header repeats a param, or which subscription selects a notification. mcpgen does not guess such facts: each question comes with the note that answers it. Replace `…` by the fact, and write the note to notes.json; where the answer is no, no note is needed.",
  },
  MG1309: {
    title: "Another extension needs this one",
    exit: 3,
    explanation:
      "An extension.json names the extension under `needs`. Without the extension, that one is of no use: remove it first, or correct its `needs`.",
  },
  MG1310: {
    title: "An extension does not compile over a revision",
    exit: 1,
    mayWarn: true,
    explanation:
      "`mcpgen revision add` tries the newest version of every stored extension over the new revision. The finding names what does not fit: a definition that the revision does not have, or a method that the revision has, too. It is a warning if the revision is not among the `bases` of the extension: nothing is generated for it there.",
  },
  MG1311: {
    title: "A breaking change of an extension keeps its id",
    exit: 1,
    mayWarn: true,
    explanation:
      "Versions of extensions are not negotiated: a peer knows the id alone. So SEP-2133 says that a breaking change must use a new identifier, such as `com.example/search-v2`. A change is breaking if an implementation of the old version can fail with a peer of the new one, if a base is gone, if a side declares the extension elsewhere, or if its channel lacks a role or a message that it had. If the old version is a draft, the finding is a warning.",
  },
  MG1312: {
    title: "The channel of an extension contradicts itself",
    exit: 3,
    explanation:
      'The `channel` of an extension.json names its roles and the methods that open it; notes of kind `channel` name the role that sends each message, and the role that it is sent to. A note must name two of these roles, the methods of the handshake must travel on the channel, from the same role, and each role must send or receive a message. `"message"` and `"result"` describe methods alone that neither the extension nor the base defines.',
  },
  MG1313: {
    title: "An error of an extension has a reserved code",
    exit: 3,
    explanation:
      "Revisions without sessions keep the codes from -32000 to -32019 for errors that older code has: new code must not use them (basic, error codes). Choose a code outside of -32768 to -32000, or limit the note to older bases with `bases`.",
  },
} satisfies Record<string, Diagnostic>;

/** MG60xx: contract files, and what is generated from them. */
export const contractDiagnostics = {
  MG6001: {
    title: "The contract is not readable YAML",
    exit: 3,
    explanation:
      "A contract file is one document of YAML 1.2 or JSON. Line and column say where the parser stopped. Common causes are wrong indentation, a missing colon, and a string that contains `: ` or ` #` and needs quotes. Anchors, aliases and the merge keys of YAML 1.1 (`<<: *base`) are allowed; keys of the mapping itself override merged keys. An alias must follow its anchor, and all aliases together may expand to at most 8 MB. Values that JSON does not have (`.nan`, `.inf`, binary) and duplicate keys are errors.",
  },
  MG6002: {
    title: "A contract has an unknown key",
    exit: 3,
    explanation:
      "A contract has the name and version of the server and the entries of the protocol's list results. docs/contract.schema.json defines the keys. Refer to it with `$schema` or `# yaml-language-server: $schema=…`, and your editor completes them. Objects that the protocol defines may have additional members. There, mcpgen refuses a key only if it looks like a misspelt one: it differs from a known key in letter case, `_` or `-`, or in one letter.",
  },
  MG6003: {
    title: "A value in a contract has the wrong type",
    exit: 3,
    explanation:
      'The value has another type than the key requires, or a required key is missing. Or the contract is nested too deeply. In YAML, `1.0` without quotes is a number and `true` is a boolean: put a version in quotes (`version: "1.0"`). Every tool needs an `inputSchema` with `type: object`.',
  },
  MG6004: {
    title: "Two entries of a contract have the same name",
    exit: 3,
    explanation:
      "`name` identifies tools and prompts, `uri` resources, `uriTemplate` resource templates, and `name` the arguments of a prompt. With two equal names, a client could reach only one of the entries. Rename or remove one.",
  },
  MG6005: {
    title: "The schema of a tool cannot be used",
    exit: 3,
    mayWarn: true,
    explanation:
      "A tool's schema is JSON Schema 2020-12, or the 2019-09, draft-07, draft-06 or draft-04 that its `$schema` names. `$ref` must refer to a place in the same schema, because mcpgen never fetches schemas; `--base DIR` allows local files. At most 128 subschemas may be nested, and every pattern must match in bounded time. For a server this is an error. For a client it is a warning: mcpgen generates the client without the smallest part that cannot be read. A subschema is neither typed nor checked then; a pattern, an annotation or a keyword that is null is left out.",
  },
  MG6006: {
    title: "A header declared for an argument is not valid",
    exit: 3,
    explanation:
      "`x-mcp-header` in an `inputSchema` names a header that repeats an argument over HTTP, so that gateways can route by it: `Region` becomes `Mcp-Param-Region`. Put it on a string, an integer or a boolean that is reached only through `properties`. The name is an HTTP token (letters, digits and hyphens are safe), and no two names may be equal in lower case. Clients must ignore a tool that breaks these rules.",
  },
  MG6007: {
    title: "A URI template cannot be matched",
    exit: 3,
    mayWarn: true,
    explanation:
      "Templates are those of RFC 6570, all levels. A server reads the variables from a URI, so the URI must tell their values. It does not tell them for {name:3}, for several variables or a list after `+`, `#` or `.` ({+a,b}, {.list*}), for variables without text between them ({a}{b}, {/a*}{/b}), and for a variable that the template has twice. For a server such a template is an error. A client only expands templates: it gets a method for each of them. For a client a malformed template is a warning, and it gets no method for it.",
  },
  MG6008: {
    title: "The dialect of a schema does not have a keyword",
    exit: 0,
    explanation:
      "The `$schema` of a tool's schema names an older dialect of JSON Schema, and the schema uses a keyword of a newer one: `const` in draft-04, `dependentRequired` in draft-07, `prefixItems` in 2019-09. Such a keyword has no effect, so values are not checked against it. Remove the keyword, or name the dialect that has it.",
  },
  MG6009: {
    title: "TypeScript compiles the generated code to CommonJS",
    exit: 0,
    explanation:
      'The generated code, `@mcpgen/runtime` and `@mcpgen/protocol` are ES modules. With `"module": "nodenext"` (or `node16`, `node18`, `node20`) TypeScript compiles a file to CommonJS unless the nearest package.json has `"type": "module"`. Then `verbatimModuleSyntax` makes the compilation fail, and Node.js before 20.19 cannot load the result. Add `"type": "module"`, and rename the CommonJS files of your project to `.cjs` or `.cts`. Or add a package.json with `{ "type": "module" }` to the folder of the generated code. With `"module": "commonjs"`, change the setting to `nodenext`. If you use a bundler, set `"module": "esnext"` and `"moduleResolution": "bundler"`.',
  },
  MG6010: {
    title: "A reference to a file cannot be resolved",
    exit: 3,
    explanation:
      "With `--base DIR`, or `base` of a contract in the configuration, schemas of tools may refer to JSON files in that folder: `common.json#/$defs/City`. A path is relative to that folder, or to the file that contains the reference. The file must exist and contain a JSON object. The path must not leave the folder by `..`, as an absolute path or through a symbolic link. One schema may refer to at most 1,000 files. mcpgen fetches nothing from a network.",
  },
} satisfies Record<string, Diagnostic>;
