import { expect, test } from "vitest";
import { asTyped, programOf } from "../../generator/print/terminal-text.js";

test.each([
  ["/p/node_modules/.bin/mcpgen", "npx mcpgen"],
  ["/p/lib/node_modules/.bin/mcpgen", "npx mcpgen"],
  ["/p/node_modules/mcpgen/dist/generator/cli.js", "npx mcpgen"],
  ["C:\\p\\node_modules\\mcpgen\\dist\\generator\\cli.js", "npx mcpgen"],
  // npx
  ["/home/a/.npm/_npx/1f/node_modules/.bin/mcpgen", "npx mcpgen"],
  ["/home/a/.npm/_npx/1f/node_modules/.bin/create-mcpgen", "npx mcpgen"],
  [
    "C:\\Users\\a\\AppData\\Local\\npm-cache\\_npx\\1f\\node_modules\\mcpgen\\dist\\generator\\cli.js",
    "npx mcpgen",
  ],
  // bunx, and a global installation of bun
  ["/tmp/bunx-1000-mcpgen@latest/node_modules/mcpgen/dist/generator/cli.js", "npx mcpgen"],
  ["/tmp/bunx-1000-mcpgen@latest/node_modules/.bin/mcpgen", "npx mcpgen"],
  ["/home/a/.bun/install/global/node_modules/mcpgen/dist/generator/cli.js", "npx mcpgen"],
  // pnpm, pnpm dlx, and a global installation of pnpm
  ["/p/node_modules/.pnpm/mcpgen@0.1.0/node_modules/mcpgen/dist/generator/cli.js", "npx mcpgen"],
  ["/p/lib/node_modules/.pnpm/mcpgen@0.1.0/node_modules/mcpgen/dist/generator/cli.js", "npx mcpgen"],
  ["/home/a/.cache/pnpm/dlx/5f/19/node_modules/mcpgen/dist/generator/cli.js", "npx mcpgen"],
  ["/home/a/.local/share/pnpm/global/5/node_modules/mcpgen/dist/generator/cli.js", "npx mcpgen"],
  // Yarn PnP
  ["/p/.yarn/cache/mcpgen-npm-0.1.0-1f.zip/node_modules/mcpgen/dist/generator/cli.js", "npx mcpgen"],
  ["/p/.yarn/unplugged/mcpgen-npm-0.1.0-1f/node_modules/mcpgen/dist/generator/cli.js", "npx mcpgen"],
  ["/p/.yarn/__virtual__/mcpgen-virtual-1f/0/cache/mcpgen.zip/node_modules/mcpgen/cli.js", "npx mcpgen"],
  // The global folder of npm
  ["/usr/local/bin/mcpgen", "mcpgen"],
  ["/usr/local/lib/node_modules/mcpgen/dist/generator/cli.js", "mcpgen"],
  ["/home/a/.nvm/versions/node/v22.0.0/lib/node_modules/mcpgen/dist/generator/cli.js", "mcpgen"],
  ["C:\\Users\\a\\AppData\\Roaming\\npm\\node_modules\\mcpgen\\dist\\generator\\cli.js", "mcpgen"],
  ["C:\\nvm4w\\nodejs\\node_modules\\mcpgen\\dist\\generator\\cli.js", "mcpgen"],
  // Not installed
  ["/p/dist/generator/cli.js", "mcpgen"],
  ["/p/node_modules/vitest/vitest.mjs", "mcpgen"],
  ["/p/node_modules/mcpgen-other/cli.js", "mcpgen"],
  ["", "mcpgen"],
] as const)("%s is typed as %s", (script, typed) => {
  expect(programOf(script)).toBe(typed);
});

test.each([
  ["mcpgen capture x", "npx mcpgen capture x"],
  ["See `mcpgen --help`; then `mcpgen check`.", "See `npx mcpgen --help`; then `npx mcpgen check`."],
  ["not as mcpgen wrote it: `npx mcpgen check`", "not as mcpgen wrote it: `npx mcpgen check`"],
])("commands in %j", (text, typed) => {
  expect(asTyped(text, "npx mcpgen")).toBe(typed);
  expect(asTyped(text, "mcpgen")).toBe(text);
});
