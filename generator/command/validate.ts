import type { RunCommand } from "./context.js";

export const validate: RunCommand = async () => ({});
