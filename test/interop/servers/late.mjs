// Another fixture that takes its time to start, longer than a client waits for its probe: late.mjs FILE
setTimeout(() => void import(process.argv[2]), 1500);
