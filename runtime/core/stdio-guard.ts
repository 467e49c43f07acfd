// Import this before all other modules: it reserves standard output for messages, so that other code cannot print
// there.
import { keepStdout } from "./stdio/guard.js";

keepStdout();
