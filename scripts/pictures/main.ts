// Takes the pictures of docs/pictures/: npm run pictures (after npm run build; needs chromium).
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Page } from "../../test/support/browser-page.js";
import { fill, press, shows } from "../../test/support/page-gestures.js";
import { until } from "../../test/support/until.mjs";
import { type Picture, mostBytes, pictures, picturesFolder, storedPictures } from "./pictures.js";

/**
 * The size of the window in CSS pixels, and the pixels of the picture for each. Documents show it 820 pixels wide, so a
 * wider window has smaller letters; in a narrower one, the results of `dev` are below its form.
 */
const window = { width: 1088, height: 920, deviceScaleFactor: 1.25 };

/** The quality of WebP, of 100: letters stay sharp. */
const quality = 60;

const cli = resolve("dist/generator/cli.js");
// The pages name the command of the server: it must not name folders of this machine.
const folder = mkdtempSync(join(tmpdir(), "mcpgen-pictures-"));
copyFileSync("scripts/pictures/shop.mjs", join(folder, "shop.mjs"));
symlinkSync(resolve("node_modules"), join(folder, "node_modules"));

/** Writes the page that a command prints, and returns its address. `diff` ends with 1 where something breaks. */
function printed(name: string, ...args: readonly string[]): string {
  const file = join(folder, `${name}.html`);
  const { stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    ...{ cwd: folder, maxBuffer: 2 ** 26, encoding: "utf8" },
  });
  if (!stdout.startsWith("<!doctype html>")) throw new Error(stderr);
  writeFileSync(file, stdout);
  return pathToFileURL(file).href;
}

/** Starts `mcpgen dev` with the sample server; `use` gets the address of its page. */
async function developed(use: (url: string) => Promise<void>): Promise<void> {
  const program = spawn(process.execPath, [cli, "dev", "--page", "--server", "node shop.mjs"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(program, "exit");
  let printedText = "";
  program.stderr.setEncoding("utf8").on("data", (chunk: string) => (printedText += chunk));
  try {
    await Promise.race([
      until("the server starts", () => printedText.includes("server started")),
      exited.then(() => Promise.reject(new Error(printedText))),
    ]);
    await use(/page: (\S+)/.exec(printedText)![1]!);
  } finally {
    program.kill("SIGINT");
    await exited;
  }
}

/** Calls a tool, then another whose form is filled, and stops where the server asks its question. */
async function askedQuestion(page: Page): Promise<void> {
  await shows(page, "#connection", "connected");
  await press(page, "search", "#offer");
  await fill(page, "text", "lamp");
  await press(page, "Call", "#target");
  await shows(page, "#calls", "floor lamp");
  await press(page, "order", "#offer");
  await fill(page, "article", "desk lamp");
  await fill(page, "count", "2");
  await press(page, "Call", "#target");
  await shows(page, "#questions", "Where shall");
  await fill(page, "street", "Main Street 1", "#questions");
  await page.evaluate("document.querySelector('#wire').closest('details').open = true");
}

/** Opens the page of a picture, and keeps it open while `use` runs. */
async function opened(page: Page, { page: kind }: Picture, use: () => Promise<void>): Promise<void> {
  if (kind === "dev")
    return developed(async (url) => {
      await page.load(url);
      await askedQuestion(page);
      await use();
    });
  const args = {
    reference: ["docs", "stdio:node shop.mjs"],
    differences: ["diff", "2025-11-25", "2026-07-28", "--format", "html"],
  }[kind];
  await page.load(printed(kind, ...args));
  await use();
}

const page = await Page.open(window.width);
try {
  rmSync(picturesFolder, { recursive: true, force: true });
  mkdirSync(picturesFolder, { recursive: true });
  await page.send("Emulation.setDeviceMetricsOverride", { ...window, mobile: true });
  for (const picture of pictures) {
    await page.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: picture.theme }],
    });
    await opened(page, picture, async () => {
      await page.evaluate(
        "scrollTo(0, 0); document.activeElement?.blur(); document.fonts.ready.then(() => 0)",
      );
      const { data } = await page.send<{ data: string }>("Page.captureScreenshot", {
        format: "webp",
        quality,
      });
      writeFileSync(join(picturesFolder, picture.file), Buffer.from(data, "base64"));
    });
  }
} finally {
  await page.close();
  rmSync(folder, { recursive: true, force: true });
}
const sizes = [...storedPictures()].map(([file, { length }]) => ({ file, length }));
for (const { file, length } of sizes) console.log(`${file}: ${Math.ceil(length / 1000)} KB`);
const total = sizes.reduce((sum, { length }) => sum + length, 0);
if (total > mostBytes) throw new Error(`${total} bytes: expected at most ${mostBytes}`);
