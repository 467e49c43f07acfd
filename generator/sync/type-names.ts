import { ts } from "ts-morph";
import type { LookIn, Meaning } from "./meanings.js";
import { everyNode, isScript } from "./declarations.js";
import { type Section, sections } from "./wanted.js";

/** A type that shows whose handlers a value is: all of a contract's, or those of one section. */
export interface HandlersType {
  /** How the file refers to the contract's `Handlers`. */
  readonly handlers: string;
  readonly section?: Section;
  /** The type that makes members optional, if there is one. */
  readonly part?: string;
}

/** Generic types that have the members of their argument. */
const transparent = new Set(["Readonly", "Required", "NonNullable", "Promise", "Awaited"]);
/** Generic types that omit members of their argument or make them optional. */
const parting = new Set(["Partial", "Pick", "Omit"]);

/** The names that one file uses for the generated code of one contract. */
export class TypeNames {
  private readonly bindings: ReadonlyMap<string, Binding>;
  /** Types declared in the file that may be aliases of handlers. */
  private readonly aliases = new Map<string, readonly ts.Node[]>();
  private readonly source: ts.SourceFile;
  private readonly lookIn: LookIn;
  private readonly anywhere: string;

  /**
   * @param lookIn finds the exports of imported modules
   * @param anywhere how to refer to `Handlers` without an import
   */
  constructor(source: ts.SourceFile, lookIn: LookIn, anywhere: string) {
    this.source = source;
    this.lookIn = lookIn;
    this.anywhere = anywhere;
    this.bindings = new Map([...dynamicBindings(source, lookIn), ...bindingsOf(source, lookIn)]);
    this.readAliases();
  }

  private readAliases(): void {
    for (const statement of this.source.statements) {
      if (ts.isTypeAliasDeclaration(statement)) this.aliases.set(statement.name.text, [statement.type]);
      if (ts.isInterfaceDeclaration(statement)) {
        const extended = (statement.heritageClauses ?? []).flatMap((clause) => [...clause.types]);
        this.aliases.set(statement.name.text, extended);
      }
      if (ts.isImportEqualsDeclaration(statement) && !ts.isExternalModuleReference(statement.moduleReference))
        this.aliases.set(statement.name.text, [statement.moduleReference]);
    }
    for (const { tag, name } of typedefs(this.source)) this.aliases.set(name, [tag]);
  }

  /** Types that the file declares; any may be an alias of handlers. */
  get declared(): readonly string[] {
    return [...this.aliases.keys()];
  }

  /** The first reference to generated code in the file. */
  get first(): { readonly node: ts.Node; readonly doubt: boolean } | undefined {
    let doubted: ts.Node | undefined;
    for (const { node, meaning } of this.bindings.values()) {
      const found = meaning();
      if (concerns(found)) return { node, doubt: false };
      if (found?.kind === "doubt") doubted ??= node;
    }
    const node = this.unbound();
    if (node) return { node, doubt: false };
    return doubted && { node: doubted, doubt: true };
  }

  /** An import type or dynamic import that does not name handlers. */
  private unbound(): ts.Node | undefined {
    let found: ts.Node | undefined;
    everyNode(this.source, (node) => {
      if (found) return;
      const specifier = importedBy(node);
      const concerned = specifier === undefined ? undefined : this.lookIn(specifier).names()[0];
      if (concerned !== undefined || (ts.isImportTypeNode(node) && this.resolve(node))) found = node;
    });
    return found;
  }

  /** The meaning of a qualified name in the file. */
  meaningOf(name: string): Meaning | undefined {
    const [first, ...members] = name.split(".");
    return memberOf(this.bindings.get(first!)?.meaning(), members);
  }

  /** If a call creates a server from its first argument, the name of the called function, for types. */
  creatorIn(called: ts.Expression): string | undefined {
    if (!ts.isIdentifier(called) && !ts.isPropertyAccessExpression(called)) return undefined;
    const name = called.getText();
    return this.meaningOf(name)?.kind === "creator" ? name : undefined;
  }

  /** How to refer to `Handlers` if only the function that takes them is imported. */
  handlersOf(creator: string): string {
    const [namespace, ...member] = creator.split(".");
    const beside = member.length > 0 ? `${namespace}.Handlers` : undefined;
    const whole = beside !== undefined && this.meaningOf(beside)?.kind === "handlers" ? beside : undefined;
    return this.imported() ?? whole ?? `Parameters<typeof ${creator}>[0]`;
  }

  /** The local name of an import of `Handlers`. */
  private imported(): string | undefined {
    for (const [name, { meaning }] of this.bindings) if (isWhole(meaning())) return name;
    return undefined;
  }

