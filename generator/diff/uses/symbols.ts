import { ts } from "ts-morph";

/** The declarations that a name or literal in code refers to. */
export interface Referred {
  readonly declarations: readonly ts.Node[];
  /** The types that the code accesses the member on. An inherited member is declared in another type. */
  readonly owners: readonly ts.Type[];
  /** Whether the compiler cannot resolve it. */
  readonly unknown: boolean;
}

/** Finds the declarations that names and literals in `program` refer to. */
export class Symbols {
  readonly #checker: ts.TypeChecker;

  constructor(program: ts.Program) {
    this.#checker = program.getTypeChecker();
  }

  referredBy(node: ts.Identifier | ts.StringLiteralLike): Referred {
    const owners = this.#ownersOf(node);
    if (owners) return this.#memberOf(owners, node.text);
    if (!ts.isIdentifier(node)) return { declarations: [], owners: [], unknown: false };
    const symbol = this.#resolved(node);
    const holders = ts.isPropertyAccessExpression(node.parent)
      ? this.#parts(this.#checker.getTypeAtLocation(node.parent.expression))
      : [];
    return {
      declarations: symbol?.declarations ?? [],
      owners: holders,
      unknown: !symbol?.declarations?.length && holders.every(isUnknown),
    };
  }

  /**
   * The declarations of a type that has a member, and of its base types. If the type itself has the member,
   * only of base types that have it, too.
   */
  withBases(type: ts.Type, member: string): ts.Node[] {
    const holders = declarationsOf(type);
    const isOwn = type.getProperty(member) !== undefined;
    const visit = (each: ts.Type): void => {
      if (!each.isClassOrInterface()) return;
      for (const base of this.#checker.getBaseTypes(each)) {
        if (!isOwn || base.getProperty(member)) holders.push(...declarationsOf(base));
        visit(base);
      }
    };
    visit(generic(type));
    return holders;
  }

  /** Whether code writes the member with a literal that certainly differs from `value` (JSON). */
  writesOther({ parent }: ts.Node, value: string): boolean {
    const written = this.#writtenBy(parent);
    return (
      written !== undefined &&
      this.#parts(written).every((type) => type.isLiteral() && JSON.stringify(type.value) !== value)
    );
  }

  /** The type of the value assigned to a member of an object literal. */
  #writtenBy(member: ts.Node): ts.Type | undefined {
    if (ts.isPropertyAssignment(member)) return this.#checker.getTypeAtLocation(member.initializer);
    if (!ts.isShorthandPropertyAssignment(member)) return undefined;
    const symbol = this.#checker.getShorthandAssignmentValueSymbol(member);
    return symbol && this.#checker.getTypeOfSymbolAtLocation(symbol, member.name);
  }

  #resolved(node: ts.Identifier): ts.Symbol | undefined {
    return this.#meant(this.#checker.getSymbolAtLocation(node));
  }

  #meant(symbol: ts.Symbol | undefined): ts.Symbol | undefined {
    if (!symbol || !(symbol.flags & ts.SymbolFlags.Alias)) return symbol;
    return this.#checker.getAliasedSymbol(symbol);
  }

  /**
   * The types that have a member which a word names without a symbol: in object literals, destructuring
   * patterns, classes, types and index accesses.
   */
  #ownersOf(node: ts.Identifier | ts.StringLiteralLike): readonly ts.Type[] | undefined {
    const { parent } = node;
    const checker = this.#checker;
    if (
      ts.isObjectLiteralElementLike(parent) &&
      parent.name === node &&
      ts.isObjectLiteralExpression(parent.parent)
    )
      return listed(this.#assigned(parent.parent) ?? checker.getContextualType(parent.parent));
    if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent)) {
      if ((parent.propertyName ?? parent.name) !== node) return undefined;
      return [checker.getTypeAtLocation(parent.parent)];
    }
    if (ts.isClassElement(parent) && parent.name === node && ts.isClassLike(parent.parent))
      return this.#implementedBy(parent.parent);
    if (ts.isElementAccessExpression(parent) && parent.argumentExpression === node)
      return [checker.getTypeAtLocation(parent.expression)];
    if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InKeyword)
      return parent.left === node && !ts.isIdentifier(node)
        ? [checker.getTypeAtLocation(parent.right)]
        : undefined;
    return ts.isLiteralTypeNode(parent) ? this.#ownerOfType(parent) : undefined;
  }

  /** The type of the value that an assignment destructures: `({ execution } = tool)`. */
  #assigned(pattern: ts.ObjectLiteralExpression): ts.Type | undefined {
    const { parent } = pattern;
    const isAssignment =
      ts.isBinaryExpression(parent) &&
      parent.left === pattern &&
      parent.operatorToken.kind === ts.SyntaxKind.EqualsToken;
    return isAssignment ? this.#checker.getTypeAtLocation(parent.right) : undefined;
  }

  /** The type whose member a literal type names: `Tool["execution"]`, `Pick<Tool, "execution" | "name">`. */
  #ownerOfType(literal: ts.LiteralTypeNode): readonly ts.Type[] | undefined {
    let type: ts.Node = literal;
    while (ts.isUnionTypeNode(type.parent) || ts.isParenthesizedTypeNode(type.parent)) type = type.parent;
    const { parent } = type;
    if (ts.isIndexedAccessTypeNode(parent)) return [this.#checker.getTypeFromTypeNode(parent.objectType)];
    if (!ts.isTypeReferenceNode(parent) || !/^(?:Omit|Pick)$/.test(parent.typeName.getText()))
      return undefined;
    const [of] = parent.typeArguments ?? [];
    return of && of !== type ? [this.#checker.getTypeFromTypeNode(of)] : undefined;
  }

  #implementedBy({ heritageClauses }: ts.ClassLikeDeclaration): readonly ts.Type[] | undefined {
    const clauses = (heritageClauses ?? []).flatMap(({ types }) => [...types]);
    return clauses.length === 0 ? undefined : clauses.map((each) => this.#checker.getTypeAtLocation(each));
  }

  #memberOf(types: readonly ts.Type[], name: string): Referred {
    const owners = types.flatMap((type) => this.#parts(type));
    const declarations = owners.flatMap((type) => this.#meant(type.getProperty(name))?.declarations ?? []);
    return { declarations, owners, unknown: owners.every(isUnknown) };
  }

  /**
   * The members of a union or intersection, else the type itself. A type parameter is replaced by its
   * constraint.
   */
  #parts(type: ts.Type): readonly ts.Type[] {
    const known = this.#checker.getBaseConstraintOfType(type) ?? type;
    return known.isUnionOrIntersection() ? known.types.flatMap((each) => this.#parts(each)) : [known];
  }
}

function isUnknown({ flags }: ts.Type): boolean {
  return (flags & ts.TypeFlags.Any) !== 0;
}

function listed<T>(value: T | undefined): T[] | undefined {
  return value === undefined ? undefined : [value];
}

/** The generic type of a type with arguments. */
function generic(type: ts.Type): ts.Type {
  return (type as Partial<ts.TypeReference>).target ?? type;
}

/** The declarations of a type's symbol and of its alias. */
function declarationsOf({ symbol, aliasSymbol }: ts.Type): ts.Node[] {
  return [aliasSymbol, symbol as ts.Symbol | undefined].flatMap((each) => each?.declarations?.[0] ?? []);
}
