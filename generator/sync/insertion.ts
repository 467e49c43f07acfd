import type { ts } from "ts-morph";

/** Text to insert at a position of a file. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

/** The indentation and line ends around a literal or class. */
interface Layout {
  readonly lineEnd: string;
  /** One step of indentation. */
  readonly step: string;
}

type Body = ts.ObjectLiteralExpression | ts.ClassLikeDeclaration;

const lineEnds = /\r\n|[\n\r\u2028\u2029]/;

/**
 * The insertions that append `members` to a literal or class. Each member is a list of unindented lines.
 *
 * @param print returns the lines of all members, indented in steps of `step`
 */
export function insertionsInto(
  body: Body,
  source: ts.SourceFile,
  separator: "," | "",
  print: (step: string) => readonly (readonly string[])[],
): Insertion[] {
  const { text } = source;
  const close = body.end - 1;
  const line = lineStart(text, close);
  const children: ts.NodeArray<ts.Node> = "properties" in body ? body.properties : body.members;
  const ownLine = /^[ \t]*$/.test(text.slice(line, close)) && line > children.pos - 1;
  const base = leading(text, line, close);
  const { lineEnd, step } = layoutOf(text, line);
  const found = children
    .map((child) => indentOf(child, source, children.pos))
    .findLast((each) => each !== undefined);
  const indent = found ?? base + step;
  const own = indent.length > base.length && indent.startsWith(base) ? indent.slice(base.length) : step;
  const last = children.at(-1);
  const trailing = last === undefined || children.hasTrailingComma === true;
  const members = print(own);
  const printed = members
    .map((lines, index) => {
      const end = separator !== "" && (trailing || index < members.length - 1) ? separator : "";
      return lines.map((each) => (each === "" ? "" : indent + each)).join(lineEnd) + end;
    })
    .join(lineEnd);
  return [
    ...(separator !== "" && !trailing ? [{ at: last.end, text: separator }] : []),
    ownLine ? { at: line, text: printed + lineEnd } : { at: close, text: lineEnd + printed + lineEnd + base },
  ];
}

/** `text` with all insertions; those at the same position in their order. */
export function withInsertions(text: string, insertions: readonly Insertion[]): string {
  let result = "";
  let done = 0;
  for (const { at, text: inserted } of inOrder(insertions)) {
    result += text.slice(done, at) + inserted;
    done = at;
  }
  return result + text.slice(done);
}

export function inOrder(insertions: readonly Insertion[]): Insertion[] {
  return [...insertions].sort((a, b) => a.at - b.at);
}

function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && !lineEnds.test(text[start - 1]!)) start--;
  return start;
}

function leading(text: string, from: number, to: number): string {
  return /^\uFEFF?([ \t]*)/.exec(text.slice(from, to))![1]!;
}

/** The indentation of a member that is first on its line. */
function indentOf(child: ts.Node, source: ts.SourceFile, after: number): string | undefined {
  const start = child.getStart(source);
  const line = lineStart(source.text, start);
  const before = source.text.slice(line, start);
  return line >= after && /^[ \t]*$/.test(before) ? before : undefined;
}

/** Line ends as directly before `line`, indentation as in the file's first indented lines. */
function layoutOf(text: string, line: number): Layout {
  const before = /(\r\n|[\n\r])$/.exec(text.slice(0, line))?.[1];
  const steps = [...text.slice(0, 50_000).matchAll(/(?:^|[\r\n])(\t+|(?: {2}){1,4}| )(?=[^\s*])/g)].map(
    ([, step]) => step!,
  );
  const tab = steps.some((step) => step.startsWith("\t"));
  const spaces = steps.filter((step) => step.length > 1).sort((a, b) => a.length - b.length)[0];
  return {
    lineEnd: before ?? /\r\n|[\n\r]/.exec(text)?.[0] ?? "\n",
    step: tab && !spaces ? "\t" : (spaces ?? "  "),
  };
}
