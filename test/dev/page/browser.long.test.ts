import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";
import { Replay, parseSession } from "@mcpgen/testing";
import { expect, onTestFinished } from "vitest";
import { browserTest } from "../../support/browser-test.js";
import { builtCli, builtProgram } from "../../support/built-program.js";
import { mcpgen } from "../../support/in-process.js";
import { fill, press, shows, text } from "../../support/page-gestures.js";
import { opened, program, shoot } from "./driver.js";

const cli = builtCli();
const shop = builtProgram("test/dev/page/shop.ts");

browserTest(
  "a form is filled, a tool called, a question answered, the wire judged; the session is saved, validated and replayed",
  async () => {
    const { page, url, folder } = await opened(cli, program(shop));
    await press(page, "order", "#offer");
    // The page first checks the schema: the count is not a number, the thing is present.
    await fill(page, "thing", "Lamp");
    await fill(page, "count", "two");
    await press(page, "Call", "#target");
    await shows(page, "#target .fault", "expected integer");
    expect(await text(page, "#calls")).toBe("");
    await fill(page, "count", "2");
    await press(page, "Call", "#target");

    await shows(page, "#questions", "Where to?");
    await press(page, "Accept", "#questions");
    // An empty city breaks the requested schema.
    await shows(page, "#questions .fault", "expected");
    await fill(page, "city", "Bergen", "#questions");
    await shoot(page, "dev-question");
    await press(page, "Accept", "#questions");
    await shows(page, "#calls", "2 × Lamp to Bergen");
    await shows(page, "#calls", "valid by outputSchema");
    expect(await text(page, "#questions")).toBe("");
    await shows(page, "#wire", "tools/call");
    expect(await text(page, "#wire-count")).toContain("0 invalid");
    expect(await text(page, "#wire .badge.safe")).toContain("valid");
    await shoot(page, "dev-result");

    const recording = await (await fetch(`${url}recording`)).text();
    const session = parseSession(recording);
    const file = join(folder, "session.jsonl");
    writeFileSync(file, recording);
    const judged = await mcpgen(".", ["validate", file, "--revision", "2026-07-28"]);
    expect(judged).toMatchObject({ code: 0 });
    expect(judged.stdout + judged.stderr).toContain(", 0 invalid");
    const server = stdioClientChannel([process.execPath, shop]);
    onTestFinished(() => server.close());
    const replay = new Replay(session, { play: "client" });
    const none = { turn: () => {}, tooLong: () => {}, closed: () => {} };
    server.open({ ...none, message: (message) => replay.send(message) });
    replay.open({ ...none, message: (message) => server.send(message) });
    await replay.done;
  },
);

browserTest(
  "at 320 pixels: a call cancelled, a log shown, a question declined, the revision switched; texts of servers stay text",
  async () => {
    const { page, url } = await opened(cli, program(shop), { width: 320 });
    await page.evaluate(
      "window.refused = 0; document.addEventListener('securitypolicyviolation', () => window.refused++)",
    );
    expect(await text(page, "h1")).toContain("Shop <b>of</b> tests");
    await press(page, "wait", "#offer");
    await press(page, "Call", "#target");
    await shows(page, "#calls", "running");
    await press(page, "Cancel", "#calls");
    await shows(page, "#calls", "cancelled");

    await page.evaluate(
      "const select = document.querySelector('#revision'); select.value = '2025-11-25'; select.dispatchEvent(new Event('change'))",
    );
    await shows(page, "#connection", "connected, revision 2025-11-25, legacy era");
    await press(page, "order", "#offer");
    await shows(page, "#target", "Orders a thing <script>alert(1)</script>");
    await press(page, "JSON", "#target");
    await fill(page, "Arguments as JSON", '{"thing": }');
    await press(page, "Call", "#target");
    await shows(page, "#target .fault", "line 1, column 11");
    await fill(page, "Arguments as JSON", '{"thing": 5}');
    await press(page, "Call", "#target");
    await shows(page, "#target .faults", "/thing expected string");
    await press(page, "Call anyway", "#target");
    // The server refuses them, too.
    await shows(page, "#calls", "thing");
    await fill(page, "Arguments as JSON", '{"thing": "Lamp", "count": 1}');
    await press(page, "Call", "#target");
    await shows(page, "#questions", "Where to?");
    await press(page, "Decline", "#questions");
    await shows(page, "#calls", "not ordered: decline");
    await shows(page, "#calls .badge.error", "isError");

    await press(page, "wait", "#offer");
    await press(page, "Call", "#target");
    await expect.poll(async () => Number(await text(page, "#log-count"))).toBeGreaterThan(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(await page.evaluate("window.refused")).toBe(0);
    expect(await page.evaluate("document.querySelectorAll('script').length")).toBe(1);
    // Without the secret, nothing is served.
    expect((await fetch(new URL("/", url))).status).toBe(404);
  },
);
