import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.js";
import { authorizationServer } from "./authorization-server.js";
import { protectedResource } from "./protected-resource.js";
import { SecretWatch, shown } from "./secrets.js";

function watching(): SecretWatch {
  const watch = new SecretWatch();
  onTestFinished(() => watch.end());
  return watch;
}

/** Returns a watch that has recorded a secret of the fixture, and the secret. */
async function planted(): Promise<{ readonly watch: SecretWatch; readonly secret: string }> {
  const watch = watching();
  const as = await authorizationServer({ tokens: "opaque" });
  return { watch, secret: await as.mint({ resource: "https://rs.example/mcp" }) };
}

const exited = async (code: string): Promise<void> => {
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "pipe"] });
  await once(child, "close");
};

test.each<[string, (secret: string) => unknown]>([
  ["a message", (secret) => shown(new Error(`refused: ${secret}`))],
  [
    "the cause of a cause",
    (secret) => shown(new Error("a", { cause: new Error("b", { cause: { secret } }) })),
  ],
  ["a hidden property", (secret) => shown(Object.defineProperty({}, "token", { value: secret }))],
  ["a symbol", (secret) => shown({ [Symbol("token")]: [new Map([["token", secret]])] })],
  ["JSON", (secret) => shown(JSON.stringify({ token: secret }))],
  ["a URL", (secret) => shown(`https://a.example/?token=${encodeURIComponent(secret)}`)],
  ["bytes", (secret) => shown(Buffer.from(secret))],
  ["the output of a process", (secret) => exited(`console.log("token", ${JSON.stringify(secret)})`)],
  ["the errors of a process", (secret) => exited(`console.error(${JSON.stringify(secret)})`)],
])("a secret in %s is found", async (_, leak) => {
  const { watch, secret } = await planted();
  expect(watch.leaks()).toEqual([]);
  await leak(secret);
  expect(watch.leaks()).toHaveLength(1);
});

test.each(["log", "info", "warn", "error", "debug"] as const)(
  "a secret in console.%s is found",
  async (name) => {
    const original = console[name];
    console[name] = () => undefined;
    onTestFinished(() => void (console[name] = original));
    const { watch, secret } = await planted();
    console[name]("the token is", { token: secret });
    expect(watch.leaks()).toHaveLength(1);
  },
);

test.each(["stdout", "stderr"] as const)("a secret in process.%s is found", async (name) => {
  const stream = process[name];
  const original = stream.write;
  stream.write = () => true;
  onTestFinished(() => void (stream.write = original));
  const { watch, secret } = await planted();
  stream.write(`${secret}\n`);
  expect(watch.leaks()).toHaveLength(1);
});

test("a secret in a message of a process is found", async () => {
  const { watch, secret } = await planted();
  const child = fork(`${temporaryFolder({ "child.mjs": "process.send(process.argv[2]);" })}/child.mjs`, [
    secret,
  ]);
  await once(child, "message");
  await once(child, "close");
  expect(watch.leaks()).toHaveLength(1);
});

test("a part of a JWT without its signature does not count as a secret; its signature does", async () => {
  const watch = watching();
  const as = await authorizationServer();
  const rs = await protectedResource({ servers: [as] });
  const token = await as.mint({ resource: rs.url });
  shown(token.slice(0, token.lastIndexOf(".")));
  expect(watch.leaks()).toEqual([]);
  shown(token.slice(token.lastIndexOf(".") + 1));
  expect(watch.leaks()).toHaveLength(1);
});

test("secrets that are minted and printed after the end are not recorded, and the streams are restored", async () => {
  const { write } = process.stdout;
  const { log } = console;
  const { watch, secret } = await planted();
  expect(process.stdout.write).not.toBe(write);
  const { characters } = watch.size;
  watch.end();
  shown(secret);
  expect([process.stdout.write, console.log, watch.size.characters]).toEqual([write, log, characters]);
});
