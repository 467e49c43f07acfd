/// <reference types="vite/types/importMeta.d.ts" />

// What a server or a client loads when it first needs it takes turns of the event loop that a clock of a test knows nothing of.
// It is loaded before tests begin: what they see does not depend on the files that ran before them.
const modules = import.meta.glob(["../../runtime/{core,tasks}/*/**/*.ts", "!**/{dist,node_modules}/**"]);
await Promise.all(Object.values(modules).map((load) => load()));
