import type { Method } from "../../../model/model.js";
import { capitalised, identifiersFor } from "../../../print/text.js";

/** Names that a file of stubs of a revision already uses for other values. */
const ofRevisions = new Set([
  ...["client", "server"].flatMap((role) => [`${role}Receives`, `${role}Sends`, `${role}Steps`]),
  "completed",
  "process",
  "revision",
]);

/**
 * Names the function that sends each method: after the message (`CallToolRequest` → `callTool`,
 * `ProgressNotification` → `notifyProgress`). If that name is in use or reserved, after the method
 * (`files/delete` → `filesDelete`).
 *
 * @param taken names that the file already uses for other values
 */
export function nameOperations(
  methods: readonly Method[],
  taken: ReadonlySet<string> = ofRevisions,
): ReadonlyMap<string, string> {
  const wanted = methods.map((method) => ({ method, name: afterMessage(method) }));
  const counts = new Map<string, number>();
  for (const { name } of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);

  const used = new Set(taken);
  const names = new Map<string, string>();
  for (const { method, name } of wanted) {
    if (counts.get(name) === 1 && isFree(name, used)) settle(method, name);
  }
  for (const { method } of wanted) if (!names.has(method.name)) settle(method, afterMethod(method));
  return names;

  function settle(method: Method, name: string): void {
    const [identifier] = identifiersFor([name]).values() as Iterable<string> as [string];
    let free = identifier;
    for (let number = 2; used.has(free); number++) free = `${identifier}${number}`;
    used.add(free);
    names.set(method.name, free);
  }
}

function isFree(name: string, used: ReadonlySet<string>): boolean {
  return !used.has(name) && identifiersFor([name]).get(name) === name;
}

function afterMessage({ kind, message }: Method): string {
  const stem = message.replace(/(Request|Notification)$/, "") || message;
  return kind === "notification" ? `notify${capitalised(stem)}` : uncapitalised(stem);
}

function afterMethod({ name }: Method): string {
  return uncapitalised(
    name
      .split(/[^A-Za-z0-9]+/)
      .filter((word) => word !== "")
      .map((word, index) => (index === 0 ? word : capitalised(word)))
      .join(""),
  );
}

/** `CallTool` → `callTool`, `URLOpen` → `urlOpen`. */
function uncapitalised(name: string): string {
  return name.replace(/^(?:[A-Z]+(?![a-z])|[A-Z])/, (initial) => initial.toLowerCase());
}
