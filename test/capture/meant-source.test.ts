import { expect, test } from "vitest";
import { meantSource, isServerSource } from "../../generator/capture/server-source.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const files = {
  "srv.mjs": "",
  "srv.ts": "",
  "app.py": "",
  "mcp.contract.yaml": "",
  "c.json": "{}",
  "deep/server.js": "",
  "my.contracts/weather.yaml": "",
};

test.each<[string, string]>([
  ["localhost:3000/mcp", "http://localhost:3000/mcp"],
  ["localhost:3000", "http://localhost:3000"],
  ["127.0.0.1:8080/mcp", "http://127.0.0.1:8080/mcp"],
  ["[::1]:8080/mcp", "http://[::1]:8080/mcp"],
  ["example.com/mcp", "https://example.com/mcp"],
  ["mcp.example.com:8443", "https://mcp.example.com:8443"],
  ["http:/example.com/mcp", "http://example.com/mcp"],
  ["http:///example.com/mcp", "http://example.com/mcp"],
  ["https:example.com/mcp", "https://example.com/mcp"],
  ["https//example.com/mcp", "https://example.com/mcp"],
  ["htps://example.com/mcp", "https://example.com/mcp"],
  ["node srv.mjs", "stdio:node srv.mjs"],
  ["npx -y @scope/server --flag", "stdio:npx -y @scope/server --flag"],
  ["python -m server", "stdio:python -m server"],
  ["/usr/bin/node srv.mjs", "stdio:/usr/bin/node srv.mjs"],
  ["@scope/server", "stdio:npx -y @scope/server"],
  ["@scope/server@1.2.3 --flag", "stdio:npx -y @scope/server@1.2.3 --flag"],
  ["srv.mjs", "stdio:node srv.mjs"],
  ["./deep/server.js --verbose", "stdio:node ./deep/server.js --verbose"],
  ["srv.ts", "stdio:npx tsx srv.ts"],
  ["app.py", "stdio:python app.py"],
  ["stdio node srv.mjs", "stdio:node srv.mjs"],
  ["stdin:node srv.mjs", "stdio:node srv.mjs"],
  ["http;//example.com/mcp", "http://example.com/mcp"],
  ["https:\\\\example.com\\mcp", "https://example.com/mcp"],
  ["//example.com/mcp", "https://example.com/mcp"],
  ["//localhost:3000/mcp", "http://localhost:3000/mcp"],
  [":3000/mcp", "http://localhost:3000/mcp"],
  ["mcp.example.com", "https://mcp.example.com"],
  ["bash start.sh", "stdio:bash start.sh"],
  ["c.jsn", "c.json"],
  ["my.contracts/wether.yaml", "my.contracts/weather.yaml"],
  ["./mcp.contract.yml", "mcp.contract.yaml"],
])("%s is understood as %s", (given, meant) => {
  expect(meantSource(given, temporaryFolder(files))).toBe(meant);
  expect(isServerSource(meant) || Object.hasOwn(files, meant)).toBe(true);
});

test.each([
  ...[
    "weather",
    "2025-11-25",
    "ftp://example.com",
    "stdio:node srv.mjs",
    "https://example.com/mcp",
    "http://localhost",
  ],
  ...[
    "mcp.contract.yaml",
    "c.json",
    "nothing-like-it.json",
    "stdio",
    "-",
    "",
    "my weather",
    "deep/server.jsx",
    "my.contracts/weather.yaml",
    "./my.contracts/weather.yaml",
    "my.contracts/other.txt",
  ],
])("%j is not understood as anything else", (given) => {
  expect(meantSource(given, temporaryFolder(files))).toBeUndefined();
});
