import type { RequestListener } from "node:http";
import { describe, expect, test } from "vitest";
import { CodedError } from "../../generator/diagnostics/coded-error.js";
import { download, kindOfSource, readSource } from "../../generator/files/source.js";
import { sha256 } from "../../generator/files/regular-file.js";
import { mcpgen } from "../support/in-process.js";
import { smallProject, smallSchemaText } from "../support/small-protocol.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { loopback } from "../support/listen.js";

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const nothing = { directory: "/", stdin: chunks() };

/** The code that reading fails with. */
async function refusal(reading: Promise<unknown>): Promise<string> {
  try {
    await reading;
  } catch (error) {
    if (error instanceof CodedError) return `${error.code} ${error.exitCode} ${error.message}`;
    throw error;
  }
  return "none";
}

test.each([
  ["schema.json", "file"],
  ["./-", "file"],
  ["C:\\schema.json", "file"],
  ["https://example.com/x", "url"],
  ["HTTP://example.com/x", "url"],
  ["-", "standard input"],
])("%s is a %s", (source, kind) => {
  expect(kindOfSource(source)).toBe(kind);
});

test("other schemes are refused by name", async () => {
  expect(await refusal(readSource("ftp://example.com/schema.json", nothing))).toBe(
    "MG1008 2 expected a path, an http(s) URL or -, got a URL of scheme ftp",
  );
});

test("file, URL and standard input give the same document", async () => {
  const directory = temporaryFolder({ "schema.json": smallSchemaText });
  const url = `${await loopback((_, response) => response.end(smallSchemaText))}/schema.json`;
  const stdin = chunks(smallSchemaText.slice(0, 50), smallSchemaText.slice(50));
  for (const source of ["schema.json", url, "-"]) {
    const read = await readSource(source, { directory, stdin });
    expect([read.value, read.sha256]).toEqual([JSON.parse(smallSchemaText), sha256(smallSchemaText)]);
    expect(read.url).toBe(source === url ? url : undefined);
  }
});

describe("redirects", () => {
  /** Redirects step by step to the file: `/3` to `/2`, and so on. */
  const steps: RequestListener = ({ url }, response) => {
    const left = Number(url!.slice(1));
    if (left === 0) response.end(smallSchemaText);
    else response.writeHead(302, { location: `/${left - 1}` }).end("elsewhere");
  };

  test("are followed up to five times", async () => {
    const base = await loopback(steps);
    expect((await readSource(`${base}/5`, nothing)).sha256).toBe(sha256(smallSchemaText));
    expect(await refusal(readSource(`${base}/6`, nothing))).toBe(
      "MG4004 4 expected the file after at most 5 redirects, got another redirect",
    );
  });

  test.each(["file:///etc/hostname", "ftp://example.com/", "http://[", "data:application/json,{}"])(
    "to %s are not followed",
    async (location) => {
      const base = await loopback((_, response) => response.writeHead(301, { location }).end());
      expect(await refusal(readSource(base, nothing))).toMatch(/^MG4004 4 .* got one to "/);
    },
  );

  test("without a location are an error", async () => {
    const base = await loopback((_, response) => response.writeHead(304).end());
    expect(await refusal(readSource(base, nothing))).toMatch(/^MG4002 4 .* HTTP 304/);
  });
});

test.each<[string, RequestListener]>([
  ["never answers", () => {}],
  ["starts and never ends", (_, response) => void response.write("{")],
])("the download is aborted if a server %s", async (_, listener) => {
  const url = await loopback(listener);
  const drained = (async () => {
    for await (const _ of download(url, { timeout: 50 })) continue;
  })();
  expect(await refusal(drained)).toBe("MG4003 4 no complete answer within 0.05 seconds");
});

describe("every command reads URL and standard input alike", () => {
  test("diff", async () => {
    const folder = temporaryFolder({ "old.json": smallSchemaText });
    const url = `${await loopback((_, response) => response.end(smallSchemaText))}/new.json`;
    const byUrl = await mcpgen(folder, ["diff", "old.json", url]);
    expect([byUrl.code, byUrl.stdout]).toEqual([
      0,
      expect.stringContaining(`old.json → ${url}: no differences`),
    ]);
    const byInput = await mcpgen(folder, ["diff", "-", "old.json"], { stdin: chunks(smallSchemaText) });
    expect([byInput.code, byInput.stdout]).toEqual([
      0,
      expect.stringContaining("standard input → old.json: no differences"),
    ]);
  });

  test("revision add and verify", async () => {
    const folder = await smallProject();
    const stdin = (): AsyncIterable<Uint8Array> => chunks(smallSchemaText);
    expect((await mcpgen(folder, ["revision", "verify", "2030-01-01", "-"], { stdin: stdin() })).code).toBe(
      0,
    );
    const nameless = await mcpgen(folder, ["revision", "add", "-"], { stdin: stdin() });
    expect(nameless.stderr).toContain("standard input: error MG2007");
    const named = await mcpgen(folder, ["revision", "add", "-", "--name", "next"], { stdin: stdin() });
    expect(named.stdout).toContain("next: added");
  });

  test("a password in a URL is neither sent nor printed, short as it may be", async () => {
    const asked: string[] = [];
    const base = await loopback((request, response) => {
      asked.push(request.url!);
      response
        .writeHead(request.url === "/moved" ? 302 : 404, { location: "http://u:pw1@127.0.0.1:1/" })
        .end();
    });
    for (const url of [
      base.replace("//", "//me:hunter2@"),
      `${base}/moved`,
      `${base}/none?access_token=pw1`,
    ]) {
      const { code, stdout, stderr } = await mcpgen(temporaryFolder({}), ["revision", "add", url, "--json"]);
      expect(code).toBe(4);
      expect(stdout + stderr).not.toMatch(/hunter2|pw1/);
    }
    expect(asked).toEqual(["/moved", "/none?access_token=pw1"]);
  });

  test("validate", async () => {
    const url = await loopback((_, response) => response.writeHead(500).end());
    const ran = await mcpgen(".", ["validate", url, "--revision", "2025-11-25"]);
    expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining("error MG4002")]);
  });
});
