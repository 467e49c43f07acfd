import { fork } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../../support/built-program.js";
import { loopback } from "../../support/listen.js";

const program = builtProgram("test/auth/proxy/programs/flood.ts", { external: [] });

/** 62 KB of text, of which parsers make more than a megabyte. */
const padding = Array.from({ length: 20_800 }, () => []);

test("10,000 strangers who name documents of 63 KB leave at most 32 MB in a proxy", async () => {
  const origin = await loopback((request, response) => {
    const id = new URL(request.url!, "http://here").searchParams.get("url");
    const uris = ["https://app.example.net/callback"];
    const document = { client_id: id, client_name: "Agent", redirect_uris: uris, padding };
    response.writeHead(200, { "content-type": "application/json", "cache-control": "max-age=86400" });
    response.end(JSON.stringify(document));
  });
  const child = fork(program, [origin], { execArgv: ["--expose-gc"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [{ shown, grown }] = (await once(child, "message")) as [{ shown: number; grown: number }];
  console.log(`the heap grew by ${(grown / 1e6).toFixed(1)} MB`);
  expect(shown).toBeGreaterThan(9000);
  expect(grown).toBeLessThanOrEqual(32_000_000);
}, 600_000);
