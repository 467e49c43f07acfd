// Import this before all other modules: it reserves standard output for messages, so that other code cannot print
// there.
import { keepStdout } from "./stdio/guard.js";

// A test of node:test that imports the server reports to its runner by standard output.
if (process.env["NODE_TEST_CONTEXT"] === undefined) keepStdout();
