import { readFileSync } from "node:fs";
import { Node, Project, type SourceFile, SyntaxKind, type Type, type ts } from "ts-morph";
import { describe, expect, test } from "vitest";
import { filesBelow } from "../../scripts/rooms/imports.js";
import { partsOfTables, tables } from "./option-tables.js";

interface Row {
  readonly name: string;
  readonly type: string;
  readonly byDefault: string;
}

const document = readFileSync("docs/options.md", "utf8");

/** The rows of the tables below a heading that have a type. Rows that point to another table have none. */
function rowsOf(heading: string): Row[] {
  const section = document.split(/^#{2,3} /m).find((text) => text.startsWith(`${heading}\n`))!;
  return [...section.matchAll(/^\|`([\w$]+)`\|(.+?)\|(.+?)\|.+\|$/gm)].map(([, name, type, byDefault]) => ({
    name: name!,
    type: type!,
    byDefault: byDefault!,
  }));
}

const project = new Project({
  tsConfigFilePath: "runtime/core/tsconfig.json",
  compilerOptions: { customConditions: ["mcpgen-source"] },
});
const beside = ["apps", "base", "cluster", "observe", "testing"].map((name) => `runtime/${name}/**/*.ts`);
project.addSourceFilesAtPaths(beside);
const sources = project
  .getSourceFiles(["runtime/core/**/*.ts", ...beside])
  .filter((file) => !file.getFilePath().includes("/dist/"));

/** The types of the members of some interfaces. */
function memberTypes(names: readonly string[]): ReadonlyMap<string, Type> {
  return new Map(
    names.flatMap((name) => {
      const declared = sources.flatMap((file) => file.getInterface(name) ?? []);
      expect(declared, name).toHaveLength(1);
      const members = declared[0]!.getType().getProperties();
      return members.map((member): [string, Type] => [
        member.getName(),
        member.getTypeAtLocation(declared[0]!),
      ]);
    }),
  );
}

/** The sorts of values that a type holds. */
function sortsOf(type: Type): Set<string> {
  const parts = (type.isUnion() ? type.getUnionTypes() : [type]).filter((part) => !part.isUndefined());
  return new Set(parts.map(sortOf));
}

function sortOf(type: Type): string {
  if (type.isBoolean() || type.isBooleanLiteral()) return "boolean";
  if (type.isStringLiteral()) return JSON.stringify(type.getLiteralValue());
  if (type.isString()) return "string";
  if (type.isNumber()) return "number";
  if (type.isUnknown() || type.isAny()) return "any";
  if (type.getCallSignatures().length > 0) return "function";
  return type.isArray() || type.isReadonlyArray() ? "list" : "object";
}

const words: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:ms|bytes|number|number from 1|integer from 1|0 to 65,535|UTF-16 units|characters)(?: or )?$/,
    "number",
  ],
  [/^(?:string|path|URL)$/, "string"],
  [/^boolean\b/, "boolean"],
  [/\bfunction( or |$)/, "function"],
  [/\bobject$/, "object"],
  [/^list\b/, "list"],
  [/^any$/, "any"],
];

