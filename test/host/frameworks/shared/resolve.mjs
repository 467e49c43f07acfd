// Loaded before an example: it finds packages where the framework is installed, in the folder FRAMEWORKS_FOLDER.
import { registerHooks } from "node:module";

const examples = new URL("../../../../examples/hosts/", import.meta.url).href;
const root = new URL("../../../../package.json", import.meta.url).href;
const folder = process.env.FRAMEWORKS_FOLDER;

registerHooks({
  resolve(specifier, context, next) {
    const isOurs = context.parentURL?.startsWith(examples) && !/^(\.|node:)/.test(specifier);
    // The package of the repository refers to itself from its root alone.
    const parentURL = specifier.startsWith("mcpgen/") ? root : `${folder}package.json`;
    return next(specifier, isOurs ? { ...context, parentURL } : context);
  },
});
