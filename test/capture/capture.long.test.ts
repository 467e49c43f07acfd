import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:net";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Contract } from "../../generator/contract/contract.js";
import { contractText, readContract } from "../../generator/contract/read-contract.js";
import { shownSource } from "../../generator/capture/server-source.js";
import { cases } from "../support/cases.mjs";
import { mcpgen } from "../support/in-process.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { initialized, newServer, scripted, serve } from "../support/live-server.js";
import { listen, loopback } from "../support/listen.js";

const schema = { type: "object", properties: { zebra: { type: "string" }, ant: { enum: ["b", "a"] } } };

function weather(): ReturnType<typeof newServer> {
  const server = newServer();
  server.tool("current_weather", { description: "Now.\nHere.", inputSchema: schema }, () => "mild");
  server.resource("weather://stations", { mimeType: "application/json" }, () => "[]");
  server.resourceTemplate("weather://{city}", {}, () => "{}");
  server.prompt("pack", { arguments: [{ name: "city", required: true }] }, () => "Pack.");
  return server;
}

test("a live server is captured as a contract that reads back, and twice the same", async () => {
  const source = await serve(weather());
  const folder = temporaryFolder();
  const ran = await mcpgen(folder, ["capture", source]);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toContain("weather 1.0.0 offers 1 tool, 1 resource, 1 resource template, 1 prompt");
  const text = readFileSync(join(folder, "mcp.contract.yaml"), "utf8");
  const { contract } = await readContract(text, "mcp.contract.yaml");
  expect(contract).toMatchObject({ name: "weather", version: "1.0.0" });
  expect(contract.tools).toEqual([
    { name: "current_weather", description: "Now.\nHere.", inputSchema: schema },
  ]);
  expect(Object.keys(contract.tools![0]!.inputSchema["properties"]!)).toEqual(["zebra", "ant"]);
  expect(contract.prompts).toEqual([{ name: "pack", arguments: [{ name: "city", required: true }] }]);
  expect(text).not.toMatch(/ttlMs|cacheScope|resultType|cursor|session|_meta/i);
  const again = await mcpgen(folder, ["capture", source, "--json"]);
  expect(JSON.parse(again.stdout)).toMatchObject({ exit: 0, written: false, tools: 1, prompts: 1 });
});

test.each(["2024-11-05", "2025-11-25"])("a server gives the same contract in %s", async (revision) => {
  const source = await serve(weather());
  const [newest, older] = await Promise.all(
    [[], ["--revision", revision]].map((more) =>
      mcpgen(temporaryFolder(), ["capture", source, "--out", "-", ...more]),
    ),
  );
  expect(older!.stderr).toContain(`(revision ${revision})`);
  expect(newest!.stdout).toContain("current_weather");
  // The first revision has no capability for completion, so only the lists are compared.
  const lists = (text: string): string => text.slice(text.indexOf("tools:\n  -"));
  expect(lists(older!.stdout)).toBe(lists(newest!.stdout));
});

test("the extensions that a server declares are named, with the stored versions", async () => {
  const extensions = { "com.example/search": {}, "com.example/\u001b[31mred": {} };
  const result = {
    protocolVersion: "2024-11-05",
    capabilities: { extensions },
    serverInfo: { name: "s", version: "1" },
  };
  const source = scripted({ initialize: result });
  const about = { format: 1, id: "com.example/search", version: "1.0.0" };
  const folder = temporaryFolder({
    "schema/extensions/com.example/search/1.0.0/extension.json": JSON.stringify(about),
  });
  const { stdout } = await mcpgen(folder, ["capture", source]);
  expect(stdout).toContain("declares com.example/search, stored as 1.0.0");
  expect(stdout).toContain("declares com.example/\\u001b[31mred, which is not stored");
  const again = await mcpgen(folder, ["capture", source, "--json", "--out", "-"]);
  expect(JSON.parse(again.stdout)).toMatchObject({
    extensions: [{ id: "com.example/search", stored: ["1.0.0"] }, { stored: [] }],
  });
  const printed = await mcpgen(folder, ["capture", source, "--out", "-"]);
  expect(printed.stderr).not.toContain("\u001b");
});

test("a contract that differs is replaced only on request", async () => {
  const source = await serve(weather());
  const folder = temporaryFolder({ "c.json": "{}" });
  const words = ["capture", source, "--out", "c.json"];
  const refused = await mcpgen(folder, words);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/^c\.json: error MG6302: .*\n.*--replace/);
  expect(readFileSync(join(folder, "c.json"), "utf8")).toBe("{}");
  expect((await mcpgen(folder, [...words, "--replace"])).code).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, "c.json"), "utf8"))).toMatchObject({ name: "weather" });
});

