import { ts } from "ts-morph";

/** Maximum number of names through which one value is followed. */
const maxNames = 32;

/**
 * Follows a value through the names that code assigns it to: constants, members, parameters, elements of
 * arrays.
 */
export class ValueFlow {
  readonly #checker: ts.TypeChecker;
  readonly #files: readonly ts.SourceFile[];
  readonly #renames: Renames;
  #identifiers: ReadonlyMap<string, readonly ts.Identifier[]> | undefined;

  /** @param files the code to follow values in; functions in other files are ignored */
  constructor(program: ts.Program, files: readonly ts.SourceFile[], renames: Renames) {
    this.#checker = program.getTypeChecker();
    this.#files = files;
    this.#renames = renames;
  }

  /** The place of an expression, and each place that reads its value, or an array with it, through a name. */
  *placesOf(expression: ts.Expression): Generator<ts.Expression> {
    const seen = new Set<ts.Node>();
    const places = [outermost(expression)];
    for (const place of places) {
      yield place;
      for (const name of this.#takersOf(place)) {
        if (seen.has(name) || seen.size === maxNames) continue;
        seen.add(name);
        places.push(...this.#readsOf(name));
      }
    }
  }

  /** The declared names that receive the value of `place`. */
  #takersOf(place: ts.Expression): ts.Identifier[] {
    const { parent } = place;
    if (isInitialised(parent) && parent.initializer === place) return named(parent.name);
    if (ts.isShorthandPropertyAssignment(parent)) return named(parent.name);
    if (ts.isForOfStatement(parent) && parent.expression === place) return loopVariable(parent);
    if (ts.isCallOrNewExpression(parent)) return named(this.#parameter(parent, place)?.name);
    if (ts.isPropertyAccessExpression(parent) && ts.isCallExpression(parent.parent))
      return named(elementParameter(parent.parent));
    return [];
  }

  /** The parameter that receives an argument, if its function is in these files. */
  #parameter(call: ts.CallExpression | ts.NewExpression, argument: ts.Expression) {
    const parameter = parameterOf(this.#checker, call, argument);
    return parameter && this.#files.includes(parameter.getSourceFile()) ? parameter : undefined;
  }

  #readsOf(declared: ts.Identifier): ts.Expression[] {
    const declaration = declared.parent;
    const identifiers = (this.#identifiers ??= identifiersIn(this.#files));
    const alike = this.#renames.namesOf(declared.text).flatMap((name) => identifiers.get(name) ?? []);
    return alike.flatMap((identifier) => {
      const { parent } = identifier;
      if (parent === declaration || !this.#declarations(identifier).includes(declaration)) return [];
      if ((parent as Partial<ts.NamedDeclaration>).name !== identifier) return [outermost(identifier)];
      if (ts.isPropertyAccessExpression(parent)) return [outermost(parent)];
      return ts.isShorthandPropertyAssignment(parent) ? [identifier] : [];
    });
  }

  #declarations(node: ts.Identifier): readonly ts.Node[] {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.#checker.getSymbolAtLocation(node);
    const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return (isAlias ? this.#checker.getAliasedSymbol(symbol) : symbol)?.declarations ?? [];
  }
}

function named(name: ts.Node | undefined): ts.Identifier[] {
  return name && ts.isIdentifier(name) ? [name] : [];
}

function loopVariable({ initializer }: ts.ForOfStatement): ts.Identifier[] {
  return ts.isVariableDeclarationList(initializer) ? named(initializer.declarations[0]?.name) : [];
}

/** The parameter that receives an argument, if the function's declaration is known. */
export function parameterOf(
  checker: ts.TypeChecker,
  call: ts.CallExpression | ts.NewExpression,
  argument: ts.Expression,
): ts.ParameterDeclaration | undefined {
  const index = call.arguments?.indexOf(argument) ?? -1;
  const parameters = index < 0 ? [] : (checker.getResolvedSignature(call)?.declaration?.parameters ?? []);
  const parameter = parameters[index] ?? parameters.at(-1);
  if (!parameter || !ts.isParameter(parameter)) return undefined;
  return index < parameters.length || parameter.dotDotDotToken ? parameter : undefined;
}

type Initialised =
  | ts.VariableDeclaration
  | ts.ParameterDeclaration
  | ts.BindingElement
  | ts.PropertyAssignment
  | ts.PropertyDeclaration
  | ts.EnumMember;

/** Whether a node declares a name with an initial value. */
export function isInitialised(node: ts.Node): node is Initialised {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isBindingElement(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isEnumMember(node)
  );
}

/** The largest surrounding expression that has the same value, or is an array containing it. */
export function outermost(expression: ts.Expression): ts.Expression {
  let node = expression;
  while (passes(node, node.parent)) node = node.parent as ts.Expression;
  return node;
}

const choices: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
]);

