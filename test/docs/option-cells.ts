import { readFileSync } from "node:fs";
import { Node, Project, type SourceFile, SyntaxKind, type Type, type ts } from "ts-morph";
import { type JsonObject, atPointer } from "@mcpgen/engine";
import { filesBelow } from "../../scripts/rooms/imports.js";
import { partsOfTables, type schemaTables, tables } from "./option-tables.js";

/** A row of a table of options. A row that points to another table has several names, and no type. */
export interface Row {
  readonly names: readonly string[];
  readonly type: string;
  readonly byDefault: string;
}

/** The rows of the tables below a heading of docs/options.md, down to the next heading. */
export function rowsOf(document: string, heading: string): Row[] {
  const section = document.split(/^#{2,3} /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^\|(`.+?)\|(.*?)\|(.*?)\|.*\|$/gm)].map(([, names, type, byDefault]) => ({
    names: [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
    type: type!.trim(),
    byDefault: byDefault!.trim(),
  }));
}

const document = readFileSync("docs/options.md", "utf8");
const project = new Project({
  tsConfigFilePath: "runtime/core/tsconfig.json",
  compilerOptions: { customConditions: ["mcpgen-source"] },
});
project.addSourceFilesAtPaths(["runtime/*/**/*.ts", "!**/dist/**", "!**/node_modules/**"]);
const sources = project
  .getSourceFiles()
  .filter((file) => /\/runtime\/(?!.*\/dist\/)/.test(file.getFilePath()));

interface Member {
  readonly type: Type;
  readonly isOptional: boolean;
}

/** The members of some interfaces. Of two with one name, `folders` have the one that is meant. */
function membersOf(names: readonly string[], folders: readonly string[]): ReadonlyMap<string, Member> {
  const found = new Map<string, Member>();
  for (const name of names) {
    const all = sources.flatMap((file) => file.getInterface(name) ?? []);
    const near = all.filter((each) => isIn(each.getSourceFile().getFilePath(), folders));
    const [declared, other] = all.length > 1 ? near : all;
    if (!declared || other) throw new Error(`${name} is not one interface: ${all.length}, ${near.length}`);
    for (const member of declared.getType().getProperties())
      found.set(member.getName(), {
        type: member.getTypeAtLocation(declared),
        isOptional: member.isOptional(),
      });
  }
  return found;
}

function isIn(file: string, folders: readonly string[]): boolean {
  const paths = folders.map((folder) => (folder.startsWith("runtime/") ? folder : `runtime/core/${folder}`));
  return paths.some((path) => file.includes(`/${path}`));
}

/** The sorts of values that a type holds. */
function sortsOf(type: Type): string[] {
  const parts = (type.isUnion() ? type.getUnionTypes() : [type]).filter((part) => !part.isUndefined());
  return [...new Set(parts.map(sortOf))].sort();
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
  [/^(?:ms|bytes|seconds|number|integer|0 to 65,535|UTF-16 units|characters)\b/, "number"],
  [/^(?:string|path|URL)\b/, "string"],
  [/^boolean\b/, "boolean"],
  [/^function\b/, "function"],
  [/^(?:object|JSON Web Key Set)\b/, "object"],
  [/^list\b/, "list"],
  [/^any$/, "any"],
];

