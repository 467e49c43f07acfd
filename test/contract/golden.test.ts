import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { weatherFiles } from "./weather.js";

const golden = "test/golden/contract/weather";

test("the output is as its golden files, and the same each time", async () => {
  const files = await weatherFiles();
  for (const [path, content] of files)
    await expect(content).toMatchFileSnapshot(`../../${join(golden, path)}`);
  const present = existsSync(golden) ? readdirSync(golden, { recursive: true, encoding: "utf8" }) : [];
  expect(present.filter((path) => path.endsWith(".ts")).sort()).toEqual([...files.keys()].sort());
  expect(await weatherFiles()).toEqual(files);
});
