import { ts } from "ts-morph";
import type { Callees } from "./origins.js";
import { type ValueFlow, outermost, parameterOf } from "./value-flow.js";

/** The list whose entries a function of the runtime or an SDK takes by name. */
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

/** The list whose entries a member of params or a parameter names, if the function does not decide it. */
const members: ReadonlyMap<string, string> = new Map([
  ["name", "tools"],
  ["toolName", "tools"],
  ["uri", "resources"],
  ["uris", "resources"],
  ["uriTemplate", "resourceTemplates"],
]);

/**
 * Decides to which list of a contract a string refers as an entry's name: to none, unless a call or a message
 * uses it so.
 */
export class EntryPlaces {
  readonly #checker: ts.TypeChecker;
  readonly #callees: Callees;
  readonly #flow: ValueFlow;

  constructor(program: ts.Program, callees: Callees, flow: ValueFlow) {
    this.#checker = program.getTypeChecker();
    this.#callees = callees;
    this.#flow = flow;
  }

  /** @param isGuessed whether imports of the file cannot be resolved */
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

  /** The list to which the name in an argument object, or in a message's params, refers. */
  #ofMember(object: ts.ObjectLiteralExpression, member: string, isGuessed: boolean): string | undefined {
    const reference = textOf(object, "type");
    if (reference === "ref/prompt") return "prompts";
    if (reference === "ref/resource") return "resourceTemplates";
    const place = outermost(object);
    const { parent } = place;
    if (ts.isCallExpression(parent)) {
      const [first] = parent.arguments;
      const method = first && first !== place && ts.isStringLiteralLike(first) ? first.text : "";
      // If the tool's name comes first, the object contains its arguments.
      const isNamed = first !== undefined && first !== place && this.#isText(first);
      return listOf(method) ?? (isNamed ? undefined : this.#ofFunction(parent, member, isGuessed));
    }
    if (!ts.isPropertyAssignment(parent) || parent.name.getText() !== "params") return undefined;
    return listOf(textOf(parent.parent, "method") ?? "");
  }

  #isText(expression: ts.Expression): boolean {
    return (this.#checker.getTypeAtLocation(expression).flags & ts.TypeFlags.StringLike) !== 0;
  }

  /**
   * The list of a function that takes the name inside an object. Functions such as `tool` take name and
   * definition separately, and the definition may have a member `name`, too.
   */
  #ofFunction(call: ts.CallExpression, member: string, isGuessed: boolean): string | undefined {
    const { name, origin, isUnknown } = this.#callees.calleeOf(call);
    if (origin === undefined && !(isUnknown && isGuessed)) return undefined;
    const takesObject = !definers.test(name) && (name !== "subscribe" || member === "uris");
    return takesObject ? takers.get(name) : undefined;
  }
}

/** Functions that take a name and a definition as separate arguments. */
const definers = /^(?:register\w*|prompt|resource(?:Template)?|tool)$/;

/** The list of the entries that a method concerns: `tools` for `tools/call`. */
function listOf(method: string): string | undefined {
  return /^(tools|prompts|resources)\//.exec(method)?.[1];
}

/** The string value of a member of an object literal. */
function textOf({ properties }: ts.ObjectLiteralExpression, member: string): string | undefined {
  const found = properties.find(({ name }) => name?.getText() === member);
  return found && ts.isPropertyAssignment(found) && ts.isStringLiteralLike(found.initializer)
    ? found.initializer.text
    : undefined;
}
