import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Makes a folder with `files`, and removes it when the test ends. */
export function temporaryFolder(files: Files = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mcpgen-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

/**
 * Makes a folder with `files` for all tests of a file or `describe`. Call it while tests are being collected.
 */
export function sharedFolder(files: Files = {}): string {
  const folder = join(realpathSync(tmpdir()), `mcpgen-test-shared-${randomUUID()}`);
  beforeAll(() => {
    mkdirSync(folder);
    writeFiles(folder, files);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}
