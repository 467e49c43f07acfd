// Replaces vitest in helpers that run outside of it.
export function onTestFinished() {}
