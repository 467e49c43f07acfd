import type { Diagnostic } from "../catalogue.js";

/** MG68xx: the development loop. */
export const devDiagnostics = {
  MG6801: {
    title: "The project does not compile",
    exit: 1,
    explanation:
      "`mcpgen dev` compiles the project by its tsconfig.json after each change, with the TypeScript compiler that mcpgen contains. The compiler reports an error at the place of the message; TS and a number is its own code. As long as there is an error, mcpgen writes no JavaScript, and the server of the last change without errors keeps running. Correct the place and save the file.",
  },
  MG6802: {
    title: "The server does not run",
    exit: 4,
    explanation:
      "`mcpgen dev` started the server, and the process ended, or did not answer. The message quotes the last line that the server printed on standard error; `--verbose` prints all of them. mcpgen starts the server again after the next change. Requests that were open got an error; later messages of the client wait for the next server.",
  },
} satisfies Record<string, Diagnostic>;
