import { afterEach, vi } from "vitest";

// Files share the globals of their worker: a clock that one test leaves behind would be that of all later files.
const kept = globalThis as { realDate?: DateConstructor };
const real = (kept.realDate ??= Date);

afterEach(() => {
  if (vi.isFakeTimers() || Date !== real) vi.useRealTimers();
});
