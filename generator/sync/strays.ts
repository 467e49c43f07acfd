import { ts } from "ts-morph";
import type { Finding } from "../diagnostics/finding.js";
import { closest } from "../diagnostics/suggest.js";
import type { Holder } from "./holders.js";
import type { Member, Members } from "./members.js";
import { type Section, nounOf } from "./wanted.js";

/** A function that the contract offers nothing for. */
export interface Stray {
  readonly node: ts.Node;
  readonly finding: Omit<Finding, "place">;
}

/**
 * The functions for what the contract does not offer (any more). A class has methods of its own as well: what is typed
 * as handlers are is none of them, and of other public ones a warning speaks.
 *
 * @param handlers how the file calls the contract's `Handlers`
 * @param absent what is offered and missing, of which a stray may be an old name
 */
export function straysIn(
  { byName }: Members,
  { kind }: Holder,
  {
    section,
    handlers,
    contract,
  }: { readonly section: Section; readonly handlers: string; readonly contract: string },
  wanted: readonly string[],
  absent: readonly string[],
): Stray[] {
  const offered = new Set(wanted);
  return [...byName]
    .filter(([name]) => !offered.has(name))
    .flatMap(([name, member]) => {
      const certain = kind !== "class" || isTypedAs(handlers, member);
      if (!certain && !isPublicMethod(member)) return [];
      return [{ node: member.node, finding: strayFinding(name, section, contract, absent, certain) }];
    });
}

function strayFinding(
  name: string,
  section: Section,
  contract: string,
  absent: readonly string[],
  certain: boolean,
): Stray["finding"] {
  const renamed = closest(name, absent);
  const remove = certain
    ? "Remove the function, or bring it back into the contract."
    : "Remove it, or make it private if the class needs it for itself.";
  return {
    code: "MG6502",
    severity: certain ? "error" : "warning",
    message: `${contract} has no ${nounOf[section]} ${JSON.stringify(name)}`,
    next:
      renamed === undefined ? remove : `If ${JSON.stringify(renamed)} is its new name, move the code there.`,
  };
}

/** Whether the types of a method, or of a property, are those of a handler. */
function isTypedAs(handlers: string, { whole }: Member): boolean {
  const types = [
    "type" in whole ? whole.type : undefined,
    ...("parameters" in whole ? whole.parameters.map(({ type }) => type) : []),
  ];
  const spoken = handlers.replace(/^Parameters<typeof (.*)>\[0\]$/, "$1");
  return types.some((type) => type !== undefined && mentions(type.getText(), spoken));
}

/** Whether `name` stands in `text` as a word of its own. */
function mentions(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at >= 0 && !/[\w$.]/.test(text[at - 1] ?? " ") && !/[\w$]/.test(text[at + name.length] ?? " ");
}

function isPublicMethod({ whole }: Member): boolean {
  if (ts.isParameter(whole)) return false;
  const kinds = ts.canHaveModifiers(whole) ? (whole.modifiers ?? []).map(({ kind }) => kind) : [];
  if (kinds.includes(ts.SyntaxKind.PrivateKeyword) || kinds.includes(ts.SyntaxKind.ProtectedKeyword))
    return false;
  if (ts.isMethodDeclaration(whole)) return whole.body !== undefined;
  if (!ts.isPropertyDeclaration(whole) || !whole.initializer) return false;
  return ts.isArrowFunction(whole.initializer) || ts.isFunctionExpression(whole.initializer);
}
