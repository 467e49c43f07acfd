import { longestWait } from "./clock.js";

/** Resolves when `work` does, or after `milliseconds`; rejects as `work` does. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(
    (resolve) => (timer = setTimeout(resolve, Math.min(milliseconds, longestWait))),
  );
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
