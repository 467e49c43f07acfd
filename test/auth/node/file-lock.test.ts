import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { lockFile } from "../../../runtime/auth/node/file-lock.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));

const ofOtherMachine = JSON.stringify({ pid: 1, host: "another machine", id: "1" });

test("a lock is stale when it was the same for 15 seconds of its reader, whatever the date says", async () => {
  const path = join(temporaryFolder({ lock: ofOtherMachine }), "lock");
  // A machine that has slept finds old files.
  const hourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(path, hourAgo, hourAgo);
  let release: (() => Promise<void>) | undefined;
  const locking = lockFile(path).then((given) => (release = given));
  const isTaken = async (ms: number): Promise<boolean> => {
    vi.advanceTimersByTime(ms);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return release !== undefined;
  };
  expect(await isTaken(0)).toBe(false);
  expect(await isTaken(14_000)).toBe(false);
  // A heartbeat.
  utimesSync(path, new Date(), new Date());
  expect(await isTaken(2000)).toBe(false);
  while (!(await isTaken(15_001)));
  await locking;
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ pid: process.pid });
  await release!();
  expect(existsSync(path)).toBe(false);
});

test("a lock of a process of this machine that has ended is stale at once", async () => {
  const path = join(temporaryFolder({}), "lock");
  const release = await lockFile(path);
  const { host } = JSON.parse(readFileSync(path, "utf8")) as { host: string };
  await release();
  writeFileSync(path, JSON.stringify({ pid: 2 ** 22 - 1, host, id: "1" }));
  await (
    await lockFile(path)
  )();
  expect(existsSync(path)).toBe(false);
});
