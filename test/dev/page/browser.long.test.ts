import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stdioClientChannel } from "@mcpgen/runtime/stdio";
import { Replay, parseSession } from "@mcpgen/testing";
import type * as methods from "@mcpgen/protocol/2026-07-28/methods";
import { clientRevisions } from "@mcpgen/protocol/client";
import { expect, onTestFinished } from "vitest";
import type { Page } from "../../support/browser-page.js";
import { browserTest } from "../../support/browser-test.js";
import { builtCli, builtProgram } from "../../support/built-program.js";
import { mcpgen } from "../../support/in-process.js";
import { fill, press, shows, text } from "../../support/page-gestures.js";
import { choose, opened, program, shoot, unfold } from "./driver.js";

const cli = builtCli();
const shop = builtProgram("test/dev/page/shop.ts");

browserTest(
  "a form is filled, a tool called, a question answered, the wire judged; the session is saved, validated and replayed",
  async () => {
    const { page, url, folder } = await opened(cli, program(shop));
    // The first tool is chosen, and takes no focus.
    await shows(page, "#target-name", "order");
    expect(await page.evaluate("document.activeElement === document.body")).toBe(true);
    expect(await page.evaluate("document.querySelector('#wire').closest('details').open")).toBe(false);
    await unfold(page, "#wire-count");
    await unfold(page, "#wire li[data-number='1'] summary");
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
    // A question without its required answer stays open.
    await shows(page, "#questions .fault", "required, and left empty");
    await fill(page, "city", "Bergen", "#questions");
    await shoot(page, "dev-question");
    await page.evaluate("[...document.querySelectorAll('#questions label')][0].control.focus()");
    await page.press("Enter");
    await shows(page, "#calls", "2 × Lamp to Bergen");
    await shows(page, "#calls", "valid by outputSchema");
    expect(await text(page, "#questions")).toBe("");
    // What was opened is still open.
    await shows(page, "#wire", "tools/call");
    expect(await page.evaluate("document.querySelector('#wire [data-number=\"1\"] details').open")).toBe(
      true,
    );
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
    // The form begins in the first half of a telephone's screen; the list is folded.
    await shows(page, "#target-name", "order");
    await page.resize(400, 800);
    const top = "document.querySelector('#target .field').getBoundingClientRect().top";
    expect(await page.evaluate<number>(top)).toBeLessThan(400);
    await page.resize(320);
    await choose(page, "wait");
    await press(page, "Call", "#target");
    await shows(page, "#calls", "running");
    // The results are below the form: the page goes there.
    const results = "document.querySelector('#calls-title').getBoundingClientRect().top < innerHeight";
    await expect.poll(() => page.evaluate(results)).toBe(true);
    await press(page, "Cancel", "#calls");
    await shows(page, "#calls", "cancelled");

    /** A changed schema changes the form; what was entered stays. */
    const changesForm = async (): Promise<void> => {
      await choose(page, "echo");
      await fill(page, "text", "a");
      const body = { kind: "tool", name: "extend", params: { name: "extend" }, anyway: false };
      await page.evaluate(
        `void fetch("call", { method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(body))} })`,
      );
      await shows(page, "#target form", "more (optional)");
      await press(page, "Call", "#target");
      await shows(page, "#calls > :first-child", '{"text":"a"}');
    };
    await changesForm();

    await page.evaluate(
      "const select = document.querySelector('#revision'); select.value = '2025-11-25'; select.dispatchEvent(new Event('change'))",
    );
    await shows(page, "#connection", "connected, revision 2025-11-25, legacy era");
    await choose(page, "order");
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

    await changesForm();

    await choose(page, "wait");
    await press(page, "Call", "#target");
    await expect.poll(async () => Number(await text(page, "#log-count"))).toBeGreaterThan(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(await page.evaluate("window.refused")).toBe(0);
    expect(await page.evaluate("document.querySelectorAll('script').length")).toBe(1);
    // Without the secret, nothing is served.
    expect((await fetch(new URL("/", url))).status).toBe(404);
  },
);

type Methods = Pick<typeof methods, "clientSends">;

/** Types into the field `text`, and presses Enter. */
async function enter(page: Page, value: string): Promise<void> {
  await fill(page, "text", value);
  await page.press("Enter");
}

/** Runs commands of the browser's editor in the focused field. */
async function edit(page: Page, ...commands: readonly string[]): Promise<void> {
  for (const command of commands)
    await page.send("Input.dispatchKeyEvent", { type: "rawKeyDown", commands: [command] });
}

/** A user at the form of the tool `echo`, and the only arguments sent; undefined if a required text is missing. */
const gestures: Readonly<Record<string, readonly [act: (page: Page) => Promise<void>, sent?: string]>> = {
  "the button, without a text": [(page) => press(page, "Call", "#target")],
  "Enter, without a text": [(page) => enter(page, "")],
  "an empty text is chosen": [
    async (page) => {
      await enter(page, "");
      await press(page, "Send an empty text", "#target");
      await press(page, "Call", "#target");
    },
    '{"text":""}',
  ],
  "an empty text is chosen, then another typed and removed": [
    async (page) => {
      await enter(page, "");
      await press(page, "Send an empty text", "#target");
      await fill(page, "text", "a");
      await edit(page, "selectAll", "deleteBackward");
      await page.press("Enter");
    },
  ],
  "an empty text of the JSON editor stays one in the form": [
    async (page) => {
      await press(page, "JSON", "#target");
      await fill(page, "Arguments as JSON", '{"text": ""}');
      await press(page, "Form", "#target");
      await press(page, "Call", "#target");
    },
    '{"text":""}',
  ],
  "an optional object without its required text": [
    async (page) => {
      await fill(page, "zip", "5");
      await enter(page, "a");
    },
  ],
  "Enter in a line": [(page) => enter(page, "a"), '{"text":"a"}'],
  "Enter while a character is composed, and after it": [
    async (page) => {
      await fill(page, "text", "");
      await page.send("Input.imeSetComposition", { text: "か", selectionStart: 1, selectionEnd: 1 });
      await page.press("Enter");
      await page.send("Input.insertText", { text: "書" });
      await page.press("Enter");
    },
    '{"text":"書"}',
  ],
  "Shift+Enter makes the line an area, where Enter is a new line and Ctrl+Enter sends": [
    async (page) => {
      await fill(page, "text", "a");
      await page.press("Enter", "Shift");
      await page.send("Input.insertText", { text: "b" });
      await page.press("Enter");
      await page.send("Input.insertText", { text: "c" });
      await page.press("Enter", "Control");
    },
    '{"text":"a\\nb\\nc"}',
  ],
  "lines are pasted into a line": [
    async (page) => {
      await press(page, "JSON", "#target");
      await fill(page, "Arguments as JSON", "a\nb");
      await edit(page, "selectAll", "copy");
      await fill(page, "Arguments as JSON", "{}");
      await press(page, "Form", "#target");
      await fill(page, "text", "x");
      await edit(page, "paste");
      await press(page, "Call", "#target");
    },
    '{"text":"xa\\nb"}',
  ],
};

browserTest(
  "a form sends at Enter in a line; a required text that is left empty is marked, not sent",
  async () => {
    const { page, url } = await opened(cli, program(shop));
    await shows(page, "#target-name", "order");
    const calls = (): Promise<number> => page.evaluate("document.querySelectorAll('#calls > *').length");
    for (const [name, [act, sent]] of Object.entries(gestures)) {
      const before = await calls();
      await choose(page, "echo");
      await act(page);
      if (sent === undefined) await shows(page, "#target .fault", "required, and left empty");
      else await shows(page, "#calls > :first-child:not([data-state=running])", sent);
      const state = await page.evaluate<object>(`({
      invalid: document.querySelectorAll("#target [aria-invalid=true]").length,
      isFocused: document.activeElement.matches("[aria-invalid=true]"),
      isDescribed: [...document.querySelectorAll("#target [aria-invalid=true]")].every((each) =>
        each.getAttribute("aria-describedby").split(" ").some((id) => document.getElementById(id)?.textContent.startsWith("required"))),
    })`);
      const isMissing = sent === undefined;
      expect([name, state, (await calls()) - before]).toEqual([
        name,
        { invalid: isMissing ? 1 : 0, isFocused: isMissing, isDescribed: true },
        isMissing ? 0 : 1,
      ]);
    }
    // The address names the choice: the page finds it again.
    await choose(page, "pay");
    expect(await page.evaluate("location.hash")).toBe("#tools=pay");
    await page.load("about:blank");
    await page.load(`${url}#tools=pay`);
    await shows(page, "#target-name", "pay");
    await page.evaluate("location.hash = '#tools=look'");
    await shows(page, "#target-name", "look");
  },
);

browserTest("a form for any request proposes the methods of the session's revision", async () => {
  const { page } = await opened(cli, program(shop));
  await choose(page, "Any request");
  await press(page, "Send", "#target");
  await shows(page, "#target .fault", "required, and left empty");
  const proposed = new Map<string, boolean>();
  for (const { id } of clientRevisions) {
    await page.evaluate(
      `{ const select = document.querySelector('#revision'); select.value = ${JSON.stringify(id)}; select.dispatchEvent(new Event('change')) }`,
    );
    await shows(page, "#connection", `connected, revision ${id}`);
    const { clientSends } = (await import(`../../../generated/${id}/methods.ts`)) as Methods;
    const own = (methods: Iterable<string>): string[] =>
      [...methods].filter((method) => !method.startsWith("tasks/"));
    const options = (): Promise<string[]> =>
      page.evaluate("[...document.querySelectorAll('#target option')].map(({ value }) => value)");
    // An extension for tasks adds its own.
    await expect.poll(async () => own(await options())).toEqual(own(clientSends.requests.keys()));
    proposed.set(id, (await options()).includes("ping"));
  }
  // Only the newest revision has no `ping`.
  expect([...proposed.values()]).toEqual([true, true, true, true, false]);
});