  /** The handlers that `type` refers to, through aliases and modules. */
  resolve(type: ts.Node, seen: ReadonlySet<string> = new Set()): HandlersType | undefined {
    if (ts.isParenthesizedTypeNode(type)) return this.resolve(type.type, seen);
    if (ts.isIntersectionTypeNode(type) || ts.isUnionTypeNode(type)) return this.firstOf(type.types, seen);
    if (ts.isIndexedAccessTypeNode(type)) return this.resolveMember(type, seen);
    if (ts.isImportTypeNode(type)) return this.resolveImport(type);
    if (ts.isTypeReferenceNode(type))
      return this.resolveName(type.typeName.getText(), type.typeArguments, seen);
    // The compiler requires a name here, but the meaning is clear nevertheless.
    if (ts.isExpressionWithTypeArguments(type) && ts.isElementAccessExpression(type.expression))
      return this.sectionOf(
        this.resolveName(type.expression.expression.getText()),
        type.expression.argumentExpression,
      );
    if (ts.isExpressionWithTypeArguments(type))
      return this.resolveName(type.expression.getText(), type.typeArguments, seen);
    if (ts.isEntityName(type)) return this.resolveName(type.getText(), undefined, seen);
    return undefined;
  }

  private firstOf(types: readonly ts.Node[], seen: ReadonlySet<string>): HandlersType | undefined {
    for (const type of types) {
      const found = this.resolve(type, seen);
      if (found) return found;
    }
    return undefined;
  }

  private resolveMember(
    { objectType, indexType }: ts.IndexedAccessTypeNode,
    seen: ReadonlySet<string>,
  ): HandlersType | undefined {
    if (!ts.isLiteralTypeNode(indexType)) return undefined;
    const { literal } = indexType;
    if (ts.isNumericLiteral(literal)) return literal.text === "0" ? this.parameter(objectType) : undefined;
    return this.sectionOf(this.resolve(objectType, seen), literal);
  }

  private sectionOf(whole: HandlersType | undefined, key: ts.Node): HandlersType | undefined {
    if (!whole || whole.section !== undefined || !ts.isStringLiteral(key)) return undefined;
    const section = sections.find((name) => name === key.text);
    return section && { ...whole, section };
  }

  /** `Parameters<typeof createWeatherServer>`. */
  private parameter(type: ts.TypeNode): HandlersType | undefined {
    if (!ts.isTypeReferenceNode(type) || type.typeName.getText() !== "Parameters") return undefined;
    const [query] = type.typeArguments ?? [];
    if (!query || !ts.isTypeQueryNode(query)) return undefined;
    const creator = query.exprName.getText();
    return this.meaningOf(creator)?.kind === "creator" ? { handlers: this.handlersOf(creator) } : undefined;
  }

  /** `import("./generated/server.js").Handlers`. */
  private resolveImport({ argument, qualifier, isTypeOf }: ts.ImportTypeNode): HandlersType | undefined {
    if (isTypeOf || !qualifier || !ts.isLiteralTypeNode(argument)) return undefined;
    if (!ts.isStringLiteral(argument.literal)) return undefined;
    const specifier = argument.literal.text;
    const module: Meaning = { kind: "module", exports: this.lookIn(specifier) };
    const meaning = memberOf(module, qualifier.getText().split("."));
    const name = `import(${JSON.stringify(specifier)}).${qualifier.getText()}`;
    return meaning && this.typeOf(meaning, name);
  }

  /** The handlers that a type with this name refers to. */
  resolveName(
    name: string,
    args: readonly ts.Node[] | undefined = undefined,
    seen: ReadonlySet<string> = new Set(),
  ): HandlersType | undefined {
    const meaning = this.meaningOf(name);
    if (meaning) return this.typeOf(meaning, name);
    if (args?.length === 1 && transparent.has(name)) return this.resolve(args[0]!, seen);
    if (args && parting.has(name)) {
      const whole = this.resolve(args[0]!, seen);
      return whole && { ...whole, part: `${name}<…> makes it optional` };
    }
    const aliased = seen.has(name) ? undefined : this.aliases.get(name);
    return aliased && this.firstOf(aliased, new Set([...seen, name]));
  }

  private typeOf(meaning: Meaning, name: string): HandlersType | undefined {
    if (meaning.kind !== "handlers") return undefined;
    const { section, part } = meaning;
    return {
      handlers: isWhole(meaning) ? name : (this.imported() ?? this.anywhere),
      ...(section && { section }),
      ...(part !== undefined && { part }),
    };
  }
}

