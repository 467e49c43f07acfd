import type { Render } from "../print/templates.js";
import { completable } from "../contract/completable.js";
import { contractNames } from "../contract/emit/names.js";
import { handlersStub } from "../sync/stub.js";
import { wantedMembers } from "../sync/wanted.js";
import { extensionFiles, extensionUse } from "./extension-files.js";
import type { ProjectRequest } from "./project.js";

/**
 * The text of the contract that servers start with.
 *
 * @param capabilities those that extensions need
 */
export function sampleContract(name: string, render: Render, capabilities: object = {}): string {
  const declared = Object.keys(capabilities).length === 0 ? "" : JSON.stringify(capabilities);
  // A value of JSON is one of YAML.
  return render("skeleton-contract.yaml", { name: JSON.stringify(name), capabilities: declared });
}

/** What the files of a server with tasks import to run them. */
const taskNames = ["tasks", "tasksExtension"];

/** The files of a new server alone, by path: its author's from then on. */
export function serverFiles(request: ProjectRequest): Map<string, string> {
  const { document, isSample, speaks, extensions, tasks, render } = request;
  const { contract } = document;
  const create = contractNames(contract).createServer;
  const module = "./generated/server.js";
  const handlers = isSample
    ? render("skeleton-handlers.ts", {})
    : handlersStub(wantedMembers(contract), module, completable(contract));
  const narrowed = speaks === undefined ? "" : `, speaks: ${JSON.stringify(speaks)}`;
  const names = [create, ...(tasks ? taskNames : [])];
  const { locals, imports } = extensionUse(extensions, names);
  const all = [...(tasks ? ["tasks(tasksExtension)"] : []), ...locals];
  const used = all.length === 0 ? "" : `, extensions: [${all.join(", ")}]`;
  const options = `{ revisions: serverRevisions${narrowed}${used} }`;
  const view = { create, options, imports, tasks };
  return new Map([
    ["src/handlers.ts", handlers],
    ["src/main.ts", render("skeleton-server-main.ts", view)],
    [
      "test/server.test.mjs",
      render("skeleton-server.test.mjs", { ...view, greets: isSample ? [create] : [] }),
    ],
    ...extensionFiles(extensions, render, names),
  ]);
}
