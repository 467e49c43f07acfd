/// <reference types="vite/types/importMeta.d.ts" />

// Modules that a server or a client loads on demand take turns of the event loop that a test's clock does not control.
// They are loaded before tests begin, so that tests do not depend on the files that ran before them.
const modules = import.meta.glob(["../../runtime/{core,tasks}/*/**/*.ts", "!**/{dist,node_modules}/**"]);
await Promise.all(Object.values(modules).map((load) => load()));
