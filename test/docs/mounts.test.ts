import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const document = readFileSync("docs/http.md", "utf8");

// The examples are compiled and run by test/interop, where the frameworks are installed.
test.each(["express", "fastify", "hono"])("docs/http.md shows the mount of the %s example", (name) => {
  const [, shown] = new RegExp(
    `\\(\\.\\./examples/${name}/main\\.ts\\).*?^\`\`\`ts\\n(.*?)^\`\`\`$`,
    "ms",
  ).exec(document)!;
  expect(shown!.trimEnd().split("\n").length).toBeLessThanOrEqual(3);
  expect(readFileSync(`examples/${name}/main.ts`, "utf8")).toContain(`\n${shown}`);
});
