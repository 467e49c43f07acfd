// Published servers in real hosts: `lint --host` reports an error for each tool that the host leaves out or cannot call,
// a warning for each that it changes, and nothing for the others.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { projectFolder } from "../interop/real/project.mjs";
import { cases, seed } from "../support/cases.mjs";
import { hang } from "../support/until.mjs";
import { bundled } from "./bundled.mjs";
import { captured, publishedServers } from "./servers.mjs";

const { folder, remove } = await projectFolder();
const all = publishedServers(join(folder, "home"));
const count = cases(all.length, 3);
// One night's servers follow those of the night before.
const servers = Array.from({ length: count }, (_, index) => all[(seed * count + index) % all.length]);
const { errorsByHost, hostVerdict } = await bundled("host-verdicts.ts");

before(() => mkdir(join(folder, "home"), { recursive: true }));
after(remove);

describe(
  "lint and hosts about published servers",
  { concurrency: 1, timeout: servers.length * 5 * hang },
  () => {
    for (const server of servers) {
      // Hosts are installed on first use, and call all tools.
      test(`${server.name}: lint and hosts agree about its tools`, { timeout: 5 * hang }, async (t) => {
        const contract = await captured(folder, server);
        const errors = errorsByHost(contract);
        t.diagnostic(`errors by host: ${JSON.stringify(errors)}`);
        for (const host of ["codex", "claude-code"]) {
          const { faults, ...figures } = await hostVerdict(host, contract);
          t.diagnostic(`${host}: ${JSON.stringify(figures)}`);
          assert.deepEqual(faults, []);
          assert.ok(figures.called > 0);
        }
      });
    }
  },
);
