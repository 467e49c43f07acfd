// The engines start empty, and end with the process that started them, however it ends.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { until } from "../support/until.mjs";
import { engines } from "./engines.mjs";

const program = fileURLToPath(new URL("programs/starts.mjs", import.meta.url));

for (const [name, { missing, start }] of Object.entries(engines)) {
  test(`${name} starts, and stops`, { skip: missing }, async () => {
    const { address, stop } = await start();
    await stop();
    assert.equal(existsSync(address), false);
  });
}

for (const [name, { missing }] of Object.entries(engines).filter(([name]) =>
  ["postgres", "redis"].includes(name),
)) {
  for (const end of ["returns", "throws", "is killed"])
    test(`${name} ends after its process ${end}`, { skip: missing }, async () => {
      const address = await new Promise((resolve) =>
        execFile(process.execPath, [program, name, end], (_, stdout) => resolve(stdout.trim())),
      );
      const folder = name === "postgres" ? address : dirname(address);
      assert.match(folder, /mcpgen-/);
      // The folder is removed after the end of the engine.
      await until("the engine ends", () => !existsSync(folder));
    });
}
