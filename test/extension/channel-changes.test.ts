import { expect, test } from "vitest";
import { brokenChannel } from "../../generator/diff/extension/diff-extensions.js";
import { desk, handshake, sent } from "./desk-extension.js";
import { type ExtensionText, sourceOf } from "./models.js";

const changes = async (change: Partial<ExtensionText>): Promise<string[]> =>
  brokenChannel(await sourceOf(desk), await sourceOf({ ...desk, ...change }));

const channel = (changed: object): Partial<ExtensionText> => ({
  about: { channel: { roles: ["pen", "paper", "lamp"], handshake, ...changed } },
});

const [first, ...others] = desk.notes!;

test("removals that peers on the channel relied on are reported", async () => {
  expect(await changes({ about: {} })).toEqual(["the channel is gone"]);
  expect(await changes(channel({ handshake: { request: "desk/hello" } }))).toEqual([
    "the channel has another handshake",
  ]);
  expect(
    await changes({ notes: [first!, ...others.filter(({ target }) => target !== "tools/list")] }),
  ).toEqual(["tools/list no longer travels from lamp to paper"]);
  const turned = [sent(["desk/hello", "notifications/desk/ready", "desk/find"], "pen", "paper"), ...others];
  expect(await changes({ notes: turned })).toEqual(["tools/call no longer travels from pen to paper"]);
});

test("a removed role is reported in place of its messages", async () => {
  const kept = others.filter(({ sender, receiver }) => sender !== "lamp" && receiver !== "lamp");
  expect(await changes({ ...channel({ roles: ["pen", "paper"] }), notes: [first!, ...kept] })).toEqual([
    "the role lamp of the channel is gone",
  ]);
});

test("additions break nothing", async () => {
  expect(await changes({ ...channel({ roles: ["pen", "paper", "lamp", "desk"] }) })).toEqual([]);
  expect(await changes({ notes: [first!, ...others, sent("ping", "pen", "paper")] })).toEqual([]);
});
