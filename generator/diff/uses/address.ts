import { ts } from "ts-morph";

/** The name of a declaration in generated code, in the terms of targets. */
export interface Address {
  /** The type, or the namespace of a contract's entry. */
  readonly definition: string;
  /** From there; empty for the type itself. */
  readonly path: string;
}

/** @returns undefined where it is no type and no member of one */
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
  // Definitions take no arguments: `Result<"tools/call">` is not the definition Result.
  return (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && !node.typeParameters;
}

function nameText(name: ts.PropertyName): string {
  return "text" in name ? name.text : name.getText();
}
