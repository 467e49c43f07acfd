import { ts } from "ts-morph";
import { type Callees, nameOf } from "./origins.js";
import { sdkDispatchers } from "./sdk.js";
import { type ValueFlow, isInitialised, outermost, parameterOf } from "./value-flow.js";

/**
 * Decides whether a name or string that equals a method of the protocol refers to the method, judged by the
 * function, comparison or lookup that uses it. The text alone is ambiguous: `ping` may be a tool,
 * `tools/list` the path of a page.
 */
export class MethodPlaces {
  readonly #checker: ts.TypeChecker;
  readonly #callees: Callees;
  readonly #flow: ValueFlow;
  readonly #methods: ReadonlySet<string>;

  /** @param methods method names of both revisions */
  constructor(program: ts.Program, callees: Callees, flow: ValueFlow, methods: ReadonlySet<string>) {
    this.#checker = program.getTypeChecker();
    this.#callees = callees;
    this.#flow = flow;
    this.#methods = methods;
  }

  /** @param isGuessed whether imports of the file cannot be resolved */
  isMethod(node: ts.Identifier | ts.StringLiteralLike, isGuessed: boolean): boolean {
    if (!this.#methods.has(node.text)) return false;
    const { parent } = node;
    if (isKey(node)) return this.#isKeyOfMethods(node);
    if (ts.isIdentifier(node)) return false;
    if (ts.isLiteralTypeNode(parent)) return this.#isType(parent, node.text);
    if (
      ts.isImportDeclaration(parent) ||
      ts.isExportDeclaration(parent) ||
      ts.isExternalModuleReference(parent)
    )
      return false;
    for (const place of this.#flow.placesOf(node)) if (this.#isPlace(place, node, isGuessed)) return true;
    return false;
  }

  /**
   * Whether a key names a method: it has a slash and is not in a table of paths or texts, or it is beside a
   * key with a slash that names a method.
   */
  #isKeyOfMethods({ text, parent }: ts.Identifier | ts.StringLiteralLike): boolean {
    if (otherwise.test(holderName(parent.parent))) return false;
    if (isSpecific(text)) return true;
    const members: readonly ts.Node[] = ts.isObjectLiteralExpression(parent.parent)
      ? parent.parent.properties
      : ts.isInterfaceDeclaration(parent.parent) ||
          ts.isTypeLiteralNode(parent.parent) ||
          ts.isClassLike(parent.parent)
        ? parent.parent.members
        : [];
    return members.some((member) => this.#isSpecificMethod(keyText((member as ts.NamedDeclaration).name)));
  }

  #isSpecificMethod(text: string | undefined): boolean {
    return text !== undefined && isSpecific(text) && this.#methods.has(text);
  }

  #isType(node: ts.LiteralTypeNode, text: string): boolean {
    let type: ts.Node = node;
    const siblings: ts.Node[] = [];
    while (
      ts.isUnionTypeNode(type.parent) ||
      ts.isParenthesizedTypeNode(type.parent) ||
      isListType(type.parent)
    ) {
      type = type.parent;
      if (ts.isUnionTypeNode(type)) siblings.push(...type.types);
    }
    const { parent } = type;
    if (ts.isIndexedAccessTypeNode(parent)) return false;
    if (ts.isTypeReferenceNode(parent)) return this.#isArgumentOfType(parent, type, text);
    const texts = siblings.filter((each) => each !== node).map(literalText);
    if (texts.some((each) => this.#isSpecificMethod(each))) return true;
    if (isMethodName((parent as ts.NamedDeclaration).name?.getText())) return true;
    return isSpecific(text) && texts.length === 0;
  }

  /**
   * Whether a type argument such as in `Params<"ping">` names a method, because the type parameter is a union
   * of methods.
   */
  #isArgumentOfType(reference: ts.TypeReferenceNode, argument: ts.Node, text: string): boolean {
    const index = reference.typeArguments?.findIndex((each) => each === argument) ?? -1;
    return this.#callees.declarationsOf(reference.typeName).some((declaration) => {
      const { typeParameters } = declaration as Partial<ts.TypeAliasDeclaration>;
      const constraint = typeParameters?.[index]?.constraint;
      if (!constraint || this.#callees.isLeftOut(declaration)) return false;
      return this.#lists(this.#checker.getTypeFromTypeNode(constraint), text);
    });
  }

