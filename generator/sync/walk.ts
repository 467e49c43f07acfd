import { ts } from "ts-morph";

/** Sees every node of a file; in JavaScript those in JSDoc comments, too, for types stand there. */
export function everyNode(source: ts.SourceFile, see: (node: ts.Node) => void): void {
  const scripted = isScript(source);
  const visit = (node: ts.Node): void => {
    see(node);
    if (scripted) for (const comment of commentsOf(node)) visit(comment);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Whether a file is JavaScript, where types are comments. */
export function isScript(source: ts.SourceFile): boolean {
  return /\.[cm]?jsx?$/.test(source.fileName);
}

function commentsOf(node: ts.Node): readonly ts.Node[] {
  return (node as { readonly jsDoc?: readonly ts.JSDoc[] }).jsDoc ?? [];
}
