import { contractNames } from "../contract/emit/names.js";
import type { ProjectRequest } from "./project.js";

/** The files of a new client alone, by path: its author's from then on. */
export function clientFiles({ document, speaks, tasks, render }: ProjectRequest): Map<string, string> {
  const { contract } = document;
  const { clientType: type, clientFunction: make } = contractNames(contract);
  const names = { type, make };
  // A name that no letter starts has no lower case: type and function have one name, and are imported by it.
  const imported = names.type === names.make ? names.make : `type ${names.type}, ${names.make}`;
  const revisions =
    speaks === undefined
      ? "clientRevisions"
      : `clientRevisions.filter(({ id }) => ${JSON.stringify(speaks)}.includes(id))`;
  return new Map([
    ["src/client.ts", render("skeleton-client.ts", { ...names, imported, revisions, tasks })],
    ["src/main.ts", render("skeleton-client-main.ts", {})],
    ["test/client.test.mjs", render("skeleton-client.test.mjs", names)],
  ]);
}
