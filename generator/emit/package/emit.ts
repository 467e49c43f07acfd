import type { Emitter, WorkspaceInput } from "../emitter.js";

const workspaceModules = ["index", "authoring", "client", "explained", "issues", "model", "server"];
const revisionModules = ["check", "client", "methods", "open", "server", "types", "validators"];

/** `package.json`, where a name was asked for: one entry for each module, so that nobody loads what they do not use. */
export const emitPackage: Emitter<WorkspaceInput> = ({ models, packageName, render }) => {
  if (packageName === undefined) return new Map();
  const modules = [
    ...workspaceModules,
    ...models.flatMap(({ revision }) => revisionModules.map((module) => `${revision}/${module}`)),
  ].map((module) => ({
    key: JSON.stringify(module === "index" ? "." : `./${module}`),
    source: JSON.stringify(`./${module}.ts`),
    types: JSON.stringify(`./dist/${module}.d.ts`),
    code: JSON.stringify(`./dist/${module}.js`),
  }));
  const vectors = models.map(({ revision }) => JSON.stringify(`./${revision}/vectors.json`));
  const content = render("package.json", { name: JSON.stringify(packageName), modules, vectors });
  return new Map([["package.json", { content, formatted: true }]]);
};
