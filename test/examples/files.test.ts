import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import type { ChangeNotice, Subscription } from "@mcpgen/runtime";
import { temporaryFolder } from "../temporary-folder.js";
import { bundled, clientOf } from "./program.js";

let program: string;
beforeAll(async () => {
  program = await bundled("examples/files/main.ts");
});

/** A folder to serve, with a secret beside it. */
function served(): { readonly folder: string; readonly uri: string } {
  const outside = temporaryFolder({
    "secret.txt": "secret",
    "served-too/secret.txt": "secret",
    "served/a.txt": "a",
    "served/b 1.txt": "b",
    "served/bytes": Uint8Array.of(0xff, 0xfe),
    "served/sub/deep.txt": "deep",
  });
  const folder = join(outside, "served");
  return { folder, uri: pathToFileURL(folder).href };
}

test("lists what is in the folder and reads what is below it", async () => {
  const { folder, uri } = served();
  const client = await clientOf(program, [folder]);
  const { items } = await client.listResources();
  expect(items.map((item) => item.uri).sort()).toEqual([`${uri}/a.txt`, `${uri}/b%201.txt`, `${uri}/bytes`]);
  const read = async (path: string) => (await client.readResource(`${uri}/${path}`)).contents[0];
  expect(await read("a.txt")).toEqual({ uri: `${uri}/a.txt`, text: "a" });
  expect(await read("b%201.txt")).toMatchObject({ text: "b" });
  expect(await read("bytes")).toMatchObject({ blob: "//4=" });
  expect(await read("sub/deep.txt")).toMatchObject({ text: "deep" });
});

test("RSRC-03: nothing leads out of the folder", async () => {
  const { folder, uri } = served();
  symlinkSync("../secret.txt", join(folder, "link.txt"));
  symlinkSync("..", join(folder, "up"));
  const client = await clientOf(program, [folder]);
  const ways = [
    `${uri}/../secret.txt`,
    `${uri}/..%2fsecret.txt`,
    `${uri}/%2e%2e/secret.txt`,
    `${uri}/sub/../../secret.txt`,
    `${uri}/../served-too/secret.txt`,
    `${uri}-too/secret.txt`,
    `${uri}//etc/passwd`,
    `${uri}/%2fetc%2fpasswd`,
    `${uri}/..\\secret.txt`,
    `${uri}/link.txt`,
    `${uri}/up/secret.txt`,
    `${uri}/%00`,
    `${uri}/..`,
    uri,
    "file:///etc/passwd",
    "file:///etc/../etc/passwd",
  ];
  const there = await client.readResource(`${uri}/not-there`).catch((error: unknown) => error);
  for (const way of ways) {
    const refused = await client.readResource(way).catch((error: unknown) => error);
    // As if it were not there at all.
    expect(refused, way).toMatchObject({
      rpcCode: (there as { rpcCode: number }).rpcCode,
      data: { uri: way },
    });
  }
});

/** Reads on until everything that was waited for has come, in whatever order. */
async function heard(subscription: Subscription, notices: readonly ChangeNotice[]): Promise<void> {
  const missing = new Set(notices.map((notice) => JSON.stringify(notice)));
  const changes = subscription[Symbol.asyncIterator]();
  while (missing.size > 0) {
    const { value, done } = await changes.next();
    if (done) throw new Error(`ended without ${[...missing].join(", ")}`);
    missing.delete(JSON.stringify(value));
  }
}

describe.each(["2025-11-25", "2026-07-28"])("at %s", (revision) => {
  test("tells of files that come, go and change", async () => {
    const { folder, uri } = served();
    const client = await clientOf(program, [folder], { revision });
    const watched = `${uri}/a.txt`;
    const subscription = await client.subscribe({ resources: true, uris: [watched] });
    const listChanged = { method: "notifications/resources/list_changed" };
    const names = async () => (await client.listResources()).items.map(({ name }) => name).sort();

    writeFileSync(join(folder, "a.txt"), "another a");
    await heard(subscription, [{ method: "notifications/resources/updated", uri: watched }]);
    expect((await client.readResource(watched)).contents).toMatchObject([{ text: "another a" }]);

    writeFileSync(join(folder, "c.txt"), "c");
    await heard(subscription, [listChanged]);
    expect(await names()).toEqual(["a.txt", "b 1.txt", "bytes", "c.txt"]);

    rmSync(join(folder, "c.txt"));
    await heard(subscription, [listChanged]);
    expect(await names()).toEqual(["a.txt", "b 1.txt", "bytes"]);
    await subscription.close();
  });

  test("asks which folders the user works in", async () => {
    const { folder, uri } = served();
    const roots = [{ uri: pathToFileURL(join(folder, "a.txt")).href }, { uri: `${uri}-elsewhere` }];
    const client = await clientOf(program, [folder], { revision, roots });
    const { content } = await client.callTool("relevant_files");
    expect(content).toEqual([{ type: "text", text: `${uri}/a.txt` }]);
  });
});
