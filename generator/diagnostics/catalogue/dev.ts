import type { Diagnostic } from "../diagnostic.js";

/** MG68xx: the development loop. */
export const devDiagnostics = {
  MG6801: {
    title: "The project does not compile",
    exit: 1,
    explanation:
      "`mcpgen dev` compiles the project by its tsconfig.json after each change, and reports an error at the place of the message; TS and a number is TypeScript's own code. After an error of syntax, mcpgen writes no JavaScript, and the server of the last change keeps running. Types are checked by the project's own TypeScript while the server restarts: an error of types is reported, and the server runs all the same. If the settings have neither isolatedModules nor verbatimModuleSyntax, or write declarations, the JavaScript needs the types, and the server restarts after the check. Correct the place and save the file.",
  },
  MG6802: {
    title: "The server does not run",
    exit: 4,
    explanation:
      "`mcpgen dev` started the server, and the process ended, or did not answer. The message quotes the last line that the server printed on standard error; `--verbose` prints all of them. mcpgen starts the server again after the next change. Requests that were open got an error; later messages of the client wait for the next server.",
  },
  MG6803: {
    title: "The types are not checked",
    exit: 0,
    explanation:
      "`mcpgen dev` found a tsconfig.json, and no package `typescript` that the project can import. It writes the JavaScript and starts the server, but cannot report errors of types. Install the package as a development dependency.",
  },
} satisfies Record<string, Diagnostic>;
