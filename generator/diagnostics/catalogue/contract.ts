import type { Diagnostic } from "../catalogue.js";

/** MG60xx: contract files, and what is generated from them. */
export const contractDiagnostics = {
  MG6001: {
    title: "The contract is no YAML that can be read",
    exit: 3,
    explanation:
      "A contract file is one document of YAML 1.2, or JSON. Line and column are where reading stopped: often it is indentation, a missing colon, or a text with `: ` or `#` in it that lacks quotes. Anchors and aliases are taken, and merge keys (`<<: *base`) as YAML 1.1 has them: keys of the mapping itself win. An alias names an anchor before it, and all of them may stand for 8 MB. Values that JSON has no word for (`.nan`, `.inf`, binary) are refused, and so are keys that stand twice.",
  },
  MG6002: {
    title: "A key that means nothing in a contract",
    exit: 3,
    explanation:
      "A contract has the shapes of the protocol's list results and the server's name. docs/contract.schema.json lists the keys; name it in `$schema` (or `# yaml-language-server: $schema=…`), and your editor completes them. Objects of the protocol may hold further members, which are kept; one that differs from a known key in case or by a letter is taken for a slip.",
  },
  MG6003: {
    title: "A value in a contract is not what it should be",
    exit: 3,
    explanation:
      'The value has another type than its key asks for, or something required is missing. In YAML, `yes` and `1.0` without quotes are what they look like: quote a version (`version: "1.0"`). Every tool has an `inputSchema` with `type: object`.',
  },
  MG6004: {
    title: "Two entries of a contract have the same name",
    exit: 3,
    explanation:
      "Tools and prompts are identified by `name`, resources by `uri`, resource templates by `uriTemplate`, arguments of a prompt by `name`. A client could reach only one of the two.",
  },
  MG6005: {
    title: "A tool's schema is none that values can be judged by",
    exit: 3,
    explanation:
      "Schemas are JSON Schema 2020-12, or 2019-09, draft-07, draft-06 or draft-04 where `$schema` says so. References lead to the schema itself: nothing is ever fetched. At most 128 subschemas may stand inside one another, and patterns must be ones that can be matched in time that grows with the text alone. Output for servers is refused. A client can do without: what the schema is of is neither typed nor checked, and a warning says so.",
  },
  MG6006: {
    title: "A header declared for an argument is not valid",
    exit: 3,
    explanation:
      "`x-mcp-header` names the header that repeats an argument over HTTP, for gateways to route by: `Region` becomes `Mcp-Param-Region`. It stands on a string, an integer or a boolean that is reached along `properties` alone, its name is a token (letters, digits and hyphens are safe), and no two differ in case only. Clients must leave out tools that break these rules.",
  },
  MG6007: {
    title: "A URI template cannot be matched",
    exit: 3,
    explanation:
      "A server reads the values of the variables from a URI, so each URI must match in one way only. {name}, {+name}, {#name}, {.name}, {/name}, {?a,b} and {&a,b} are taken; modifiers ({name:3}, {list*}) and several variables without a separator between them are not. For a client it is a warning: it has no method for such a template.",
  },
  MG6008: {
    title: "A keyword means nothing in the dialect of its schema",
    exit: 1,
    explanation:
      "A tool's schema names an older dialect of JSON Schema in `$schema`, and has a keyword that a newer one added: `const` in draft-04, `dependentRequired` in draft-07, `prefixItems` in 2019-09. Such a keyword asserts nothing, and is not checked. Declare the dialect that the schema is written in.",
  },
  MG6009: {
    title: "What is generated is compiled to CommonJS",
    exit: 1,
    explanation:
      'Output is made for ES modules, and so are `@mcpgen/runtime` and `@mcpgen/protocol`. Under `"module": "nodenext"` (or `node16`, `node18`, `node20`) TypeScript compiles a file to CommonJS unless the nearest package.json says `"type": "module"`: with `verbatimModuleSyntax` nothing compiles then, and Node.js before 20.19 cannot load the result. Add `"type": "module"`; files of the project that are CommonJS get the extension `.cjs` or `.cts`. Or put a package.json with `{ "type": "module" }` into the folder of the code. Projects that a bundler builds set `"module": "esnext"` and `"moduleResolution": "bundler"`.',
  },
  MG6010: {
    title: "A reference to a file cannot be followed",
    exit: 3,
    explanation:
      "With `--base DIR`, or `base` of a contract in the configuration, schemas of tools may refer to JSON files in that folder: `common.json#/$defs/City`. Paths are relative to the folder, or to the file they stand in. What leads out of the folder, by `..`, as an absolute path or through a link, is refused, and so is a file that is not there. Nothing is fetched from a network.",
  },
} satisfies Record<string, Diagnostic>;
