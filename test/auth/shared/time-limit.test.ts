import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { timeLimit } from "../../../runtime/auth/shared/time-limit.js";

test("a time ends, although garbage is collected meanwhile", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const collecting = setInterval(collect, 10);
  onTestFinished(() => clearInterval(collecting));
  const ended = (): Promise<unknown> => {
    const signal = timeLimit(100, new AbortController().signal);
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));
  };
  expect(await ended()).toMatchObject({ name: "TimeoutError" });
});

test("another signal ends it earlier, with its reason", () => {
  const other = new AbortController();
  const signal = timeLimit(60_000, other.signal);
  other.abort(new Error("over"));
  expect(signal.reason).toEqual(new Error("over"));
});