const collections: ReadonlySet<string> = new Set(["Array", "Map", "Set"]);

function passes(node: ts.Expression, parent: ts.Node): boolean {
  if (ts.isConditionalExpression(parent)) return parent.condition !== node;
  if (ts.isBinaryExpression(parent)) return choices.has(parent.operatorToken.kind);
  if (ts.isNewExpression(parent)) return collections.has(parent.expression.getText());
  return (
    ts.isParenthesizedExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isSatisfiesExpression(parent) ||
    ts.isTypeAssertionExpression(parent) ||
    ts.isNonNullExpression(parent) ||
    ts.isArrayLiteralExpression(parent) ||
    ts.isSpreadElement(parent) ||
    ts.isJsxExpression(parent)
  );
}

const iterators: ReadonlySet<string> = new Set([
  ...["every", "filter", "find", "findIndex", "flatMap", "forEach", "map", "some"],
]);

/** The callback parameter that receives the elements of an array: `METHODS.map((method) => …)`. */
function elementParameter({ expression, arguments: [callback] }: ts.CallExpression): ts.Node | undefined {
  if (!ts.isPropertyAccessExpression(expression) || !iterators.has(expression.name.text)) return undefined;
  return callback && (ts.isArrowFunction(callback) || ts.isFunctionExpression(callback))
    ? callback.parameters[0]?.name
    : undefined;
}

function identifiersIn(files: readonly ts.SourceFile[]): ReadonlyMap<string, readonly ts.Identifier[]> {
  const found = new Map<string, ts.Identifier[]>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.set(node.text, [...(found.get(node.text) ?? []), node]);
    ts.forEachChild(node, visit);
  };
  files.forEach(visit);
  return found;
}

/** The new names in imports and exports of a code base: `import { Tool as T }`, `export { Tool as T }`. */
export class Renames {
  /** Local names, by original name. */
  readonly #named = new Map<string, Set<string>>();
  /** Original names, by local name. */
  readonly #meant = new Map<string, Set<string>>();

  constructor(files: readonly ts.SourceFile[]) {
    for (const statement of files.flatMap(({ statements }) => [...statements])) {
      for (const { name, propertyName } of specifiersOf(statement)) {
        if (!propertyName) continue;
        add(this.#named, propertyName.text, name.text);
        add(this.#meant, name.text, propertyName.text);
      }
    }
  }

  /** A name, and all its other names in the code base. */
  namesOf(name: string): string[] {
    return reached(this.#named, name);
  }

  /** A name, and all names that it may stand for. */
  meantBy(name: string): string[] {
    return reached(this.#meant, name);
  }
}

function specifiersOf(statement: ts.Statement): readonly (ts.ImportSpecifier | ts.ExportSpecifier)[] {
  const bindings = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : ts.isExportDeclaration(statement)
      ? statement.exportClause
      : undefined;
  return bindings && (ts.isNamedImports(bindings) || ts.isNamedExports(bindings)) ? bindings.elements : [];
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}

function reached(edges: ReadonlyMap<string, ReadonlySet<string>>, from: string): string[] {
  const found = new Set([from]);
  for (const name of found) for (const next of edges.get(name) ?? []) found.add(next);
  return [...found];
}
