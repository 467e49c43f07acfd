import { listFunctions } from "./lists.js";
import { wrapFunctions } from "./wrapped.js";

/** The functions that a file of steps has itself, if it calls them: few files do. */
export const ownFunctions = { ...listFunctions, ...wrapFunctions };
