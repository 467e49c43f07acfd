// docs/migration-exports.md names every export of the official SDK, and the members of its main types.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Node, Project } from "ts-morph";
import { migrationTable } from "./migration-table.mjs";

const installed = fileURLToPath(new URL("node_modules/@modelcontextprotocol/", import.meta.url));

/** The packages, by the version of the SDK that the page says. */
const packages = { sdk: "1", server: "2", client: "2", node: "2", core: "2" };

/** Exports whose members are on the page; after a dot, a member whose members are. */
const described = [
  ...["McpServer", "Server", "RegisteredTool", "RegisteredResource", "RegisteredResourceTemplate"],
  ...[
    "RegisteredPrompt",
    "RequestHandlerExtra",
    "ServerContext",
    "ServerContext.mcpReq",
    "ServerContext.http",
  ],
  ...["ServerOptions", "ServeStdioOptions", "CreateMcpHandlerOptions", "McpHttpHandler"],
  ...["StreamableHTTPServerTransportOptions", "Client", "McpSubscription", "ClientOptions", "RequestOptions"],
  ...["CallToolRequestOptions", "CacheableRequestOptions", "ConnectOptions"],
  ...["StreamableHTTPClientTransportOptions", "StdioServerParameters", "Transport"],
];

/** The entries of a package: specifier and declarations. A `*` stands for every file. */
function entriesOf(name) {
  const folder = join(installed, name);
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.entries(exports).flatMap(([entry, target]) => {
    const specifier = join("@modelcontextprotocol", name, entry);
    const declarations = join(folder, typesOf(target));
    if (!entry.endsWith("*")) return existsSync(declarations) ? [{ specifier, declarations }] : [];
    const from = dirname(declarations);
    return readdirSync(from, { recursive: true })
      .filter((file) => file.endsWith(".d.ts"))
      .map((file) => ({
        specifier: specifier.replace("*", file.replace(/\.d\.ts$/, ".js")),
        declarations: join(from, file),
      }));
  });
}

/** The declarations that the conditions of an entry lead to. */
function typesOf(target) {
  return typeof target === "string" ? target : (target.types ?? typesOf(target.import ?? target.node));
}

const project = new Project({
  skipAddingFilesFromTsConfig: true,
  skipLoadingLibFiles: true,
  compilerOptions: { noLib: true, types: [] },
  // Only what the SDK itself declares: it exports nothing of other packages by `*`.
  resolutionHost: () => ({
    resolveModuleNames: (specifiers, file) => specifiers.map((specifier) => declarationsOf(specifier, file)),
  }),
});

function declarationsOf(specifier, file) {
  const own = /^@modelcontextprotocol\/(\w+)(.*)$/.exec(specifier);
  const path = own
    ? entriesOf(own[1]).find((entry) => entry.specifier === specifier)?.declarations
    : specifier.startsWith(".")
      ? join(dirname(file), specifier.replace(/\.([cm]?)js$/, ".d.$1ts"))
      : undefined;
  return path !== undefined && existsSync(path) ? { resolvedFileName: path } : undefined;
}

/** The exports of an entry, values and types. */
function exportsIn(declarations) {
  const file = project.addSourceFileAtPath(declarations);
  return file.getSymbol() ? file.getExportSymbols() : [];
}

/** The members of a type that users see, as `Type.member`. */
function membersOf(symbol) {
  const name = symbol.getName();
  const type = (symbol.getAliasedSymbol() ?? symbol).getDeclaredType();
  return described
    .filter((each) => each.split(".")[0] === name)
    .flatMap((each) => {
      const [, part] = each.split(".");
      const holder = part === undefined ? type : memberType(type, part);
      return (holder?.getProperties() ?? [])
        .filter((member) => isPublic(member) && !described.includes(`${each}.${member.getName()}`))
        .map((member) => `${each}.${member.getName()}`);
    });
}

function memberType(type, name) {
  const member = type.getProperty(name);
  return member?.getTypeAtLocation(member.getDeclarations()[0]).getNonNullableType();
}

function isPublic(member) {
  const hidden = member.getDeclarations().some((node) => Node.isScoped(node) && node.getScope() !== "public");
  return !hidden && /^(?!_|#)|^_meta$/.test(member.getName());
}

/** The exports of the SDK and the described members, each with its versions. */
const exported = new Map();
const members = new Map();
const add = (found, name, version) => found.set(name, new Set(found.get(name)).add(version));
const entries = Object.entries(packages).flatMap(([name, version]) =>
  entriesOf(name).map(({ specifier, declarations }) => {
    const symbols = exportsIn(declarations);
    for (const symbol of symbols) {
      add(exported, symbol.getName(), version);
      for (const member of membersOf(symbol)) add(members, member, version);
    }
    return { specifier, names: symbols.map((symbol) => symbol.getName()) };
  }),
);
// These options include the options of every request, which are described once.
for (const more of ["CallToolRequestOptions", "CacheableRequestOptions", "ConnectOptions"])
  for (const member of [...members.keys()].filter((each) => each.startsWith("RequestOptions.")))
    members.delete(member.replace("RequestOptions", more));
const known = new Map([...exported, ...members]);

const { rows, types, schemas } = migrationTable();
const inRows = rows.flatMap(({ names }) => names);

test("the declarations name what the modules of the SDK export", async () => {
  // Examples are left out, because they run when they are imported.
  for (const { specifier, names } of entries.filter(
    (entry) => !/\/examples\/|cf-?worker/.test(entry.specifier),
  ))
    for (const name of Object.keys(await import(specifier)))
      assert.ok(names.includes(name), `${specifier}: ${name}`);
});

test("every export of the SDK has a row, or its name in a list", () => {
  const named = new Set([...inRows, ...types, ...schemas]);
  assert.deepEqual([...exported.keys()].filter((name) => !named.has(name)).sort(), []);
  assert.ok(exported.size > 850, String(exported.size));
});

test("every member of the main types of the SDK has a row", () => {
  assert.deepEqual([...members.keys()].filter((name) => !inRows.includes(name)).sort(), []);
  for (const name of described)
    assert.ok(
      [...members.keys()].some((member) => member.startsWith(`${name}.`)),
      name,
    );
});

test("every row and every list names exports of the SDK and members of them, each once", () => {
  assert.deepEqual(
    [...inRows, ...types, ...schemas].filter((name) => !known.has(name)),
    [],
  );
  for (const names of [inRows, types, schemas]) assert.equal(new Set(names).size, names.length, twice(names));
});

function twice(names) {
  return `twice: ${names.filter((name, index) => names.indexOf(name) < index).join(", ")}`;
}

test("every row names the SDK version that has the exports", () => {
  for (const { names, versions } of rows) {
    const having = new Set(names.flatMap((name) => [...(known.get(name) ?? [])]));
    assert.equal(versions, [...having].sort().join(", "), names.join(", "));
  }
});
