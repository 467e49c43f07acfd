import { afterEach, vi } from "vitest";

// Files share the globals of their worker: a clock that one test leaves behind would be that of all later files.
afterEach(() => void vi.useRealTimers());
