import { ts } from "ts-morph";
import { shortText } from "../print/terminal-text.js";
import { type Holder, valuesOf, addedTo, holdersOf, returned } from "./declarations.js";

/** One member of a literal or a class. */
export interface HandlerMember {
  /** The node of its name, for places. */
  readonly node: ts.Node;
  /** The node of the complete member. */
  readonly whole: ts.ObjectLiteralElementLike | ts.ClassElement | ts.ParameterDeclaration;
  /** The holders of its value; only read for sections. */
  readonly holders: () => readonly Holder[];
}

export interface HandlerMembers {
  readonly byName: ReadonlyMap<string, HandlerMember>;
  /** The place that may add further members, so that none can be reported as missing. */
  readonly open?: ts.Node;
  readonly why?: string;
}

/** The members of a literal or of the instances of a class. */
export function membersOf(holder: Exclude<Holder, { kind: "unknown" }>): HandlerMembers {
  if (holder.kind === "class") return ofClass(holder.node);
  const members = ofLiteral(holder.node, holder.typed);
  const { later } = holder;
  return later && !members.open
    ? { ...members, open: later, why: `${short(later)} adds to it at run time` }
    : members;
}

function ofLiteral({ properties }: ts.ObjectLiteralExpression, typed: boolean): HandlerMembers {
  const byName = new Map<string, HandlerMember>();
  let open: ts.Node | undefined;
  let why = "";
  for (const property of properties) {
    if (ts.isSpreadAssignment(property)) {
      open = property;
      why = `${short(property)} may hold further ones`;
      continue;
    }
    const name = nameOf(property.name);
    if (name === undefined) {
      open = property;
      why = `the key ${short(property.name)} is computed`;
    } else if (name !== "__proto__" || !setsPrototype(property)) {
      byName.set(name, { node: property.name, whole: property, holders: () => valueOf(property, typed) });
    }
  }
  return { byName, ...(open && { open, why }) };
}

/** Whether a property is `__proto__: value`, which sets the prototype and declares no member. */
function setsPrototype(property: ts.ObjectLiteralElementLike): boolean {
  return ts.isPropertyAssignment(property) && !ts.isComputedPropertyName(property.name);
}

function ofClass(node: ts.ClassLikeDeclaration): HandlerMembers {
  const byName = new Map<string, HandlerMember>();
  let open: ts.Node | undefined = node.heritageClauses?.find(
    ({ token }) => token === ts.SyntaxKind.ExtendsKeyword,
  );
  let why = open ? `the class ${short(open)}` : "";
  if (ts.canHaveModifiers(node) && has(node, ts.SyntaxKind.DeclareKeyword))
    [open, why] = [node, "the class is only declared"];
  for (const member of node.members) {
    if (ts.isConstructorDeclaration(member)) {
      for (const parameter of member.parameters) {
        if (ts.isParameterPropertyDeclaration(parameter, member) && ts.isIdentifier(parameter.name))
          byName.set(parameter.name.text, {
            node: parameter.name,
            whole: parameter,
            holders: () => [computed(parameter)],
          });
      }
    }
    if (!member.name || (ts.canHaveModifiers(member) && has(member, ts.SyntaxKind.StaticKeyword))) continue;
    const name = nameOf(member.name);
    if (name !== undefined)
      byName.set(name, { node: member.name, whole: member, holders: () => valueOf(member, false) });
    else if (!ts.isPrivateIdentifier(member.name))
      [open, why] = [member, `the key ${short(member.name)} is computed`];
  }
  return { byName, ...(open && { open, why }) };
}

function has(node: ts.HasModifiers, kind: ts.SyntaxKind): boolean {
  return node.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
}

function nameOf(name: ts.PropertyName): string | undefined {
  if (ts.isPrivateIdentifier(name)) return undefined;
  if (!ts.isComputedPropertyName(name)) return name.text;
  const { expression } = name;
  return ts.isStringLiteralLike(expression) || ts.isNumericLiteral(expression) ? expression.text : undefined;
}

function valueOf(member: ts.ObjectLiteralElementLike | ts.ClassElement, typed: boolean): readonly Holder[] {
  if (ts.isPropertyAssignment(member)) return holdersOf(member.initializer, typed);
  if (ts.isShorthandPropertyAssignment(member)) return holdersOf(member.name, typed);
  if (ts.isPropertyDeclaration(member)) {
    const typed = (member.type ?? ts.getJSDocType(member)) !== undefined;
    const values = valuesOf(member).flatMap((value) => holdersOf(value, typed));
    if (values.length > 0) return addedTo(values, member);
  }
  if (ts.isGetAccessor(member) && member.body)
    return returned(member.body).flatMap((expression) =>
      holdersOf(expression, typed || member.type !== undefined),
    );
  return [computed(member)];
}

function computed(node: ts.Node): Holder {
  return { kind: "unknown", node, why: "it gets its value at run time", elsewhere: false };
}

/** The beginning of a node's text, on one line. */
function short(node: ts.Node): string {
  return shortText(node.getText().replace(/\s+/g, " "), 40);
}
