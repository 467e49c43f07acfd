import type { Form, ShapeArm } from "../../compare/shape/form.js";
import { objectChanges } from "./members.js";
import type { Arm, Lists } from "./plan.js";
import type { Planner } from "./planner.js";
import { mayBe } from "./tests.js";

/** The conversion of objects with a list of objects that is several lists at the older revision. */
interface ListArm extends Arm {
  /** The objects, as the source describes them. */
  readonly source: ShapeArm;
}

/** The conversions of one place that notes of the outcome `lists` ask for. */
export function listArms(planner: Planner, source: Form, target: Form): ListArm[] {
  const [newer, older] = planner.isLowering ? [source, target] : [target, source];
  return newer.members.flatMap((arm) =>
    [...arm.properties].flatMap(([key, { nodes }]) => {
      const pointers = nodes.map((node) => node.pointer);
      const note = planner.decisions.noteAt(pointers);
      if (note?.how !== "lists") return [];
      const members: Lists = Object.entries(note.members!);
      const other = older.members.find(({ properties }) => members.every(([, list]) => properties.has(list)));
      if (!other) return [];
      planner.decisions.use(pointers);
      return [
        planner.isLowering
          ? split(planner, arm, other, key, members)
          : joined(planner, other, arm, key, members),
      ];
    }),
  );
}

function split(planner: Planner, source: ShapeArm, target: ShapeArm, key: string, members: Lists): ListArm {
  const names = members.map(([, list]) => list);
  return {
    source,
    test: mayBe(planner.source, source),
    changes: [...objectChanges(planner, source, target, [key, ...names]), { kind: "split", key, members }],
  };
}

function joined(planner: Planner, source: ShapeArm, target: ShapeArm, key: string, members: Lists): ListArm {
  const names = members.map(([, list]) => list);
  const test = mayBe(planner.source, source);
  return {
    source,
    test: { ...test, present: [...new Set([...test.present, ...names])] },
    changes: [...objectChanges(planner, source, target, [key, ...names]), { kind: "joined", key, members }],
  };
}

/** The functions that steps call for these changes. Files of steps without such changes do not have them. */
export const listFunctions: { readonly [name in "joined" | "split"]: string } = {
  joined: `/** The object with rows at \`key\`, beside the columns: a reader of either form finds its own. */
function joined(
  value: unknown,
  key: string,
  members: readonly (readonly [inner: string, name: string])[],
): unknown {
  if (!isObject(value)) return value;
  const columns = members.map(([, name]): unknown => memberOf(value, name));
  const [first] = columns;
  if (!Array.isArray(first)) return value;
  const fits = (column: unknown): column is unknown[] =>
    Array.isArray(column) && column.length === first.length;
  if (!columns.every(fits)) return value;
  const rows = first.map((_, index) =>
    Object.fromEntries(
      members.map(([name], place) => [name, columns[place]![index]]),
    ),
  );
  // Defines members, \`__proto__\` too, as \`JSON.parse\` does.
  return Object.fromEntries([...Object.entries(value), [key, rows]]);
}`,
  split: `/** The object with columns, in place of the rows at \`key\`. */
function split(
  value: unknown,
  key: string,
  members: readonly (readonly [inner: string, name: string])[],
): unknown {
  const rows = memberOf(value, key);
  if (!isObject(value) || !Array.isArray(rows)) return value;
  const columns = members.map(
    ([inner, name]) => [name, rows.map((row) => memberOf(row, inner))] as const,
  );
  if (columns.some(([, column]) => column.includes(undefined))) return value;
  const rest = Object.entries(value).filter(([name]) => name !== key);
  // Defines members, \`__proto__\` too, as \`JSON.parse\` does.
  return Object.fromEntries([...rest, ...columns]);
}`,
};
