import type { NoteProblem } from "../notes/apply.js";
import type { InvalidatesNote } from "../notes/note.js";
import type { Method } from "./model.js";

type Subject = Pick<Method, "name" | "kind" | "cacheable" | "capabilities">;

/**
 * The cached results that notes let a notification drop, by notification. A method whose results are not cached, or are
 * dropped without the note, is a problem.
 *
 * @param others methods of a base, whose results the notification of an extension may drop
 */
export function findInvalidations(
  methods: readonly Subject[],
  notes: readonly InvalidatesNote[],
  problems: NoteProblem[],
  others: readonly Subject[] = [],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const note of notes) {
    for (const target of note.targets) {
      const notification = methods.find(({ name }) => name === target);
      // notesByMethod has reported it.
      if (!notification) continue;
      const fault = faultOf(notification, note, [...methods, ...others]);
      if (fault) problems.push({ ...fault, note, target });
      else found.set(target, [...new Set(note.methods)].sort());
    }
  }
  return found;
}

function faultOf(
  notification: Subject,
  { methods: dropped }: InvalidatesNote,
  methods: readonly Subject[],
): Pick<NoteProblem, "code" | "message"> | undefined {
  if (notification.kind === "request")
    return { code: "MG1202", message: "it is a request, and no notification" };
  for (const name of dropped) {
    const method = methods.find((each) => each.name === name && each.kind === "request");
    if (!method) return { code: "MG1202", message: `there is no request ${JSON.stringify(name)}` };
    if (!method.cacheable)
      return { code: "MG1203", message: `no note says that results of ${name} are cached` };
    if (sharesCapability(method, notification))
      return { code: "MG1203", message: `it drops the results of ${name} by its capability` };
  }
  return undefined;
}

/** A notification drops all cached results of its capability, or of one that its capability is a part of. */
function sharesCapability(method: Subject, notification: Subject): boolean {
  return method.capabilities.some((whole) =>
    notification.capabilities.some(
      (part) => part.of === whole.of && `${part.path}/`.startsWith(`${whole.path}/`),
    ),
  );
}
