import { ts } from "ts-morph";

/** The declarations that a word of code refers to. */
export interface Referred {
  readonly declarations: readonly ts.Node[];
  /** Types whose member it is, as they are known where it stands; what is inherited is declared elsewhere. */
  readonly owners: readonly ts.Type[];
  /** The compiler does not know. */
  readonly unknown: boolean;
}

/** Finds what a name or a literal in `program` refers to. */
export class Symbols {
  readonly #checker: ts.TypeChecker;

  constructor(program: ts.Program) {
    this.#checker = program.getTypeChecker();
  }

  referredBy(node: ts.Identifier | ts.StringLiteralLike): Referred {
    const owner = this.#ownerOf(node);
    if (owner) return this.#memberOf(owner, node.text);
    if (!ts.isIdentifier(node)) return { declarations: [], owners: [], unknown: false };
    const symbol = this.#resolved(node);
    const owners = ts.isPropertyAccessExpression(node.parent)
      ? parts(this.#checker.getTypeAtLocation(node.parent.expression))
      : [];
    return { declarations: symbol?.declarations ?? [], owners, unknown: !symbol?.declarations?.length };
  }

  /** The declarations of what is called, or of the type that takes arguments. */
  calledBy(node: ts.CallExpression | ts.TypeReferenceNode | ts.NewExpression): readonly ts.Node[] {
    const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression;
    const last = ts.isPropertyAccessExpression(name)
      ? name.name
      : ts.isQualifiedName(name)
        ? name.right
        : name;
    return ts.isIdentifier(last) ? (this.#resolved(last)?.declarations ?? []) : [];
  }

  #resolved(node: ts.Identifier): ts.Symbol | undefined {
    const symbol = this.#checker.getSymbolAtLocation(node);
    if (!symbol || !(symbol.flags & ts.SymbolFlags.Alias)) return symbol;
    return this.#checker.getAliasedSymbol(symbol);
  }

  /** The type whose member a word names although no symbol shows it: in literals, patterns, classes and indices. */
  #ownerOf(node: ts.Identifier | ts.StringLiteralLike): ts.Type | undefined {
    const { parent } = node;
    if (
      ts.isObjectLiteralElementLike(parent) &&
      parent.name === node &&
      ts.isObjectLiteralExpression(parent.parent)
    )
      return this.#checker.getContextualType(parent.parent);
    if (ts.isBindingElement(parent) && ts.isObjectBindingPattern(parent.parent)) {
      if ((parent.propertyName ?? parent.name) !== node) return undefined;
      return this.#checker.getTypeAtLocation(parent.parent);
    }
    if (ts.isClassElement(parent) && parent.name === node && ts.isClassLike(parent.parent))
      return this.#implementedBy(parent.parent);
    if (ts.isElementAccessExpression(parent) && parent.argumentExpression === node)
      return this.#checker.getTypeAtLocation(parent.expression);
    if (ts.isLiteralTypeNode(parent) && ts.isIndexedAccessTypeNode(parent.parent))
      return this.#checker.getTypeFromTypeNode(parent.parent.objectType);
    return undefined;
  }

  #implementedBy({ heritageClauses }: ts.ClassLikeDeclaration): ts.Type | undefined {
    const [first] = (heritageClauses ?? []).flatMap(({ types }) => [...types]);
    return first && this.#checker.getTypeAtLocation(first);
  }

  #memberOf(owner: ts.Type, name: string): Referred {
    const owners = parts(owner);
    const declarations = owners.flatMap((type) => type.getProperty(name)?.declarations ?? []);
    const unknown = owners.every(({ flags }) => (flags & ts.TypeFlags.Any) !== 0);
    return { declarations, owners, unknown };
  }
}

/** A union's members, or the type alone. */
function parts(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}