const tool = (name: unknown, more: object = {}): object => ({ name, inputSchema: schema, ...more });

test("all pages are read, a bad entry is named, and the rest is captured", async () => {
  const source = scripted({
    initialize: initialized({ tools: {}, resources: {} }),
    "tools/list": {
      pages: [
        { tools: [tool("a"), { name: "broken", inputSchema: { type: "strin" } }], nextCursor: "1" },
        { tools: [tool("b"), tool("a"), tool("slip", { outputschema: {} })], _meta: { session: "s3cret" } },
      ],
    },
    "resources/list": { resources: [{ uri: "x:y", name: "y", annotations: { audience: ["all"] } }] },
  });
  const ran = await mcpgen(temporaryFolder(), ["capture", source, "--out", "-"]);
  const { contract } = await readContract(ran.stdout, "-");
  expect(contract.tools?.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(contract.resources).toBeUndefined();
  expect(ran.stdout).not.toContain("s3cret");
  expect(ran.code).toBe(1);
  expect(ran.stderr.match(/error MG6301/g)).toHaveLength(4);
  expect(ran.stderr).toContain('entry 2 "broken" is left out');
  expect(ran.stderr).toContain('"a" is left out: the name "a" is used twice');
  expect(ran.stderr).toContain('"slip" is left out: /outputschema: there is no key "outputschema"');
  expect(ran.stderr).toContain('resources: entry 1 "y" is left out');
});

test("a server that prints on standard output is captured, with a warning", async () => {
  const answers = { initialize: initialized({ tools: {} }), "tools/list": { tools: [] } };
  const source = scripted(answers, 'console.log("listening on stdio"); console.log("ready");');
  const { code, stdout } = await mcpgen(temporaryFolder(), ["capture", source, "--out", "c.yaml"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /warning MG6313: on standard output the server printed 2 lines that are not messages, the first: "listening on stdio"\n {2}→ Print on standard error/,
  );
  const clean = await mcpgen(temporaryFolder(), ["capture", scripted(answers), "--out", "c.yaml"]);
  expect(clean.stdout).not.toContain("MG6313");
});

test("entries are counted as the server lists them, over all pages", async () => {
  const source = scripted({
    initialize: initialized({ tools: {} }),
    "tools/list": {
      pages: [
        { tools: [tool("a"), null, null, tool("")], nextCursor: "1" },
        { tools: [tool("b"), null, tool("a"), { name: 1, inputSchema: 2 }, tool("c")] },
      ],
    },
  });
  const ran = await mcpgen(temporaryFolder(), ["capture", source, "--out", "-"]);
  expect([...ran.stderr.matchAll(/entry (\d+)/g)].map(([, number]) => number)).toEqual([
    "2",
    "3",
    "4",
    "6",
    "7",
    "8",
  ]);
  expect(ran.stderr).toContain("entry 4 is left out: /name: expected at least 1 character, got 0");
  expect(ran.stderr).toMatch(/entry 8 is left out: [^\n\\]*; [^\n\\]*$/m);
  expect(ran.stderr).toContain('entry 7 "a" is left out: the name "a" is used twice');
});

test("texts that hide or reorder the displayed text are escaped, and read back unchanged", async () => {
  const odd = "\u202egnirts \u0007 \u{e0041} \ud800 \t\r\n: # '\"\n*/";
  const contract = {
    name: "odd",
    version: "1.0",
    instructions: odd,
    tools: [
      {
        name: odd,
        description: odd,
        inputSchema: JSON.parse(`{"__proto__":${JSON.stringify(odd)},"type":"object"}`),
      },
    ],
  };
  contract.tools[0]!.inputSchema[odd] = odd;
  for (const file of ["odd.yaml", "odd.json"]) {
    const text = await contractText(contract, file);
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Surrogate}\u2028]/u);
    const read = await readContract(text, file);
    expect(JSON.stringify(read.contract)).toBe(JSON.stringify(contract));
  }
});

test("any contract is read back from its text unchanged, key by key", async () => {
  const texts = fc.string({ unit: "binary", maxLength: 40 });
  const schemas = fc.dictionary(texts, fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }));
  await fc.assert(
    fc.asyncProperty(texts, texts, schemas, async (name, description, schema) => {
      const tools = [{ name: `n${name}`, description, inputSchema: { ...schema, type: "object" } }];
      const contract = JSON.parse(JSON.stringify({ name: "x", version: "1", tools })) as Contract;
      for (const file of ["c.yaml", "c.json"]) {
        const read = await readContract(await contractText(contract, file), file);
        expect(JSON.stringify(read.contract)).toBe(JSON.stringify(contract));
      }
    }),
    { numRuns: cases(1000, 30) },
  );
});

