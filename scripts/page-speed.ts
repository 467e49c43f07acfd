// Measures how fast pages open and search: node scripts/run-ts.mjs scripts/page-speed.ts (after npm run
// build; needs chromium). Run it on a quiet machine.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Page } from "../test/support/browser-page.js";

const rounds = 5;
const folder = mkdtempSync(join(tmpdir(), "mcpgen-page-speed-"));

function docs(source: string, name: string): string {
  const file = join(folder, `${name}.html`);
  execFileSync(process.execPath, ["dist/generator/cli.js", "docs", source, "--out", file]);
  return file;
}

/** Returns a contract whose tools differ only in their names and texts. */
function manyTools(count: number): string {
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    description: `Counts to ${index}.`,
    inputSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
  }));
  const file = join(folder, `many-${count}.json`);
  writeFileSync(file, JSON.stringify({ name: "many", version: "1", tools }));
  return file;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

/** Milliseconds from the start of the navigation to the end of the load, including the first paint. */
async function opening(page: Page, file: string): Promise<number> {
  await page.load(pathToFileURL(file).href);
  return page.evaluate<number>(`new Promise((resolve) => requestAnimationFrame(() => setTimeout(() =>
    resolve(Math.max(performance.getEntriesByType("navigation")[0].loadEventEnd,
      performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0)), 0)))`);
}

/** Milliseconds from the input of a letter to the next paint, for each text of a search. */
function searching(page: Page, texts: readonly string[]): Promise<number[]> {
  return page.evaluate<number[]>(`(async () => {
    const search = document.querySelector("#search");
    const times = [];
    for (const text of ${JSON.stringify(texts)}) {
      search.value = text;
      const start = performance.now();
      search.dispatchEvent(new Event("input"));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      times.push(performance.now() - start);
    }
    return times;
  })()`);
}

const page = await Page.open(1280);
try {
  const revisions = readdirSync("schema", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of revisions.filter((entry) => /^\d{4}/.test(entry.name))) {
    const file = docs(name, name);
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await opening(page, file));
    console.log(
      `${name}: ${Math.ceil(statSync(file).size / 1000)} KB, opens in ${median(times).toFixed(0)} ms`,
    );
  }
  for (const count of [1_000, 10_000]) {
    const file = docs(manyTools(count), `many-${count}`);
    const opened = await opening(page, file);
    const times = await searching(page, ["t", "tool_7", "tool_77", "tool_7", "", "count", "nowhere", ""]);
    console.log(
      `${count} tools: opens in ${opened.toFixed(0)} ms, letter to picture ${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} ms`,
    );
  }
} finally {
  await page.close();
  rmSync(folder, { recursive: true, force: true });
}
