import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type golden, goldenFiles } from "./weather.js";

const folder = "test/golden/contract";

// `npm run typecheck` compiles them, strictly.
test.each<keyof typeof golden>(["weather", "bare"])(
  "the output of %s is as its golden files, and the same each time",
  async (name) => {
    const files = await goldenFiles(name);
    for (const [path, content] of files)
      await expect(content).toMatchFileSnapshot(`../../${join(folder, name, path)}`);
    const there = join(folder, name);
    const present = existsSync(there) ? readdirSync(there, { recursive: true, encoding: "utf8" }) : [];
    expect(present.filter((path) => path.endsWith(".ts")).sort()).toEqual([...files.keys()].sort());
    expect(await goldenFiles(name)).toEqual(files);
  },
);
