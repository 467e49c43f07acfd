import { ts } from "ts-morph";
import type { Callees } from "./origins.js";
import { type ValueFlow, outermost, parameterOf } from "./value-flow.js";

/** The list of a contract that functions of the runtime and of SDKs take a name from. */
const takers: ReadonlyMap<string, string> = new Map([
  ...(["callTool", "callToolStream", "registerTool", "tool"] as const).map(
    (name) => [name, "tools"] as const,
  ),
  ...(["getPrompt", "prompt", "registerPrompt"] as const).map((name) => [name, "prompts"] as const),
  ...(
    [
      ...["readResource", "registerResource", "resource", "resourceUpdated", "subscribe"],
      ...["subscribeResource", "unsubscribeResource"],
    ] as const
  ).map((name) => [name, "resources"] as const),
  ["resourceTemplate", "resourceTemplates"],
]);

/** The list that a member of params, or a parameter, takes a name from where no function says it. */
const members: ReadonlyMap<string, string> = new Map([
  ["name", "tools"],
  ["toolName", "tools"],
  ["uri", "resources"],
  ["uris", "resources"],
  ["uriTemplate", "resourceTemplates"],
]);

/** Decides from which list of a contract a text takes a name: from none, unless a call or a message does so. */
export class EntryPlaces {
  readonly #checker: ts.TypeChecker;
  readonly #callees: Callees;
  readonly #flow: ValueFlow;

  constructor(program: ts.Program, callees: Callees, flow: ValueFlow) {
    this.#checker = program.getTypeChecker();
    this.#callees = callees;
    this.#flow = flow;
  }

  /** @param isGuessed the imports of the file cannot be resolved */
  listsOf(node: ts.StringLiteralLike, isGuessed: boolean): ReadonlySet<string> {
    const places = ts.isLiteralTypeNode(node.parent) ? [] : [...this.#flow.placesOf(node)];
    return new Set(places.flatMap((place) => this.#listAt(place, isGuessed) ?? []));
  }

  #listAt(place: ts.Expression, isGuessed: boolean): string | undefined {
    const { parent } = place;
    if (ts.isCallExpression(parent)) return this.#ofArgument(parent, place, isGuessed);
    const isMember = ts.isPropertyAssignment(parent) || ts.isShorthandPropertyAssignment(parent);
    if (!isMember || !members.has(parent.name.getText())) return undefined;
    return this.#ofMember(parent.parent, parent.name.getText(), isGuessed);
  }

  #ofArgument(call: ts.CallExpression, argument: ts.Expression, isGuessed: boolean): string | undefined {
    const { name, origin, isUnknown } = this.#callees.calleeOf(call);
    if (origin === undefined && !(isUnknown && isGuessed)) return undefined;
    const parameter = parameterOf(this.#checker, call, argument)?.name.getText();
    return takers.get(name) ?? (parameter === undefined ? undefined : members.get(parameter));
  }

  /** The list where an object that is passed, or the params of a message, has the name. */
  #ofMember(object: ts.ObjectLiteralExpression, member: string, isGuessed: boolean): string | undefined {
    const reference = textOf(object, "type");
    if (reference === "ref/prompt") return "prompts";
    if (reference === "ref/resource") return "resourceTemplates";
    const place = outermost(object);
    const { parent } = place;
    if (ts.isCallExpression(parent)) {
      const [first] = parent.arguments;
      const method = first && first !== place && ts.isStringLiteralLike(first) ? first.text : "";
      // Arguments of a tool follow its name.
      const isNamed = first !== undefined && first !== place && this.#isText(first);
      return listOf(method) ?? (isNamed ? undefined : this.#ofFunction(parent, member, isGuessed));
    }
    if (!ts.isPropertyAssignment(parent) || parent.name.getText() !== "params") return undefined;
    return listOf(textOf(parent.parent, "method") ?? "");
  }

  #isText(expression: ts.Expression): boolean {
    return (this.#checker.getTypeAtLocation(expression).flags & ts.TypeFlags.StringLike) !== 0;
  }

  /** The definition that is the second argument of `tool` may have a member `name`, too. */
  #ofFunction(call: ts.CallExpression, member: string, isGuessed: boolean): string | undefined {
    const { name, origin, isUnknown } = this.#callees.calleeOf(call);
    if (origin === undefined && !(isUnknown && isGuessed)) return undefined;
    const takesObject = !definers.test(name) && (name !== "subscribe" || member === "uris");
    return takesObject ? takers.get(name) : undefined;
  }
}

/** Functions that take a name and a definition. */
const definers = /^(?:register\w*|prompt|resource(?:Template)?|tool)$/;

/** The list that the entries of a method are in: `tools` of `tools/call`. */
function listOf(method: string): string | undefined {
  return /^(tools|prompts|resources)\//.exec(method)?.[1];
}

/** The text that an object literal has as a member. */
function textOf({ properties }: ts.ObjectLiteralExpression, member: string): string | undefined {
  const found = properties.find(({ name }) => name?.getText() === member);
  return found && ts.isPropertyAssignment(found) && ts.isStringLiteralLike(found.initializer)
    ? found.initializer.text
    : undefined;
}
