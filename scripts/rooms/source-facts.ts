import { ts } from "ts-morph";

/** Counts of one source file, for the bars. Comments, names and blank lines do not count. */
export interface SourceFacts {
  /** Lines that contain a token. */
  readonly code: number;
  /** Functions with five parameters or more. */
  readonly parameters: number;
  /** Functions that compute an edit distance. */
  readonly editDistances: number;
  /**
   * 1 if the file has texts that name the expected type of a JSON value, for three types or more; 0
   * otherwise.
   */
  readonly judges: number;
  /** Places that keep the pending requests of a JSON-RPC endpoint. */
  readonly endpoints: number;
  /** Functions that bound a map or a set by its size. */
  readonly boundedMaps: number;
  /** Calls that wait between two attempts. */
  readonly waits: number;
}

export function factsOf(text: string): SourceFacts {
  const source = ts.createSourceFile("module.ts", text, ts.ScriptTarget.Latest, true);
  const facts = { parameters: 0, editDistances: 0, endpoints: 0, boundedMaps: 0, waits: 0 };
  const lines = new Set<number>();
  const jsonTypes = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    if (isText(node)) for (const type of typesIn(node.text)) jsonTypes.add(type);
    else if (ts.isNewExpression(node)) facts.endpoints += Number(node.expression.getText() === "Pending");
    else if (ts.isCallExpression(node)) facts.waits += Number(isWait(node));
    if (isFunctionWithBody(node)) {
      facts.parameters += Number(node.parameters.length >= 5);
      facts.editDistances += Number(isInnermost(node, isEditDistance));
      facts.boundedMaps += Number(isInnermost(node, isBound));
    }
    const children = node.getChildren();
    if (children.length === 0) addLines(source, node, lines);
    for (const child of children) visit(child);
  };
  visit(source);
  return { ...facts, code: lines.size, judges: Number(jsonTypes.size >= 3) };
}

function addLines(source: ts.SourceFile, node: ts.Node, lines: Set<number>): void {
  if (node.getStart() === node.end) return;
  const last = source.getLineAndCharacterOfPosition(node.end).line;
  for (let line = source.getLineAndCharacterOfPosition(node.getStart()).line; line <= last; line++)
    lines.add(line);
}

type Text = ts.StringLiteralLike | ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail;

function isText(node: ts.Node): node is Text {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node)
  );
}

/**
 * Returns the types that a text names as expected: at its beginning or after `expected`. Other mentions of
 * types do not count.
 */
function typesIn(text: string): string[] {
  const expected =
    /(?:^|\bexpected )(?:an? (string|number|integer|boolean|object|array|list)\b|(true) or false\b)/g;
  return [...text.matchAll(expected)].map(([, type, boolean]) =>
    boolean ? "boolean" : type === "list" ? "array" : type!,
  );
}

/** Whether a call waits for a time. A call without arguments is not one: it is `pause()` of a stream. */
function isWait({ expression, arguments: { length } }: ts.CallExpression): boolean {
  return length > 0 && /(^|[.#])(sleep|pause|delay)$/.test(expression.getText());
}

type FunctionWithBody = ts.FunctionLikeDeclaration & { readonly body: ts.ConciseBody };

function isFunctionWithBody(node: ts.Node): node is FunctionWithBody {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined;
}

/** Whether the rule holds for a function, but for no function inside it. */
function isInnermost(node: FunctionWithBody, rule: (body: string) => boolean): boolean {
  if (!rule(node.body.getText())) return false;
  const holdsBelow = (below: ts.Node): boolean =>
    (isFunctionWithBody(below) && rule(below.body.getText())) || !!ts.forEachChild(below, holdsBelow);
  return !holdsBelow(node.body);
}

/** Whether a function takes the minimum of two costs that are each one greater, as an edit distance does. */
function isEditDistance(body: string): boolean {
  return /Math\.min\([^;]*\+ 1[^;]*\+ 1/.test(body);
}

/** Whether a function adds or removes an entry of a map depending on its size. */
function isBound(body: string): boolean {
  return /\.size (>=?|<=?) \D/.test(body) && /\.(set|add|delete)\(/.test(body);
}