/** The sorts of values that a cell names. */
function sortsIn(cell: string): Set<string> {
  const codes = [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
  const named = codes.map((code) => (code.startsWith('"') ? code : "object"));
  const rest = cell.replace(/`[^`]+`(?:, ms)?/g, "").replace(/^[, ]+/, "");
  return new Set([...named, ...words.filter(([word]) => word.test(rest)).map(([, sort]) => sort)]);
}

/** The code that reads the configuration. */
const generatorText = ["command", "pipeline"]
  .flatMap((folder) => filesBelow(`generator/${folder}`))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

type Value = number | string | boolean;

/** The value of a default that is written in the code. */
function valueOf(node: Node | undefined): Value | undefined {
  if (Node.isNumericLiteral(node) || Node.isStringLiteral(node)) return node.getLiteralValue();
  if (Node.isTrueLiteral(node) || Node.isFalseLiteral(node)) return node.getLiteralValue();
  if (Node.isIdentifier(node) || Node.isPropertyAccessExpression(node)) {
    const name = Node.isIdentifier(node) ? node : node.getNameNode();
    const symbol = name.getSymbol();
    const declared = (symbol?.getAliasedSymbol() ?? symbol)?.getValueDeclaration();
    return Node.isInitializerExpressionGetable(declared) ? valueOf(declared.getInitializer()) : undefined;
  }
  if (!Node.isBinaryExpression(node) || node.getOperatorToken().getKind() !== SyntaxKind.AsteriskToken)
    return undefined;
  const [left, right] = [valueOf(node.getLeft()), valueOf(node.getRight())];
  return typeof left === "number" && typeof right === "number" ? left * right : undefined;
}

interface Default {
  /** Path of the file that holds it. */
  readonly file: string;
  readonly name: string;
  readonly value: Value;
}

const options = new Set(tables.flatMap(([heading]) => rowsOf(heading)).map(({ name }) => name));

/** The defaults that a file gives for members with the name of an option. */
function defaultsOf(file: SourceFile): Default[] {
  const found: Default[] = [];
  const add = (name: string, node: Node | undefined): void => {
    const value = options.has(name) ? valueOf(node) : undefined;
    if (value !== undefined) found.push({ file: file.getFilePath(), name, value });
  };
  file.forEachDescendant((node) => {
    if (Node.isBindingElement(node))
      add(node.getPropertyNameNode()?.getText() ?? node.getName(), node.getInitializer());
    else if (Node.isParameterDeclaration(node)) add(node.getName(), node.getInitializer());
    else if (Node.isPropertyAssignment(node)) {
      if (/^default/i.test(holderOf(node))) add(node.getName(), node.getInitializer());
    } else if (Node.isBinaryExpression(node)) {
      const left = node.getLeft();
      const absent = node.getOperatorToken().getKind() === SyntaxKind.QuestionQuestionToken;
      if (absent && Node.isPropertyAccessExpression(left)) add(left.getName(), node.getRight());
    } else if (Node.isCallExpression(node) || Node.isNewExpression(node)) addParameters(node, add);
  });
  return found;
}

const allDefaults = sources.flatMap(defaultsOf);

/** The defaults that the code of some folders gives, by option. */
function defaultsIn(folders: readonly string[]): Map<string, Set<Value>> {
  const found = new Map<string, Set<Value>>();
  const paths = folders.map((folder) => (folder.startsWith("runtime/") ? folder : `runtime/core/${folder}`));
  for (const { file, name, value } of allDefaults)
    if (paths.some((path) => file.includes(`/${path}`)))
      found.set(name, (found.get(name) ?? new Set()).add(value));
  return found;
}

/** The name of the variable whose value is an object literal. */
function holderOf(node: Node): string {
  return node.getFirstAncestorByKind(SyntaxKind.VariableDeclaration)?.getName() ?? "";
}

/** `f(options.x)` takes the default of the parameter. */
function addParameters(
  node: Node & { getArguments(): Node[] },
  add: (name: string, node: Node | undefined) => void,
): void {
  const given = node.getArguments();
  if (!given.some((each) => Node.isPropertyAccessExpression(each) && options.has(each.getName()))) return;
  const checker = project.getTypeChecker().compilerObject;
  const signature = checker.getResolvedSignature(node.compilerNode as ts.CallLikeExpression);
  const parameters = signature?.getDeclaration()?.parameters ?? [];
  for (const [index, argument] of given.entries()) {
    const initializer = parameters[index]?.initializer;
    if (!initializer || !Node.isPropertyAccessExpression(argument)) continue;
    const parameter = project
      .getSourceFile(initializer.getSourceFile().fileName)!
      .getDescendantsOfKind(SyntaxKind.Parameter)
      .find((each) => each.compilerNode === parameters[index]);
    add(argument.getName(), parameter?.getInitializer());
  }
}

const units: Readonly<Record<string, number>> = { KiB: 2 ** 10, Ki: 2 ** 10, MiB: 2 ** 20, Mi: 2 ** 20 };

/** The value that a cell says, if it says one. */
function valueIn(cell: string): Value | undefined {
  const [, number, unit] = /^([\d,]+)(?: (KiB|Ki|MiB|Mi))?(?: \(0: none\))?$/.exec(cell) ?? [];
  if (number !== undefined) return Number(number.replaceAll(",", "")) * (units[unit ?? ""] ?? 1);
  const [, code] = /^`([^`]+)`$/.exec(cell) ?? [];
  if (code === "true" || code === "false") return code === "true";
  if (code === undefined || /^[[{]/.test(code)) return undefined;
  return code.replace(/^"(.*)"$/, "$1");
}

/** Options whose defaults follow from other options. */
const derived = new Set(["requests.resend", "logRequests.level"]);

/** Tables with types. The rows of other tables refer to them. */
const withRows = tables.filter(([heading]) => rowsOf(heading).length > 0);

test("most tables have types", () => {
  expect(withRows.length).toBeGreaterThan(tables.length / 2);
});

describe.each(withRows)("docs/options.md, the table of %s", (heading, type, ...folders) => {
  const rows = rowsOf(heading);

  test("has the types that the code declares", () => {
    // Interfaces of other packages extend those of the runtime.
    const parts = Object.keys(partsOfTables).filter(
      (part) => partsOfTables[part] === heading && sources.some((file) => file.getInterface(part)),
    );
    const types = memberTypes([type, ...parts]);
    for (const { name, type: said } of rows) {
      const declared = types.get(name);
      expect(declared, name).toBeDefined();
      // The specification defines the levels; a schema may come from any library.
      if (said === "level" || said === "schema") continue;
      expect([...sortsIn(said)].toSorted(), `${name}: ${declared!.getText()}`).toEqual(
        [...sortsOf(declared!)].toSorted(),
      );
    }
  });

  test("has the defaults of the code", () => {
    const defaults = defaultsIn(folders);
    for (const { name, byDefault } of rows) {
      const said = valueIn(byDefault);
      const known = [...(defaults.get(name) ?? [])];
      // An option that is off by default needs no default in the code.
      if (said) expect(known, `${name}: ${byDefault}`).toContain(said);
      else if (!derived.has(`${heading}.${name}`))
        expect(known.filter(Boolean), `${name}: ${byDefault}`).toEqual([]);
    }
  });
});

// The names and types of these are compared in options.test.ts.
test.each(["mcpgen.config.json", "contracts", "diff"])(
  "docs/options.md, the table of %s, has the defaults of the code",
  (heading) => {
    for (const { name, byDefault } of rowsOf(heading)) {
      const said = valueIn(byDefault);
      if (said === undefined) continue;
      const known = [...generatorText.matchAll(new RegExp(`\\b${name}\\)? \\?\\? "([^"]+)"`, "g"))];
      expect(new Set(known.map(([, value]) => value)), name).toEqual(new Set([said]));
    }
  },
);