  #isPlace(place: ts.Expression, literal: ts.StringLiteralLike, isGuessed: boolean): boolean {
    const { text } = literal;
    const { parent } = place;
    const expected = this.#checker.getContextualType(place);
    if (expected && this.#lists(expected, text)) return true;
    if (isInitialised(parent)) return this.#isNamedPlace(parent);
    if (ts.isShorthandPropertyAssignment(parent)) return isMethodName(parent.name.text);
    if (ts.isBinaryExpression(parent)) return this.#isCompared(parent, place, text);
    if (ts.isCaseClause(parent)) return this.#isCase(parent, text);
    if (ts.isElementAccessExpression(parent) && parent.argumentExpression === place)
      return isSpecific(text) || isMethodName(nameOf(parent.expression));
    if (ts.isComputedPropertyName(parent)) return isSpecific(text);
    if (ts.isCallOrNewExpression(parent)) return this.#isArgument(parent, place, text, isGuessed);
    if (ts.isJsxAttribute(parent)) return isMethodName(parent.name.getText());
    // `["tools/call", "tools/list"].includes(message.method)`
    return (
      ts.isPropertyAccessExpression(parent) &&
      ts.isCallExpression(parent.parent) &&
      parent.parent.arguments.some((argument) => this.#isMethodValue(argument))
    );
  }

  #isNamedPlace({ name, parent }: ts.NamedDeclaration): boolean {
    return isMethodName(name?.getText()) || (ts.isEnumDeclaration(parent) && isMethodName(parent.name.text));
  }

  #isCompared(
    { left, right, operatorToken }: ts.BinaryExpression,
    place: ts.Expression,
    text: string,
  ): boolean {
    const { kind } = operatorToken;
    if (kind === ts.SyntaxKind.InKeyword) return place === left && isSpecific(text);
    if (kind === ts.SyntaxKind.EqualsToken) return place === right && this.#isMethodValue(left);
    const other = place === left ? right : left;
    return equalities.has(kind) && this.#mayBe(other, text) && !otherwise.test(nameOf(place));
  }

  #isCase(clause: ts.CaseClause, text: string): boolean {
    const block = clause.parent;
    const isAmongMethods = block.clauses.some(
      (each) =>
        each !== clause && ts.isCaseClause(each) && this.#isSpecificMethod(literalText(each.expression)),
    );
    return isAmongMethods || this.#mayBe(block.parent.expression, text);
  }

  /**
   * Whether a compared value can be a method: its name or type says so, or the text has a slash and the
   * value's name does not say otherwise.
   */
  #mayBe(value: ts.Expression, text: string): boolean {
    if (this.#isMethodValue(value)) return true;
    return isSpecific(text) && literalText(value) === undefined && !otherwise.test(nameOf(value));
  }

  #isMethodValue(value: ts.Expression): boolean {
    return isMethodName(nameOf(value)) || this.#lists(this.#checker.getTypeAtLocation(value), undefined);
  }

  #isArgument(
    call: ts.CallExpression | ts.NewExpression,
    place: ts.Expression,
    text: string,
    isGuessed: boolean,
  ): boolean {
    const { name, origin, isUnknown } = this.#callees.calleeOf(call);
    const isFirst = call.arguments?.[0] === place;
    if (origin === "sdk" && sdkDispatchers.has(name)) return isFirst;
    if (this.#isBesideMethod(call, place) && (isSpecific(text) || comparisons.test(name))) return true;
    if (isUnknown) return isFirst && isTaken(text, name, isGuessed);
    const receiver = ts.isPropertyAccessExpression(call.expression) ? call.expression.expression : undefined;
    if (receiver && this.#callees.isLookup(call)) return this.#mayBe(receiver, text);
    const parameter = parameterOf(this.#checker, call, place);
    if (!parameter || !isMethodName(parameter.name.getText())) return false;
    // Functions of other packages take names of functions, too: `spyOn(object, "ping")`.
    return isSpecific(text) || origin !== undefined || !parameter.getSourceFile().isDeclarationFile;
  }

  /**
   * Whether a call, or the call it is chained to, also takes a method: `expect(message.method).toBe("ping")`.
   */
  #isBesideMethod(call: ts.CallExpression | ts.NewExpression, place: ts.Expression): boolean {
    const on = ts.isPropertyAccessExpression(call.expression) ? call.expression.expression : undefined;
    const others = [...(call.arguments ?? []), ...(on && ts.isCallExpression(on) ? on.arguments : [])];
    return others.some((other) => other !== place && isMethodName(nameOf(other)));
  }

  /** Whether a type is a union of method names, including the given text if there is one. */
  #lists(type: ts.Type, text: string | undefined): boolean {
    const constraint = this.#checker.getBaseConstraintOfType(type) ?? type;
    if (!constraint.isUnion()) return false;
    const texts = constraint.types.flatMap((each) => (each.isStringLiteral() ? [each.value] : []));
    if (text !== undefined && !texts.includes(text)) return false;
    return texts.some((each) => each !== text && this.#isSpecificMethod(each));
  }
}

const equalities: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);

