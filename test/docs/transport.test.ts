import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync("docs/tasks/write-a-transport.md", "utf8");
const code = readFileSync("runtime/base/jsonrpc/channel.ts", "utf8");

/** The methods and fields of an interface; optional ones end with `?`. */
function membersOf(name: string): string[] {
  const [, body] = new RegExp(`^export interface ${name} \\{\n(.*?)^\\}`, "ms").exec(code) ?? [];
  return [...body!.matchAll(/^ {2}(?:readonly )?(\w+\??)[(:]/gm)].map(([, member]) => member!);
}

/** The first cells of the rows below a heading. */
function rowsOf(heading: string): string[] {
  const [, section] = page.split(`## ${heading}\n`);
  return [...section!.split("\n## ")[0]!.matchAll(/^\|(`.+?)\|/gm)].map(([, cell]) => cell!);
}

test("docs/tasks/write-a-transport.md has a row for each member of a channel, and marks the optional ones", () => {
  const rows = rowsOf("What a channel does").map((cell) => {
    const [, name] = /^`(\w+)/.exec(cell)!;
    return cell.includes("optional") ? `${name}?` : name!;
  });
  expect(rows.toSorted()).toEqual(membersOf("Channel").toSorted());
});

test("docs/tasks/write-a-transport.md has a row for each call of the receiver", () => {
  const rows = rowsOf("What a channel calls").map((cell) => /^`receiver\.(\w+\??)/.exec(cell)![1]!);
  expect(rows.toSorted()).toEqual(membersOf("Receiver").toSorted());
});

test("docs/tasks/write-a-transport.md names the optional members of a client's channel", () => {
  const optional = membersOf("ClientChannel").filter((member) => member.endsWith("?"));
  expect(page).toContain(
    `All its members are required but ${optional.map((member) => `\`${member.slice(0, -1)}\``).join(" and ")}`,
  );
});