test("a server without entries and without a name still has a contract", async () => {
  const source = scripted({ initialize: initialized({}, { serverInfo: { name: "", version: "" } }) });
  const ran = await mcpgen(temporaryFolder(), ["capture", source, "--out", "-"]);
  expect(ran.stdout).toBe("name: server\nversion: 0.0.0\n");
  expect(ran.stderr).toContain("warning MG6303");
  expect(ran.code).toBe(0);
});

const broken = `console.error("one\\n\\u001b[31mtwo"); process.exit(3);`;
const fine = initialized({ tools: {} });

test.each<[string, () => string | Promise<string>, string, RegExp, RegExp]>([
  ["is not there", () => "stdio:no-such-program", "MG4101", /no such program/, /Check the command/],
  ["has an open quote", () => `stdio:node 'x`, "MG4101", /not closed/, /Check the command/],
  [
    "ends at once",
    () => scripted({}, broken),
    "MG4102",
    /exited with code 3/,
    /Start the server yourself[^]*one\n +\\u001b\[31mtwo$/,
  ],
  [
    "knows no revision",
    () => scripted({ initialize: { ...fine, protocolVersion: "1999-01-01" } }),
    "MG4104",
    /1999/,
    /MCP server/,
  ],
  ["does not answer", () => scripted({}, "answer = () => {};"), "MG4103", /./, /--timeout/],
  [
    "prints lines that are not messages, and does not answer",
    () => scripted({}, `answer = () => {}; console.log("ready"); console.log("now");`),
    "MG4103",
    /printed 2 lines that are not messages, the first: "ready"\n/,
    /standard error/,
  ],
  [
    "refuses in several lines",
    () =>
      scripted({
        initialize: fine,
        "tools/list": { error: { code: -32603, message: "<h1>\n  Not\r\nnow </h1>\n" } },
      }),
    "MG4105",
    /tools\/list: <h1> Not now <\/h1>\n/,
    /server's log/,
  ],
  [
    "answers nonsense",
    () => scripted({ initialize: fine, "tools/list": { tools: 1 } }),
    "MG4105",
    /tools\/list/,
    /server's log/,
  ],
  [
    "wants authorization",
    () => loopback((_, response) => void response.writeHead(401).end("who?")),
    "MG4106",
    /the server answered 401: who\?\n/,
    /--header "Authorization: Bearer …"/,
  ],
  [
    "wants a password",
    () =>
      loopback(
        (_, response) => void response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end(),
      ),
    "MG4106",
    /the server answered 401 \(asked for: Basic realm="x"\)\n/,
    /--header "Authorization: Basic …"/,
  ],
  [
    "refuses the password of its address",
    async () =>
      (await loopback((_, response) => void response.writeHead(401).end())).replace("//", "//me:pa55@"),
    "MG4107",
    /the server answered 401\n/,
    /^ Check the credentials in Authorization: the server refuses them\.$/,
  ],
  [
    "forbids it",
    () => loopback((_, response) => void response.writeHead(403).end("no")),
    "MG4102",
    /403/,
    /--header/,
  ],
  [
    "has nothing there",
    () => loopback((_, response) => void response.writeHead(404).end()),
    "MG4102",
    /404/,
    /Check the address, and that the server runs there/,
  ],
  [
    "speaks http at an https URL",
    async () => (await loopback((_, response) => void response.end())).replace("http:", "https:"),
    "MG4102",
    /cannot be reached: it does not answer in TLS\n/,
    /^ This server speaks http: try http:\/\/127\.0\.0\.1:\d+$/,
  ],
  [
    "speaks https at an http URL",
    async () => {
      const node = createServer((socket) => {
        // The alert of OpenSSL for a request that is not TLS.
        socket.on("error", () => {}).end(Buffer.from("15030100020246", "hex"));
      });
      onTestFinished(() => void node.close());
      return `http://127.0.0.1:${await listen(node)}/mcp?key=s3cret`;
    },
    "MG4102",
    /cannot be reached: Parse Error: Expected HTTP/,
    /^ This server speaks https: try https:\/\/127\.0\.0\.1:\d+\/mcp\?key=…$/,
  ],
  [
    "speaks https, and answers to http",
    () =>
      loopback((_, response) => {
        const title = "400 The plain HTTP request was sent to HTTPS port";
        response.writeHead(400, { "content-type": "text/html" }).end(`<html><title>${title}</title></html>`);
      }),
    "MG4102",
    /the server answered 400/,
    /^ This server speaks https: try https:\/\/127\.0\.0\.1:\d+$/,
  ],
  [
    "reports another one that speaks https",
    () => scripted({ initialize: { error: { code: -32000, message: "Parse Error: Expected HTTP/" } } }),
    "MG4105",
    /Expected HTTP/,
    /server's log/,
  ],
  [
    "is the name of a package",
    () => "stdio:@scope/server-everything",
    "MG4101",
    /no such program/,
    /"stdio:npx -y @scope\/server-everything"/,
  ],
])(
  "a server that %s ends the command with 4, a code and the next step",
  async (_, source, code, message, next) => {
    const from = await source();
    const capture = (seconds: string) => mcpgen(temporaryFolder(), ["capture", from, "--timeout", seconds]);
    // Any time is too short for a server that never answers; what it prints may come late on a busy machine.
    let ran = await capture(code === "MG4103" ? "0.2" : "100");
    for (const seconds of ["2", "20", "100"]) if (!message.test(ran.stderr)) ran = await capture(seconds);
    expect(ran.stderr).toContain(`error ${code}: `);
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr.trimEnd().split("→")[1]).toMatch(next);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
  },
);

