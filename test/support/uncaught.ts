import { onTestFinished } from "vitest";

/** Records uncaught errors from now to the end of the test. They would end a process. */
export function uncaughtErrors(): unknown[] {
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on("uncaughtException", note).on("unhandledRejection", note);
  onTestFinished(() => {
    process.off("uncaughtException", note).off("unhandledRejection", note);
  });
  return uncaught;
}
