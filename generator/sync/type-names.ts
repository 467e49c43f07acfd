import { ts } from "ts-morph";
import { type Binding, bindingsOf, dynamicBindings, importedBy } from "./imports.js";
import type { LookIn, Meaning } from "./meanings.js";
import { everyNode } from "./walk.js";
import { type Section, sections } from "./wanted.js";

/** A type that says whose handlers a value is: all of a contract's, or those of one section. */
export interface HandlersType {
  /** How the file calls the contract's `Handlers`. */
  readonly handlers: string;
  readonly section?: Section;
  /** The type says that members may be left out: how it says so. */
  readonly part?: string;
}

/** Types that stand for their argument's members. */
const transparent = new Set(["Readonly", "Required", "NonNullable", "Promise", "Awaited"]);
/** Types that leave out some of their argument's members. */
const parting = new Set(["Partial", "Pick", "Omit"]);

/** The names that one file uses for the generated code of one contract. */
export class TypeNames {
  private readonly bindings: ReadonlyMap<string, Binding>;
  /** Types of the file's own that may be other names of handlers. */
  private readonly aliases = new Map<string, readonly ts.Node[]>();
  private readonly source: ts.SourceFile;
  private readonly lookIn: LookIn;
  private readonly anywhere: string;

  /**
   * @param lookIn finds the exports of what the file imports
   * @param anywhere how `Handlers` can be called without an import
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

  /** Types that the file declares; any of them may be another name of handlers. */
  get declared(): readonly string[] {
    return [...this.aliases.keys()];
  }

  /** The first reference to generated code in the file, if any. */
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

  /** An import type, or an import where code runs, that gives handlers no name. */
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

  /** The meaning of a name in the file, with its dots. */
  meaningOf(name: string): Meaning | undefined {
    const [first, ...members] = name.split(".");
    return memberOf(this.bindings.get(first!)?.meaning(), members);
  }

  /** Whether a call makes a server of its first argument; the name of what it calls, for types. */
  creatorIn(called: ts.Expression): string | undefined {
    if (!ts.isIdentifier(called) && !ts.isPropertyAccessExpression(called)) return undefined;
    const name = called.getText();
    return this.meaningOf(name)?.kind === "creator" ? name : undefined;
  }

  /** The name of `Handlers` where only the function that takes it is imported. */
  handlersOf(creator: string): string {
    const [namespace, ...member] = creator.split(".");
    const beside = member.length > 0 ? `${namespace}.Handlers` : undefined;
    const whole = beside !== undefined && this.meaningOf(beside)?.kind === "handlers" ? beside : undefined;
    return this.imported() ?? whole ?? `Parameters<typeof ${creator}>[0]`;
  }

  /** The name that an import gives to `Handlers` itself. */
  private imported(): string | undefined {
    for (const [name, { meaning }] of this.bindings) if (isWhole(meaning())) return name;
    return undefined;
  }

  /** The handlers that `type` stands for, through aliases and modules. */
  resolve(type: ts.Node, seen: ReadonlySet<string> = new Set()): HandlersType | undefined {
    if (ts.isParenthesizedTypeNode(type)) return this.resolve(type.type, seen);
    if (ts.isIntersectionTypeNode(type) || ts.isUnionTypeNode(type)) return this.firstOf(type.types, seen);
    if (ts.isIndexedAccessTypeNode(type)) return this.resolveMember(type, seen);
    if (ts.isImportTypeNode(type)) return this.resolveImport(type);
    if (ts.isTypeReferenceNode(type))
      return this.resolveName(type.typeName.getText(), type.typeArguments, seen);
    // The compiler wants a name there; what is meant is clear all the same.
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

  /** The handlers that a type of that name stands for. */
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

/** `Handlers` itself, with the namespace of that name. */
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

/** Types that JSDoc declares. */
function typedefs(source: ts.SourceFile): { readonly tag: ts.Node; readonly name: string }[] {
  const found: { tag: ts.Node; name: string }[] = [];
  everyNode(source, (node) => {
    if (!ts.isJSDocTypedefTag(node) || !node.name || !node.typeExpression) return;
    if (ts.isJSDocTypeExpression(node.typeExpression))
      found.push({ tag: node.typeExpression.type, name: node.name.getText() });
  });
  return found;
}
