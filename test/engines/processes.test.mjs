// Several processes with one store; one of them is killed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { engines } from "./engines.mjs";
import { driverNames } from "./stores.mjs";

const program = fileURLToPath(new URL("programs/counter.mjs", import.meta.url));
const times = 100;
const names = ["a", "b", "c", "d"];

for (const [driver, engine] of driverNames.filter(([, engine]) => engine !== "memory")) {
  const { missing, node, start } = engines[engine];
  test(
    `${driver}: several processes change one task while one of them is killed`,
    { skip: missing },
    async (t) => {
      const { address, stop } = await start();
      t.after(stop);
      /** Counts, and is killed after `most` lines. @returns the lines */
      const counter = async (name, times, most = Infinity) => {
        const child = spawn(node, [program, driver, address, name, times], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        const ended = once(child, "exit");
        const lines = [];
        for await (const line of createInterface(child.stdout))
          if (lines.push(line) === most) child.kill("SIGKILL");
        const [code, signal] = await ended;
        assert.deepEqual([code, signal], most === Infinity ? [0, null] : [null, "SIGKILL"]);
        return lines;
      };
      const [first, ...others] = names;
      const [killed, ...whole] = await Promise.all([
        // So many changes that the process is killed before it has made all of them.
        counter(first, times * 1_000, times / 10),
        ...others.map((name) => counter(name, times)),
      ]);
      for (const lines of whole) assert.equal(lines.length, times + 1);
      // Nothing is locked, and the store has each reported change exactly once.
      const [version, message] = await counter("e", 1);
      const count = (name) => message.split(name).length - 1;
      for (const name of others) assert.equal(count(name), times);
      assert.ok([0, 1].includes(count(first) - killed.length), `${count(first)} of ${killed.length}`);
      assert.equal(count("e"), 1);
      assert.equal(Number(version), 1 + message.length);
    },
  );
}
