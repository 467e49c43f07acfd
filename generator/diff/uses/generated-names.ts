import { ts } from "ts-morph";
import type { Claim, TargetIndex } from "./targets.js";

/** The name of a declaration in generated code, in the form that targets use. */
export interface Address {
  /** The type, or the namespace of a contract entry. */
  readonly definition: string;
  /** Path of members from the type; empty for the type itself. */
  readonly path: string;
}

/** @returns undefined if it is neither a type nor a member of one */
export function addressOf(declaration: ts.Node): Address | undefined {
  const path: string[] = [];
  let holder: string | undefined;
  for (let node: ts.Node | undefined = declaration; node; node = node.parent) {
    if (ts.isModuleDeclaration(node)) {
      if (holder !== undefined) path.unshift(holder);
      holder = node.name.text;
    } else if (isMember(node)) path.unshift(nameText(node.name));
    else if (isHolder(node)) holder = node.name!.text;
  }
  return holder === undefined ? undefined : { definition: holder, path: path.join(".") };
}

function isMember(
  node: ts.Node,
): node is ts.PropertySignature | ts.MethodSignature | ts.PropertyDeclaration | ts.MethodDeclaration {
  return (
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodDeclaration(node)
  );
}

function isHolder(node: ts.Node): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  // Types of definitions have no type parameters: `Result<"tools/call">` is not the definition Result.
  return (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && !node.typeParameters;
}

function nameText(name: ts.PropertyName): string {
  return "text" in name ? name.text : name.getText();
}

/** The targets of a type name as the compiler resolves it; the platform also has a type `Error`. */
type Named = (name: ts.Identifier) => readonly Claim[];

/**
 * Functions of generated code and the runtime whose signatures contain a target: `isTool(value): value is
 * Tool`, `setLevel(caller, params: Params<"logging/setLevel">)`. Code that calls such a function uses the
 * target.
 */
export class Mentions {
  readonly #claims = new Map<ts.Node, readonly Claim[]>();
  /** Names of these functions. */
  readonly words = new Set<string>();

  constructor(files: readonly ts.SourceFile[], targets: TargetIndex, named: Named) {
    for (const file of files) this.#read(file, targets, named);
  }

  of(declaration: ts.Node): readonly Claim[] {
    return this.#claims.get(declaration) ?? [];
  }

  #read(node: ts.Node, targets: TargetIndex, named: Named): void {
    const signature = signatureOf(node);
    if (signature) {
      const claims = [...signature.parameters, signature.type].flatMap((part) =>
        part ? claimsIn(part, targets, named) : [],
      );
      const { name } = node as ts.NamedDeclaration;
      if (claims.length > 0 && name && "text" in name) {
        this.#claims.set(node, claims);
        this.words.add(name.text);
      }
    }
    // Names in bodies are not visible from outside, so only signatures are read.
    if (!signature) ts.forEachChild(node, (child) => this.#read(child, targets, named));
  }
}

function signatureOf(node: ts.Node): ts.SignatureDeclaration | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node))
    return node;
  const isTyped =
    ts.isPropertySignature(node) || ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node);
  return isTyped && node.type && ts.isFunctionTypeNode(node.type) ? node.type : undefined;
}

function claimsIn(node: ts.Node, targets: TargetIndex, named: Named): Claim[] {
  const claims: Claim[] = [];
  const visit = (inner: ts.Node): void => {
    if (ts.isIdentifier(inner) && inTypeName(inner)) claims.push(...named(inner));
    if (ts.isLiteralTypeNode(inner) && ts.isStringLiteral(inner.literal))
      claims.push(...(targets.methods.get(inner.literal.text) ?? []));
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return claims;
}

function inTypeName({ parent }: ts.Identifier): boolean {
  return (ts.isTypeReferenceNode(parent) && !parent.typeArguments) || ts.isQualifiedName(parent);
}
