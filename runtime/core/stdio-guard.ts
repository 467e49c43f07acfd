// Import this first of all: it takes standard output for messages, so that nothing else can print there.
import { keepStdout } from "./stdio/guard.js";

keepStdout();
