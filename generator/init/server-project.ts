import type { Render } from "../print/templates.js";
import { completable } from "../contract/completable.js";
import { contractNames } from "../contract/emit/names.js";
import { handlersStub } from "../sync/stub.js";
import { wantedMembers } from "../sync/wanted.js";
import type { ProjectRequest } from "./project.js";

/** The text of the contract that servers start with. */
export function sampleContract(name: string, render: Render): string {
  // A string of JSON is one of YAML.
  return render("skeleton-contract.yaml", { name: JSON.stringify(name) });
}

/** The files of a new server alone, by path: its author's from then on. */
export function serverFiles({ document, isSample, speaks, render }: ProjectRequest): Map<string, string> {
  const { contract } = document;
  const create = contractNames(contract).createServer;
  const module = "./generated/server.js";
  const handlers = isSample
    ? render("skeleton-handlers.ts", {})
    : handlersStub(wantedMembers(contract), module, completable(contract));
  const narrowed = speaks === undefined ? "" : `, speaks: ${JSON.stringify(speaks)}`;
  const options = `{ revisions: serverRevisions${narrowed} }`;
  return new Map([
    ["src/handlers.ts", handlers],
    ["src/main.ts", render("skeleton-server-main.ts", { create, options })],
    [
      "test/server.test.mjs",
      render("skeleton-server.test.mjs", { create, options, greets: isSample ? [create] : [] }),
    ],
  ]);
}
