// docs/migration-exports.md names every export of the official SDK, and the members of its main types.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Node, Project } from "ts-morph";
import { fitOf, migrationTable } from "./migration-table.mjs";

const installed = fileURLToPath(new URL("node_modules/@modelcontextprotocol/", import.meta.url));

const packages = ["sdk", "server", "client", "node", "core"];

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

/** The exports of the SDK, and the described members. */
const exported = new Set();
const members = new Set();
const entries = packages.flatMap((name) =>
  entriesOf(name).map(({ specifier, declarations }) => {
    const symbols = exportsIn(declarations);
    for (const symbol of symbols) {
      exported.add(symbol.getName());
      for (const member of membersOf(symbol)) members.add(member);
    }
    return { specifier, names: symbols.map((symbol) => symbol.getName()) };
  }),
);
// These options include the options of every request, which are described once.
for (const more of ["CallToolRequestOptions", "CacheableRequestOptions", "ConnectOptions"])
  for (const member of [...members].filter((each) => each.startsWith("RequestOptions.")))
    members.delete(member.replace("RequestOptions", more));

const rows = migrationTable();

/** The names of the generated definitions and of the validators, of all revisions. */
const definitions = generatedNames("types.ts", /^export (?:interface|type) (\w+)/gm);
const validators = generatedNames("validators.ts", /^export (?:const|function) is(\w+)/gm);

function generatedNames(file, pattern) {
  const generated = new URL("../../generated/", import.meta.url);
  const texts = readdirSync(generated)
    .filter((name) => /^\d{4}-/.test(name))
    .map((revision) => readFileSync(new URL(`${revision}/${file}`, generated), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name)));
}

/** Whether the page's rules for types and schemas of the specification give the counterpart. */
function hasRule(name) {
  return definitions.has(name) || (name.endsWith("Schema") && validators.has(name.slice(0, -6)));
}

/** The names of rows that stand for an export or a member: those that fit best, or none where a rule is nearer. */
function marksOf(name) {
  const fits = rows.flatMap(({ types, names }) =>
    names.map((mark) => ({ place: `${types}: ${mark}`, fit: fitOf(types, mark, name) })),
  );
  const best = Math.max(...fits.map(({ fit }) => fit));
  if (best === 0 || (best < Infinity && exported.has(name) && hasRule(name))) return [];
  return fits.filter(({ fit }) => fit === best).map(({ place }) => place);
}

test("the declarations name what the modules of the SDK export", async () => {
  // Examples are left out, because they run when they are imported.
  for (const { specifier, names } of entries.filter(
    (entry) => !/\/examples\/|cf-?worker/.test(entry.specifier),
  ))
    for (const name of Object.keys(await import(specifier)))
      assert.ok(names.includes(name), `${specifier}: ${name}`);
});

// With a new version of the SDK, look whether the names with a `*` say the truth of what is new.
test("every export of the SDK has one row, or follows a rule of the page", () => {
  assert.deepEqual([...exported].filter((name) => marksOf(name).length !== 1 && !hasRule(name)).sort(), []);
  assert.deepEqual([...exported].filter((name) => marksOf(name).length > 1).sort(), []);
  assert.equal(exported.size, 901);
  assert.ok([...exported].filter((name) => hasRule(name) && marksOf(name).length === 0).length > 300);
});

test("every member of the main types of the SDK has one row", () => {
  assert.deepEqual([...members].filter((name) => marksOf(name).length !== 1).sort(), []);
  assert.equal(members.size, 274);
  assert.deepEqual([...new Set(rows.flatMap(({ types }) => types))].sort(), [...described].sort());
  for (const name of described)
    assert.ok(
      [...members].some((member) => member.startsWith(`${name}.`)),
      name,
    );
});

test("every name of a row stands for an export of the SDK or a member", () => {
  const used = new Set([...exported, ...members].flatMap(marksOf));
  const unused = rows.flatMap(({ types, names }) =>
    names.map((mark) => `${types}: ${mark}`).filter((place) => !used.has(place)),
  );
  assert.deepEqual(unused, []);
});
