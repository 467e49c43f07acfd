import { expect, test } from "vitest";
import { asTyped, programOf } from "../../generator/print/terminal-text.js";

test.each([
  ["/p/node_modules/.bin/mcpgen", "/p", "npx mcpgen"],
  ["/p/node_modules/.bin/mcpgen", "/p/packages/a", "npx mcpgen"],
  ["/p/node_modules/mcpgen/dist/generator/cli.js", "/p", "npx mcpgen"],
  ["/home/a/.npm/_npx/1f/node_modules/.bin/mcpgen", "/p", "npx mcpgen"],
  ["/home/a/.npm/_npx/1f/node_modules/.bin/create-mcpgen", "/p", "npx mcpgen"],
  ["/p/node_modules/.bin/mcpgen", "/q", "mcpgen"],
  ["/usr/local/bin/mcpgen", "/p", "mcpgen"],
  ["/usr/local/lib/node_modules/mcpgen/dist/generator/cli.js", "/p", "mcpgen"],
  ["/p/dist/generator/cli.js", "/p", "mcpgen"],
  ["/p/node_modules/vitest/vitest.mjs", "/p", "mcpgen"],
  ["/p/node_modules/mcpgen-other/cli.js", "/p", "mcpgen"],
  ["", "/p", "mcpgen"],
] as const)("%s, started in %s, is typed as %s", (script, directory, typed) => {
  expect(programOf(script, directory)).toBe(typed);
});

test.each([
  ["mcpgen capture x", "npx mcpgen capture x"],
  ["See `mcpgen --help`; then `mcpgen check`.", "See `npx mcpgen --help`; then `npx mcpgen check`."],
  ["not as mcpgen wrote it: `npx mcpgen check`", "not as mcpgen wrote it: `npx mcpgen check`"],
])("commands in %j", (text, typed) => {
  expect(asTyped(text, "npx mcpgen")).toBe(typed);
  expect(asTyped(text, "mcpgen")).toBe(text);
});
