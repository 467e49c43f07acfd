import { ts } from "ts-morph";
import type { Finding } from "../diagnostics/finding.js";
import { closest } from "../diagnostics/suggest.js";
import type { Holder } from "./holders.js";
import type { HandlerMember, HandlerMembers } from "./members.js";
import { type Section, nounOf } from "./wanted.js";

/** A handler without an entry in the contract. */
interface UnknownHandler {
  readonly node: ts.Node;
  /** Without a place. */
  readonly finding: Finding;
}

/**
 * Finds handlers without an entry in the contract. A class may also have other methods: one that has the types of a
 * handler is an error; any other public method is a warning.
 *
 * @param handlers the file's name for the contract's `Handlers`
 * @param absent names in the contract without a handler; an unknown handler may have the old name of one of them
 */
export function unknownHandlersIn(
  { byName }: HandlerMembers,
  { kind }: Holder,
  {
    section,
    handlers,
    contract,
  }: { readonly section: Section; readonly handlers: string; readonly contract: string },
  wanted: readonly string[],
  absent: readonly string[],
): UnknownHandler[] {
  const offered = new Set(wanted);
  return [...byName]
    .filter(([name]) => !offered.has(name))
    .flatMap(([name, member]) => {
      const certain = kind !== "class" || isTypedAs(handlers, member);
      if (!certain && !isPublicMethod(member)) return [];
      return [
        { node: member.node, finding: unknownHandlerFinding(name, section, contract, absent, certain) },
      ];
    });
}

function unknownHandlerFinding(
  name: string,
  section: Section,
  contract: string,
  absent: readonly string[],
  certain: boolean,
): UnknownHandler["finding"] {
  const renamed = closest(name, absent);
  const remove = certain
    ? "Remove the function, or add the entry to the contract."
    : "Remove it, or make it private if only the class uses it.";
  return {
    code: "MG6502",
    severity: certain ? "error" : "warning",
    message: `${contract} has no ${nounOf[section]} ${JSON.stringify(name)}`,
    next:
      renamed === undefined ? remove : `If ${JSON.stringify(renamed)} is its new name, move the code there.`,
  };
}

/** Whether a method or property has the types of a handler. */
function isTypedAs(handlers: string, { whole }: HandlerMember): boolean {
  const types = [
    "type" in whole ? whole.type : undefined,
    ...("parameters" in whole ? whole.parameters.map(({ type }) => type) : []),
  ];
  const handlersType = handlers.replace(/^Parameters<typeof (.*)>\[0\]$/, "$1");
  return types.some((type) => type !== undefined && mentions(type.getText(), handlersType));
}

/** Whether `text` contains `name` as a whole word. */
function mentions(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at >= 0 && !/[\w$.]/.test(text[at - 1] ?? " ") && !/[\w$]/.test(text[at + name.length] ?? " ");
}

function isPublicMethod({ whole }: HandlerMember): boolean {
  if (ts.isParameter(whole)) return false;
  const kinds = ts.canHaveModifiers(whole) ? (whole.modifiers ?? []).map(({ kind }) => kind) : [];
  if (kinds.includes(ts.SyntaxKind.PrivateKeyword) || kinds.includes(ts.SyntaxKind.ProtectedKeyword))
    return false;
  if (ts.isMethodDeclaration(whole)) return whole.body !== undefined;
  if (!ts.isPropertyDeclaration(whole) || !whole.initializer) return false;
  return ts.isArrowFunction(whole.initializer) || ts.isFunctionExpression(whole.initializer);
}