test.each([
  ["server.js", "MG2014", /stdio:server\.js/],
  ["ftp://example.com", "MG2014", /http, https/],
  ["stdio:node x --revision 2025-11-26", "MG2010", /2025-11-25/],
  ["stdio:node x --timeout soon", "MG2004", /above 0/],
  ["stdio:node x --header secret", "MG2004", /Authorization/],
  ["stdio:node x --env MCPGEN_TEST_UNSET", "MG2004", /NAME=VALUE/],
])("capture %s is refused before anything is started", async (line, code, next) => {
  const [, source, ...words] = /^(stdio:node x|\S+)(?: (\S+) (\S+))?$/.exec(line)!;
  const ran = await mcpgen(temporaryFolder(), ["capture", source!, ...words.filter(Boolean)]);
  expect(ran.stderr).toContain(`error ${code}: `);
  expect(ran.stderr.split("→")[1]).toMatch(next);
  expect(ran.code).toBe(2);
});

test("secrets of the address are not shown", async () => {
  const ran = await mcpgen(temporaryFolder(), ["capture", "http://user:pa55@127.0.0.1:1/mcp?key=s3cret"]);
  expect(ran.stderr).toContain("http://127.0.0.1:1/mcp?key=…: error MG4102");
  expect(ran.stderr).not.toMatch(/pa55|s3cret/);
});

test.each([
  [
    "stdio:env API_KEY='a b' MODE=x node server.js --port 1",
    "stdio:env API_KEY=… MODE=… node server.js --port 1",
  ],
  ["stdio:node s.js --auth-token abc --name=x", "stdio:node s.js --auth-token … --name=x"],
  ["https://example.com/mcp?api_key=abc#frag", "https://example.com/mcp?api_key=…"],
])("%s is shown without its secrets", (source, shown) => {
  expect(shownSource(source)).toBe(shown);
});

test("headers and variables reach the server", async () => {
  const authorizations = new Set<string | undefined>();
  const url = await loopback((request, response) => {
    authorizations.add(request.headers.authorization);
    response.writeHead(404).end();
  });
  await mcpgen(temporaryFolder(), ["capture", url, "--header", "Authorization: Bearer x"]);
  await mcpgen(temporaryFolder(), ["capture", url.replace("//", "//me:p%40ss@")]);
  expect([...authorizations]).toEqual(["Bearer x", `Basic ${btoa("me:p@ss")}`]);
  const loud = `console.error(process.env.A + process.env.B + process.env.C); process.exit(1);`;
  const env = { A: "one", C: "three" };
  const words = ["capture", scripted({}, loud), "--env", "A", "--env", "B=two"];
  expect((await mcpgen(temporaryFolder(), words, { env })).stderr).toContain("onetwoundefined");
});

test.each([
  ["commonjs", 'import fs from "node:fs";', /rename it to \.mjs, or set "type": "module"/],
  ["commonjs", "export const a = 1;", /rename it to \.mjs/],
  ["commonjs", "import.meta.url;", /rename it to \.mjs/],
  ["commonjs", "await 1;", /rename it to \.mjs/],
  ["module", 'require("node:fs");', /rename it to \.cjs, or remove "type": "module"/],
  ["module", "module.exports = 1;", /rename it to \.cjs/],
])("in a folder of type %s, the server %j gets advice about its kind of module", async (type, code, next) => {
  const folder = temporaryFolder({ "package.json": JSON.stringify({ type }), "server.js": code });
  const ran = await mcpgen(folder, ["capture", "stdio:node server.js"]);
  expect([ran.code, ran.stderr.split("→")[1]]).toEqual([4, expect.stringMatching(next)]);
  expect(ran.stderr).toContain("error MG4102: ");
});