/** Whether a meaning is `Handlers` itself, with its namespace. */
function isWhole(meaning: Meaning | undefined): boolean {
  return meaning?.kind === "handlers" && !meaning.alias && meaning.section === undefined;
}

function concerns(meaning: Meaning | undefined): boolean {
  if (meaning?.kind === "module") return meaning.exports.names().length > 0;
  return meaning?.kind === "handlers" || meaning?.kind === "creator";
}

function memberOf(meaning: Meaning | undefined, members: readonly string[]): Meaning | undefined {
  const [member, ...others] = members;
  if (member === undefined) return meaning;
  return meaning?.kind === "module" ? memberOf(meaning.exports.of(member), others) : undefined;
}

/** Types declared in JSDoc. */
function typedefs(source: ts.SourceFile): { readonly tag: ts.Node; readonly name: string }[] {
  const found: { tag: ts.Node; name: string }[] = [];
  everyNode(source, (node) => {
    if (!ts.isJSDocTypedefTag(node) || !node.name || !node.typeExpression) return;
    if (ts.isJSDocTypeExpression(node.typeExpression))
      found.push({ tag: node.typeExpression.type, name: node.name.getText() });
  });
  return found;
}

/** A name bound by an import; its meaning is determined when it is used. */
interface Binding {
  readonly node: ts.Node;
  readonly meaning: () => Meaning | undefined;
}

/** The names bound by a file's imports, including those in JSDoc and aliases of namespace members. */
function bindingsOf(source: ts.SourceFile, lookIn: LookIn): Map<string, Binding> {
  const bindings = new Map<string, Binding>();
  const bind = (local: ts.Identifier, specifier: ts.Expression, imported: string | undefined): void => {
    if (!ts.isStringLiteralLike(specifier)) return;
    const once = lazily(() => {
      const exports = lookIn(specifier.text);
      return imported === undefined ? ({ kind: "module", exports } as const) : exports.of(imported);
    });
    bindings.set(local.text, { node: local, meaning: once });
  };
  const read = ({ importClause, moduleSpecifier }: ts.ImportDeclaration | ts.JSDocImportTag): void => {
    if (!importClause) return;
    const { name, namedBindings } = importClause;
    if (name) bind(name, moduleSpecifier, "default");
    if (!namedBindings) return;
    if (ts.isNamespaceImport(namedBindings)) return bind(namedBindings.name, moduleSpecifier, undefined);
    for (const each of namedBindings.elements)
      bind(each.name, moduleSpecifier, (each.propertyName ?? each.name).text);
  };
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) read(statement);
    if (ts.isImportEqualsDeclaration(statement)) {
      const { moduleReference, name } = statement;
      if (ts.isExternalModuleReference(moduleReference)) bind(name, moduleReference.expression, undefined);
    }
  }
  if (isScript(source)) everyNode(source, (node) => void (ts.isJSDocImportTag(node) && read(node)));
  return bindings;
}

/** Names bound by dynamic imports, as a pattern or as a whole. */
function dynamicBindings(source: ts.SourceFile, lookIn: LookIn): Map<string, Binding> {
  const bindings = new Map<string, Binding>();
  everyNode(source, (node) => {
    if (!ts.isVariableDeclaration(node) || !node.initializer) return;
    const specifier = importedBy(node.initializer);
    if (specifier !== undefined) bindPattern(node.name, specifier, lookIn, bindings);
  });
  return bindings;
}

function bindPattern(
  name: ts.BindingName,
  specifier: string,
  lookIn: LookIn,
  bindings: Map<string, Binding>,
): void {
  if (ts.isIdentifier(name)) {
    bindings.set(name.text, { node: name, meaning: () => ({ kind: "module", exports: lookIn(specifier) }) });
    return;
  }
  if (!ts.isObjectBindingPattern(name)) return;
  for (const { name: local, propertyName } of name.elements) {
    if (!ts.isIdentifier(local)) continue;
    const imported = propertyName === undefined ? local.text : propertyName.getText();
    bindings.set(local.text, { node: local, meaning: lazily(() => lookIn(specifier).of(imported)) });
  }
}

/** The specifier in `await import("…")` or `require("…")`. */
function importedBy(expression: ts.Node): string | undefined {
  if (ts.isAwaitExpression(expression) || ts.isParenthesizedExpression(expression))
    return importedBy(expression.expression);
  if (!ts.isCallExpression(expression)) return undefined;
  const { expression: called, arguments: given } = expression;
  const imports =
    called.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(called) && called.text === "require");
  const [specifier] = given;
  return imports && specifier && ts.isStringLiteralLike(specifier) ? specifier.text : undefined;
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
