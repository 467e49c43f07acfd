import { lost } from "./pace.js";

/**
 * What the promise gives, unless the signal is aborted first: code of the user's may never come back.
 *
 * @throws {McpError} `connection-closed`: the signal was aborted
 */
export async function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(lost("the connection is closed"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop!);
  }
}

/** Resolves when the work is done, whatever came of it, or after so many milliseconds. */
export function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    work.then(done, done);
  });
}