/** Functions that compare values. */
const comparisons = /equal|^(?:is|toBe)$/i;

/**
 * Functions of the runtime and SDKs whose first argument is a method: of a request, or (`others`) of any
 * message.
 */
const requesters: ReadonlySet<string> = new Set(["handle", "items", "request", "setRequestHandler"]);
const others: ReadonlySet<string> = new Set(["notify", "on", ...sdkDispatchers.keys()]);

/** Whether a function without a known type takes a method. */
function isTaken(text: string, name: string, isGuessed: boolean): boolean {
  return isSpecific(text) ? requesters.has(name) || others.has(name) : isGuessed && requesters.has(name);
}

/** Names of values that are not methods, though they may contain a slash. */
const otherwise =
  /(?:description|dir|file|folder|href|label|message|path|reason|route|text|title|ur[il])(?:name)?s?$/i;

/** Whether a method name is unambiguous because it contains a slash. */
function isSpecific(text: string): boolean {
  return text.includes("/");
}

function isMethodName(name: string | undefined): boolean {
  return name !== undefined && /method/i.test(name) && !otherwise.test(name);
}

/**
 * The name of the variable or member whose value is an object literal, or the name of an interface or class.
 */
function holderName(holder: ts.Node): string {
  const holds = ts.isObjectLiteralExpression(holder) ? outermost(holder).parent : holder;
  return (holds as ts.NamedDeclaration).name?.getText() ?? "";
}

function isKey(node: ts.Identifier | ts.StringLiteralLike): boolean {
  const { parent } = node;
  const isMember =
    ts.isObjectLiteralElementLike(parent) || ts.isTypeElement(parent) || ts.isClassElement(parent);
  return isMember && parent.name === node && !ts.isShorthandPropertyAssignment(parent);
}

function keyText(name: ts.Node | undefined): string | undefined {
  return name && (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) ? name.text : undefined;
}

function literalText(node: ts.Node): string | undefined {
  const literal = ts.isLiteralTypeNode(node) ? node.literal : node;
  return ts.isStringLiteralLike(literal) ? literal.text : undefined;
}

function isListType(node: ts.Node): boolean {
  return ts.isArrayTypeNode(node) || ts.isTypeOperatorNode(node);
}
