import type { Diagnostic } from "../diagnostic.js";

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
