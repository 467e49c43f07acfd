import { ts } from "ts-morph";
import type { Origin } from "./origins.js";

/** What a call calls. */
interface Callee {
  /** The last name in the expression; empty where there is none. */
  readonly name: string;
  readonly origin: Origin["kind"] | undefined;
  /** The compiler does not know. */
  readonly isUnknown: boolean;
}

/** Finds out what code calls. */
export class Callees {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #kindOf: (file: ts.SourceFile) => Origin["kind"] | undefined;
  readonly #isLeftOut: (file: ts.SourceFile) => boolean;

  /** @param isLeftOut whether a file is generated for something that is not compared */
  constructor(
    program: ts.Program,
    kindOf: (file: ts.SourceFile) => Origin["kind"] | undefined,
    isLeftOut: (file: ts.SourceFile) => boolean,
  ) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#kindOf = kindOf;
    this.#isLeftOut = isLeftOut;
  }

  calleeOf({ expression }: ts.CallExpression | ts.NewExpression): Callee {
    const declarations = this.declarationsOf(expression);
    const [origin] = declarations.flatMap((each) => this.#kindOf(each.getSourceFile()) ?? []);
    return { name: nameOf(expression), origin, isUnknown: declarations.length === 0 };
  }

  /** The declarations of a function or a type that is named. */
  declarationsOf(node: ts.Node): readonly ts.Node[] {
    const name = ts.isPropertyAccessExpression(node)
      ? node.name
      : ts.isQualifiedName(node)
        ? node.right
        : node;
    const symbol = this.#checker.getSymbolAtLocation(name);
    if (!symbol) return [];
    const meant = symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
    return meant.declarations ?? [];
  }

  /** Whether a declaration is generated for something that is not compared. */
  isLeftOut(declaration: ts.Node): boolean {
    return this.#isLeftOut(declaration.getSourceFile());
  }

  /** Whether a call looks something up in a list, a map or a text of the language. */
  isLookup({ expression }: ts.CallExpression | ts.NewExpression): boolean {
    if (!lookups.has(nameOf(expression))) return false;
    return this.declarationsOf(expression).some(
      ({ parent }) =>
        ts.isInterfaceDeclaration(parent) &&
        this.#program.isSourceFileDefaultLibrary(parent.getSourceFile()) &&
        /^(?:Readonly|Weak)?(?:Map|Set|Array|String)$/.test(parent.name.text),
    );
  }
}

const lookups: ReadonlySet<string> = new Set([
  ...["add", "delete", "endsWith", "get", "has", "includes", "indexOf", "lastIndexOf", "set", "startsWith"],
]);

/** The last name in an expression: `method` of `request.params!.method`. */
export function nameOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text;
  if (ts.isElementAccessExpression(expression))
    return ts.isStringLiteralLike(expression.argumentExpression) ? expression.argumentExpression.text : "";
  const isAround =
    ts.isCallExpression(expression) ||
    ts.isNonNullExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isParenthesizedExpression(expression) ||
    ts.isAwaitExpression(expression);
  return isAround ? nameOf(expression.expression) : "";
}