/** The sorts of values that a cell names, or a word that has none. */
function sortsIn(cell: string): string[] {
  const parts = cell.startsWith("list of `") ? ["list"] : cell.split(/ or |, (?=`|list|string|function)/);
  const found = parts.map((part) => {
    const [, code] = /^`([^`]+)`/.exec(part) ?? [];
    if (code !== undefined) return code === "false" ? "boolean" : code.startsWith('"') ? code : "object";
    return words.find(([word]) => word.test(part))?.[1] ?? part;
  });
  return [...new Set(found)].sort();
}

type Value = number | string | boolean;

/** The value of a default that is written in the code. A list is its JSON. */
function valueOf(node: Node | undefined): Value | undefined {
  if (Node.isNumericLiteral(node) || Node.isStringLiteral(node)) return node.getLiteralValue();
  if (Node.isTrueLiteral(node) || Node.isFalseLiteral(node)) return node.getLiteralValue();
  if (Node.isArrayLiteralExpression(node)) {
    const values = node.getElements().map(valueOf);
    return values.length === 0 || values.includes(undefined) ? undefined : JSON.stringify(values);
  }
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

const options = new Set(
  tables
    .flatMap(([heading]) => rowsOf(document, heading))
    .flatMap(({ names, type }) => [...names, ...membersIn(type)]),
);

/** The names in a cell such as `{ timeout, totalTimeout }`, ms. */
function membersIn(cell: string): string[] {
  return /`\{ ([^}]+) \}`/.exec(cell)?.[1]!.split(", ") ?? [];
}

/** Values of members with the name of an option, in all files. */
const defaults: Default[] = [];
/** Values that the code asks for by `===`: of two values, the other one is the default. */
const exceptions: Default[] = [];

function addDefaultsOf(file: SourceFile): void {
  const addTo =
    (list: Default[]) =>
    (name: string, node: Node | undefined): void => {
      const value = options.has(name) ? valueOf(node) : undefined;
      if (value !== undefined) list.push({ file: file.getFilePath(), name, value });
    };
  const [add, addException] = [addTo(defaults), addTo(exceptions)];
  file.forEachDescendant((node) => {
    if (Node.isBindingElement(node))
      add(node.getPropertyNameNode()?.getText() ?? node.getName(), node.getInitializer());
    else if (Node.isParameterDeclaration(node)) add(node.getName(), node.getInitializer());
    else if (Node.isPropertyAssignment(node)) {
      if (/^default/i.test(holderOf(node)) || isSpreadOver(node)) add(node.getName(), node.getInitializer());
    } else if (Node.isBinaryExpression(node)) {
      const left = node.getLeft();
      const operator = node.getOperatorToken().getKind();
      const name = Node.isPropertyAccessExpression(left) ? left.getName() : left.getText();
      if (operator === SyntaxKind.QuestionQuestionToken && name !== left.getText())
        add(name, node.getRight());
      if (operator === SyntaxKind.EqualsEqualsEqualsToken) addException(name, node.getRight());
    } else if (Node.isCallExpression(node) || Node.isNewExpression(node)) addParameters(node, add);
  });
}

sources.forEach(addDefaultsOf);

type Values = ReadonlyMap<string, ReadonlySet<Value>>;

/** The values in a list that the code of some folders has, by option. */
function valuesIn(list: readonly Default[], folders: readonly string[]): Values {
  const found = new Map<string, Set<Value>>();
  for (const { file, name, value } of list)
    if (isIn(file, folders)) found.set(name, (found.get(name) ?? new Set()).add(value));
  return found;
}

/** The name of the variable whose value is an object literal. */
function holderOf(node: Node): string {
  return node.getFirstAncestorByKind(SyntaxKind.VariableDeclaration)?.getName() ?? "";
}

/** Whether a member is of an object that given options are spread over: `{ ...{ a: 1 }, ...options.clients }`. */
function isSpreadOver(node: Node): boolean {
  const spread = node.getParent()?.getParent();
  const next = Node.isSpreadAssignment(spread) ? spread.getNextSibling()?.getNextSibling() : undefined;
  return Node.isSpreadAssignment(next) && /\boptions\b/.test(next.getText());
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

const units: Readonly<Record<string, number>> = {
  ...{ KiB: 2 ** 10, Ki: 2 ** 10, MiB: 2 ** 20, Mi: 2 ** 20 },
  days: 86_400_000,
};

const number = /([\d,]*\d)(?: (KiB|Ki|MiB|Mi|days))?/;

function numberOf([, digits, unit]: RegExpMatchArray): number {
  return Number(digits!.replaceAll(",", "")) * (units[unit ?? ""] ?? 1);
}

/** The default that a cell says, if it says one. */
function valueIn({ byDefault, type }: Row): Value | undefined {
  const alone = new RegExp(`^${number.source}(?: \\(0: none\\))?$`).exec(byDefault);
  if (alone) return numberOf(alone);
  const codes = [...byDefault.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
  if (/^`[^`]+`(?:, `[^`]+`)+$/.test(byDefault)) return JSON.stringify(codes);
  if (byDefault === "all three") return JSON.stringify(type.match(/(?<=`")[^"]+/g));
  if (!/^`[^`]+`$/.test(byDefault)) return undefined;
  const [code] = codes as [string];
  if (code === "true" || code === "false") return code === "true";
  if (code.startsWith("[")) return JSON.stringify(JSON.parse(code));
  return code.startsWith("{") ? undefined : code.replace(/^"(.*)"$/, "$1");
}

/** Defaults in a cell that the code computes, by table and option, with the reason. */
const computed: ReadonlyMap<string, string> = new Map([
  ["requests.resend", "the option of the connection"],
  ["logRequests.level", "a variable of the environment precedes"],
  ["oauth.issuer", "another option"],
  ["scopes.supported", "another option"],
  ["loopback.open", "a function"],
  ["tokenExchange.from", "another option"],
  ["keychain.folder", "a variable of the environment"],
]);

/** What is wrong in the tables below a heading of docs/options.md: names, types, defaults. */
export function problemsOf(text: string, [heading, type, ...folders]: (typeof tables)[number]): string[] {
  const rows = rowsOf(text, heading);
  // Interfaces of other packages extend those of the runtime.
  const parts = Object.keys(partsOfTables).filter(
    (part) => partsOfTables[part] === heading && sources.some((file) => file.getInterface(part)),
  );
  const members = membersOf([type, ...parts], folders);
  const known = valuesIn(defaults, folders);
  const excepted = valuesIn(exceptions, folders);
  return rows.flatMap((row) => {
    const unknown = row.names.filter((name) => !members.has(name));
    if (unknown.length > 0 || row.type === "" || row.type.startsWith("|"))
      return unknown.map((name) => `${heading}: ${type} has no ${name}`);
    const name = row.names[0]!;
    const place = `${heading}, ${name}`;
    const member = members.get(name)!;
    const isComputed = computed.has(`${heading}.${name}`);
    const isOther = !known.has(name) && excepted.has(name);
    return [
      ...typeProblems(row.type, member, place),
      ...requiredProblems(row.byDefault, member, place),
      ...(isComputed
        ? computedProblems(row, place)
        : isOther
          ? otherProblems(row, excepted.get(name)!, place)
          : defaultProblems(row, known, place)),
    ];
  });
}

function typeProblems(cell: string, { type }: Member, place: string): string[] {
  // The specification defines the levels; a schema may come from any library.
  if (cell === "level" || cell === "schema") return [];
  const [said, declared] = [sortsIn(cell), sortsOf(type)].map((sorts) => sorts.join(" | "));
  return said === declared ? [] : [`${place}: it is ${declared}, not ${said}`];
}

function requiredProblems(byDefault: string, { isOptional }: Member, place: string): string[] {
  const isRequired = byDefault.startsWith("required");
  if (isRequired !== isOptional || /^required(?: for|;)/.test(byDefault)) return [];
  return [`${place}: it is ${isOptional ? "optional" : "required"}`];
}

function defaultProblems(row: Row, defaults: Values, place: string): string[] {
  const known = (name: string): Value[] => [...(defaults.get(name) ?? [])];
  const wrong = (name: string, said: unknown): string =>
    `${place}: the default of ${name} is ${known(name).join(" or ") || "not in the code"}, not ${String(said)}`;
  const said = valueIn(row);
  const [name] = row.names as [string];
  if (said !== undefined)
    // An option that is off by default needs no default in the code.
    return known(name).includes(said) || (said === false && known(name).length === 0)
      ? []
      : [wrong(name, said)];
  const numbers = [...row.byDefault.replace(/\d{4}-\d\d-\d\d/g, "").matchAll(new RegExp(number, "g"))].map(
    numberOf,
  );
  const members = membersIn(row.type);
  const isListed = numbers.length > 0 && numbers.length === members.length;
  if (isListed)
    return members.flatMap((member, index) =>
      known(member).includes(numbers[index]!) ? [] : [wrong(member, numbers[index])],
    );
  return numbers.length > 0 || known(name).some(Boolean) ? [wrong(name, row.byDefault)] : [];
}

/** Of a member whose default the code does not write: it asks for the other values. */
function otherProblems(row: Row, excepted: ReadonlySet<Value>, place: string): string[] {
  const said = valueIn(row);
  const isOne =
    typeof said === "string" ? sortsIn(row.type).includes(JSON.stringify(said)) : typeof said !== "number";
  return said === undefined || (isOne && !excepted.has(said)) ? [] : [`${place}: the default is not ${said}`];
}

/** A default that the code computes is no plain value. */
function computedProblems(row: Row, place: string): string[] {
  const said = valueIn(row);
  return typeof said === "number" || typeof said === "boolean"
    ? [`${place}: the default is not ${said}`]
    : [];
}

/** The code that reads the configuration. */
const generatorText = ["command", "pipeline", "config"]
  .flatMap((folder) => filesBelow(`generator/${folder}`))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");

const configSchema = JSON.parse(readFileSync("docs/config.schema.json", "utf8")) as JsonObject;

/** What is wrong in a table of keys of the configuration. */
export function keyProblemsOf(text: string, [heading, pointer]: (typeof schemaTables)[number]): string[] {
  const { properties, required = [] } = atPointer(configSchema, pointer) as unknown as {
    readonly properties: Readonly<Record<string, JsonObject>>;
    readonly required?: readonly string[];
  };
  return rowsOf(text, heading).flatMap((row) => {
    const name = row.names[0]!;
    const place = `${heading}, ${name}`;
    const schema = properties[name];
    if (schema === undefined) return [`${place}: there is no such key`];
    const [said, declared] = [typesIn(row.type), [schema["enum"] ?? schema["type"]].flat()].map((types) =>
      types.join(),
    );
    const found = [...generatorText.matchAll(new RegExp(`\\b${name}\\)? \\?\\? "([^"]+)"`, "g"))];
    const known = new Set(found.map(([, value]) => value));
    const byDefault = valueIn(row);
    return [
      ...(said === declared ? [] : [`${place}: it is ${declared}, not ${said}`]),
      ...((row.byDefault === "required") === required.includes(name) ? [] : [`${place}: required or not`]),
      ...(byDefault === undefined || (known.size === 1 && known.has(String(byDefault)))
        ? []
        : [`${place}: the default is ${[...known].join()}, not ${byDefault}`]),
    ];
  });
}

/** The types of JSON, or the values, that a cell names. */
function typesIn(cell: string): string[] {
  const values = [...cell.matchAll(/`"([^"]+)"`/g)].map(([, value]) => value!);
  if (values.length > 0) return values;
  return cell.split(" or ").map((word) => word.replace(/^path$/, "string").replace(/^list.*/, "array"));
}
