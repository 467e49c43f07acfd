import { ts } from "ts-morph";
import { type Section, sections } from "./wanted.js";

/** A type that says whose handlers a value is: all of a contract's, or those of one section. */
export interface HandlersType {
  /** How the file calls the contract's `Handlers`. */
  readonly handlers: string;
  readonly section?: Section;
}

/** Types that stand for their argument's members. */
const transparent = new Set(["Readonly", "Required", "NonNullable", "Promise"]);

/** The names by which one file speaks of what is generated from one contract. */
export class TypeNames {
  /** Functions that make a server of handlers, by local name. */
  readonly creators = new Set<string>();
  private readonly handlers = new Set<string>();
  private readonly namespaces = new Set<string>();
  /** Types of the file's own that may be other names of handlers. */
  private readonly aliases = new Map<string, readonly ts.Node[]>();

  /** @param isOurs whether a module specifier leads to the contract's generated `server` module */
  constructor(source: ts.SourceFile, isOurs: (specifier: string) => boolean) {
    for (const statement of source.statements) {
      if (ts.isImportDeclaration(statement)) this.readImport(statement, isOurs);
      if (ts.isTypeAliasDeclaration(statement)) this.aliases.set(statement.name.text, [statement.type]);
      if (ts.isInterfaceDeclaration(statement))
        this.aliases.set(
          statement.name.text,
          (statement.heritageClauses ?? []).flatMap((clause) => [...clause.types]),
        );
    }
  }

  /** Whether the file imports anything that anchors could be made of. */
  get isEmpty(): boolean {
    return this.handlers.size + this.namespaces.size + this.creators.size === 0;
  }

  private readImport(
    { importClause, moduleSpecifier }: ts.ImportDeclaration,
    isOurs: (specifier: string) => boolean,
  ): void {
    if (!importClause || !ts.isStringLiteral(moduleSpecifier) || !isOurs(moduleSpecifier.text)) return;
    const { namedBindings } = importClause;
    if (!namedBindings) return;
    if (ts.isNamespaceImport(namedBindings)) return void this.namespaces.add(namedBindings.name.text);
    for (const { name, propertyName } of namedBindings.elements) {
      const imported = (propertyName ?? name).text;
      if (imported === "Handlers") this.handlers.add(name.text);
      else if (isCreator(imported)) this.creators.add(name.text);
    }
  }

  /** Whether a call makes a server of its first argument; the name of what it calls, for types. */
  creatorIn(called: ts.Expression): string | undefined {
    if (ts.isIdentifier(called)) return this.creators.has(called.text) ? called.text : undefined;
    if (!ts.isPropertyAccessExpression(called) || !ts.isIdentifier(called.expression)) return undefined;
    const { expression, name } = called;
    return this.namespaces.has(expression.text) && isCreator(name.text)
      ? `${expression.text}.${name.text}`
      : undefined;
  }

  /** The name of `Handlers` where only the function that takes it is imported. */
  handlersOf(creator: string): string {
    const [first] = this.handlers;
    if (first !== undefined) return first;
    const [namespace] = this.namespaces;
    return namespace === undefined ? `Parameters<typeof ${creator}>[0]` : `${namespace}.Handlers`;
  }

  /** What `type` says, followed through aliases of the same file. */
  resolve(type: ts.Node, seen: ReadonlySet<string> = new Set()): HandlersType | undefined {
    if (ts.isParenthesizedTypeNode(type)) return this.resolve(type.type, seen);
    if (ts.isIntersectionTypeNode(type)) return this.firstOf(type.types, seen);
    if (ts.isIndexedAccessTypeNode(type)) return this.resolveMember(type, seen);
    if (ts.isTypeReferenceNode(type))
      return this.resolveName(type.typeName.getText(), type.typeArguments, seen);
    if (ts.isExpressionWithTypeArguments(type))
      return this.resolveName(type.expression.getText(), type.typeArguments, seen);
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
    const whole = this.resolve(objectType, seen);
    if (!whole || whole.section !== undefined || !ts.isLiteralTypeNode(indexType)) return undefined;
    const { literal } = indexType;
    const section = ts.isStringLiteral(literal) ? sections.find((name) => name === literal.text) : undefined;
    return section && { ...whole, section };
  }

  private resolveName(
    name: string,
    args: readonly ts.Node[] | undefined,
    seen: ReadonlySet<string>,
  ): HandlersType | undefined {
    if (this.handlers.has(name)) return { handlers: name };
    const [namespace, member, more] = name.split(".");
    if (member === "Handlers" && more === undefined && this.namespaces.has(namespace!))
      return { handlers: name };
    if (args?.length === 1 && transparent.has(name)) return this.resolve(args[0]!, seen);
    const aliased = seen.has(name) ? undefined : this.aliases.get(name);
    return aliased && this.firstOf(aliased, new Set([...seen, name]));
  }
}

function isCreator(name: string): boolean {
  return /^create.+Server$/.test(name);
}
