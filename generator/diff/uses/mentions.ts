import { ts } from "ts-morph";
import type { Claim, TargetIndex } from "./targets.js";

/**
 * Functions of generated code and of the runtime whose signatures name a target: `isTool(value): value is Tool`,
 * `setLevel(caller, params: Params<"logging/setLevel">)`. Code that names such a function uses the target.
 */
export class Mentions {
  readonly #claims = new Map<ts.Node, readonly Claim[]>();
  /** Names of the functions. */
  readonly words = new Set<string>();

  constructor(files: readonly ts.SourceFile[], targets: TargetIndex) {
    for (const file of files) this.#read(file, targets);
  }

  of(declaration: ts.Node): readonly Claim[] {
    return this.#claims.get(declaration) ?? [];
  }

  #read(node: ts.Node, targets: TargetIndex): void {
    const signature = signatureOf(node);
    if (signature) {
      const parameters = new Set(signature.typeParameters?.map(({ name: parameter }) => parameter.text));
      const claims = [...signature.parameters, signature.type].flatMap((part) =>
        part ? claimsIn(part, targets, parameters) : [],
      );
      const { name } = node as ts.NamedDeclaration;
      if (claims.length > 0 && name && "text" in name) {
        this.#claims.set(node, claims);
        this.words.add(name.text);
      }
    }
    // Names in bodies, and in types of signatures, are not visible from outside.
    if (!signature) ts.forEachChild(node, (child) => this.#read(child, targets));
  }
}

function signatureOf(node: ts.Node): ts.SignatureDeclaration | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node))
    return node;
  const isTyped =
    ts.isPropertySignature(node) || ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node);
  return isTyped && node.type && ts.isFunctionTypeNode(node.type) ? node.type : undefined;
}

/** @param parameters names that stand for types of the caller's */
function claimsIn(node: ts.Node, targets: TargetIndex, parameters: ReadonlySet<string>): Claim[] {
  const claims: Claim[] = [];
  const visit = (inner: ts.Node): void => {
    if (ts.isIdentifier(inner) && inTypeName(inner) && !parameters.has(inner.text))
      claims.push(...(targets.definitions.get(inner.text) ?? []));
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
