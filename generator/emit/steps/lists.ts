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
