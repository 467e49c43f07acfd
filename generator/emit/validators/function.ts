import { type Layout, group, indent, line, print, softline, whenBroken } from "../../print/layout.js";
import { prune } from "./prune.js";
import { type Statement, block } from "./statement.js";

/** The part before the body of an emitted function. The first parameter is the value it judges. */
export interface Head {
  /** Keywords and name. */
  readonly name: string;
  /** Parameters behind the value. */
  readonly more: readonly string[];
  /** The type that a true verdict gives the value; otherwise the function just returns `result`. */
  readonly proves?: string;
  readonly result: string;
}

/** A function without anything special. */
export function plainHead(name: string): Head {
  return { name: `function ${name}`, more: [], result: "boolean" };
}

/** A function that calls itself through others: it counts how deep, and may keep parts for later. */
export function walkerHead(name: string, keeps: boolean): Head {
  const more = ["depth: number", ...(keeps ? ["later?: unknown[]"] : [])];
  return { name: `function ${name}`, more, result: "boolean" };
}

/** A function that requests from the driver of an explicit stack the verdicts that it needs. */
export function judgeHead(name: string): Head {
  return { name: `function* ${name}`, more: [], result: "Generator<unknown, boolean, boolean>" };
}

/** An emitted function. */
export interface Printed {
  /** Empty for what only gives another function a name. */
  readonly name: string;
  readonly text: string;
  /** Names its body uses. */
  readonly used: ReadonlySet<string>;
}

export function printFunction(head: Head, statements: readonly Statement[]): Printed {
  const { statements: body, used } = prune(statements);
  // An underscore marks an unread parameter, for readers and for `noUnusedParameters`.
  const value = used.has("value") ? "value" : "_value";
  const more = head.more.map((parameter) =>
    used.has(/^\w+/.exec(parameter)![0]) ? parameter : `_${parameter}`,
  );
  const result = head.proves === undefined ? head.result : `${value} is ${head.proves}`;
  const text = print([signature(head.name, [`${value}: unknown`, ...more], result), " ", block(body)]);
  return { name: /[\w$]+$/.exec(head.name)![0], text, used };
}

function signature(name: string, parameters: readonly string[], result: string): Layout {
  const list = parameters.flatMap((parameter, index) => (index === 0 ? [parameter] : [",", line, parameter]));
  return group(name, "(", indent(softline, ...list, whenBroken(",")), softline, "): ", result);
}
