import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { execFileSync, spawn } from "node:child_process";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { TokenStore } from "../../../runtime/auth/client.js";
import { fileStore, keychain } from "../../../runtime/auth/node.js";
import { lockFile } from "../../../runtime/auth/node/file-lock.js";
import { oauth } from "../../../runtime/auth/client.js";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { protectedResource } from "../../support/auth/protected-resource.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folderOf = (): string => join(temporaryFolder({}), "state", "tokens");
const never = new AbortController().signal;

async function behaves(store: TokenStore): Promise<void> {
  expect(await store.get("a")).toBeUndefined();
  expect(await store.put("a", "1")).toBe(true);
  expect(await store.put("a", "2")).toBe(false);
  expect(await store.put("a", "2", "x")).toBe(false);
  expect(await store.put("a", 'two "lines"\n\u00e9', "1")).toBe(true);
  expect(await store.get("a")).toBe('two "lines"\n\u00e9');
  expect(await store.put("a", undefined, 'two "lines"\n\u00e9')).toBe(true);
  expect(await store.get("a")).toBeUndefined();
}

describe("the file store", () => {
  test("replaces only the value that was read", () => behaves(fileStore(folderOf())));

  test("has a folder of mode 0700 and files of mode 0600, and leaves no other file", async () => {
    const folder = folderOf();
    await fileStore(folder).put("a", "1");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const names = readdirSync(folder);
    expect(names).toHaveLength(1);
    expect(statSync(join(folder, names[0]!)).mode & 0o777).toBe(0o600);
    // The key contains the names of server and client, so the name of the file is only its digest.
    expect(names[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  test("one of 20 parallel changes wins", async () => {
    const store = fileStore(folderOf());
    await store.put("a", "0");
    const won = await Promise.all(Array.from({ length: 20 }, (_, i) => store.put("a", `new ${i}`, "0")));
    expect(won.filter(Boolean)).toHaveLength(1);
  });
});

describe.skipIf(process.platform === "win32")("attack 24: the file store", () => {
  async function stored(): Promise<{ folder: string; file: string; store: TokenStore }> {
    const folder = folderOf();
    const store = fileStore(folder);
    await store.put("a", "secret-value");
    return { folder, file: join(folder, readdirSync(folder)[0]!), store };
  }

  test.each([0o644, 0o640, 0o606, 0o660])("refuses a file of mode %o", async (mode) => {
    const { file, store } = await stored();
    chmodSync(file, mode);
    await expect(store.get("a")).rejects.toMatchObject({ code: "auth-store" });
    await expect(store.put("a", "x", "secret-value")).rejects.toMatchObject({ code: "auth-store" });
    expect(readFileSync(file, "utf8")).toBe("secret-value");
  });

  test.each([0o755, 0o777, 0o1777, 0o710])("refuses a folder of mode %o", async (mode) => {
    const { folder, store } = await stored();
    chmodSync(folder, mode);
    await expect(store.get("a")).rejects.toMatchObject({ code: "auth-store" });
    await expect(store.put("b", "x")).rejects.toMatchObject({ code: "auth-store" });
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test("refuses a link in place of a file, and of the folder", async () => {
    const { folder, file, store } = await stored();
    const other = join(folder, "..", "other");
    writeFileSync(other, "of another user", { mode: 0o600 });
    const link = fileStore(folder);
    rmSync(file);
    symlinkSync(other, file);
    await expect(store.get("a")).rejects.toMatchObject({ code: "auth-store" });
    await expect(link.put("a", "x", "of another user")).rejects.toMatchObject({ code: "auth-store" });
    expect(readFileSync(other, "utf8")).toBe("of another user");
    const linked = join(folder, "..", "linked");
    symlinkSync(folder, linked);
    await expect(fileStore(linked).get("a")).rejects.toMatchObject({ code: "auth-store" });
  });

  test("refuses a pipe in place of a file and of a lock, without waiting for it", async () => {
    const { file, store } = await stored();
    rmSync(file);
    execFileSync("mkfifo", [file]);
    await expect(store.get("a")).rejects.toMatchObject({ code: "auth-store" });
    await expect(store.put("a", "x")).rejects.toMatchObject({ code: "auth-store" });
    execFileSync("mkfifo", [`${file}.lock`, `${file}.put`]);
    await expect(store.lock!("a", never)).rejects.toMatchObject({ code: "auth-store" });
    await expect(store.put("a", "x")).rejects.toMatchObject({ code: "auth-store" });
  });

  test("refuses a file without end", async () => {
    const { file, store } = await stored();
    truncateSync(file, 2 ** 32);
    await expect(store.get("a")).rejects.toMatchObject({ code: "auth-store" });
  });

  test("reports errors of the file system as errors of the store", async () => {
    const { file } = await stored();
    const below = fileStore(join(file, "tokens"));
    const { signal } = new AbortController();
    for (const run of [() => below.get("a"), () => below.put("a", "x"), () => below.lock!("a", signal)])
      await expect(run()).rejects.toMatchObject({
        code: "auth-store",
        message: expect.stringContaining("ENOTDIR") as string,
      });
  });

  test("an error holds no value", async () => {
    const { file, store } = await stored();
    chmodSync(file, 0o644);
    const error = await store.get("a").catch((error: unknown) => error);
    expect(String(error)).not.toMatch(/secret-value/);
    expect(String(error)).toMatch(/chmod 600/);
  });

  test("a truncated file is renewed by a login", async () => {
    const as = await authorizationServer();
    const rs = await protectedResource({ servers: [as] });
    const folder = folderOf();
    const receive = (url: string): Promise<string> => as.visit(url);
    const authorizer = (): ReturnType<typeof oauth> =>
      oauth({ store: fileStore(folder), redirect: { uri: "http://127.0.0.1:1/callback", receive } });
    const refused = { status: 401, headers: new Headers() };
    const ask = (): unknown =>
      authorizer().authorize({ method: "POST", url: rs.url, signal: never, attempt: 1, refused });
    await ask();
    for (const name of readdirSync(folder)) truncateSync(join(folder, name), 10);
    expect(await ask()).toHaveProperty("authorization");
    expect(as.count("authorize")).toBe(2);
    // Neither locks nor other files remain.
    expect(readdirSync(folder).filter((name) => !/^[0-9a-f]{64}$/.test(name))).toEqual([]);
  });
});

describe("the lock", () => {
  test("is held by one at a time", async () => {
    const path = join(temporaryFolder({}), "lock");
    let inside = 0;
    let most = 0;
    const one = async (): Promise<void> => {
      const unlock = await lockFile(path);
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
      await unlock();
    };
    await Promise.all(Array.from({ length: 20 }, one));
    expect(most).toBe(1);
  });

  test.skipIf(process.platform === "win32")(
    "of a killed process goes to one of the waiting processes",
    async () => {
      const path = join(temporaryFolder({}), "lock");
      const child = spawn("sleep", ["60"]);
      writeFileSync(path, JSON.stringify({ pid: child.pid, host: hostname(), id: "x" }));
      const gone = new Promise((resolve) => child.on("exit", resolve));
      let taken = 0;
      const waiting = Array.from({ length: 10 }, async () => {
        const unlock = await lockFile(path);
        expect(++taken).toBeLessThanOrEqual(10);
        await unlock();
      });
      child.kill("SIGKILL");
      await gone;
      await Promise.all(waiting);
      expect(taken).toBe(10);
    },
  );

  test("of another machine is respected, because its processes are unknown here", async () => {
    const path = join(temporaryFolder({}), "lock");
    writeFileSync(path, JSON.stringify({ pid: 2 ** 30, host: "another", id: "x" }));
    const taken = lockFile(path, AbortSignal.timeout(100));
    await expect(taken).rejects.toThrow();
    expect(readFileSync(path, "utf8")).toMatch(/another/);
  });

  test("can be released", async () => {
    const path = join(temporaryFolder({}), "lock");
    const unlock = await lockFile(path);
    const controller = new AbortController();
    const second = lockFile(path, controller.signal);
    controller.abort();
    await expect(second).rejects.toThrow();
    await unlock();
  });
});

/** The programs of keychains, as stand-ins: they keep entries as files, and record their arguments and their input. */
describe.skipIf(process.platform !== "linux")("the keychain", () => {
  const { PATH, DBUS_SESSION_BUS_ADDRESS } = process.env;
  const platform = Object.getOwnPropertyDescriptor(process, "platform")!;
  afterEach(() => {
    process.env["PATH"] = PATH;
    Object.defineProperty(process, "platform", platform);
    if (DBUS_SESSION_BUS_ADDRESS === undefined) delete process.env["DBUS_SESSION_BUS_ADDRESS"];
  });

  /** Puts programs first on the path; `script` gets the folder of their files. */
  function programs(names: readonly string[], script: (folder: string) => string): string {
    const folder = temporaryFolder({});
    mkdirSync(join(folder, "bin"));
    for (const name of names) {
      const path = join(folder, "bin", name);
      writeFileSync(path, `#!/bin/sh\necho "$0" "$@" >> ${folder}/arguments\n${script(folder)}\n`);
      chmodSync(path, 0o755);
    }
    process.env["PATH"] = `${join(folder, "bin")}:${PATH}`;
    process.env["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere";
    return folder;
  }

  /** Behaves as libsecret's program: it cuts a text after 8,192 bytes, prints a warning, and exits with 0. */
  const secretTool = (folder: string): string => `
case "$1" in
  store) head -c 8192 > ${folder}/entry-$6; [ "$(head -c 1 | wc -c)" = 0 ] || echo "password is too long" >&2;;
  lookup) [ -f ${folder}/entry-$5 ] && cat ${folder}/entry-$5;;
  clear) rm -f ${folder}/entry-$5;;
esac`;

  /**
   * Behaves as the program of macOS: a command on standard input is a line of at most 4,095 characters; 44 means that
   * there is no entry.
   */
  const security = (folder: string): string => `
case "$1" in
  -i) IFS= read -r line; [ "\${#line}" -le 4095 ] || exit 1; echo "$line" >> ${folder}/lines
    set -- $line; [ "$1 $2 $3 $4 $5 $7" = "add-generic-password -U -s mcpgen -a -w" ] || exit 2
    echo "$8" > ${folder}/entry-$6;;
  find-generic-password) [ "$2 $3 $4 $6" = "-s mcpgen -a -w" ] || exit 2
    [ -f ${folder}/entry-$5 ] || { echo "could not be found" >&2; exit 44; }; cat ${folder}/entry-$5;;
  delete-generic-password) [ "$2 $3 $4" = "-s mcpgen -a" ] || exit 2; rm ${folder}/entry-$5;;
  *) exit 2;;
esac`;

  const entriesIn = (folder: string): string[] =>
    readdirSync(folder).filter((name) => name.startsWith("entry-") && name !== "entry-probe");

  describe.each([
    ["secret-tool", "linux", secretTool],
    ["security", "darwin", security],
  ] as const)("%s", (name, system, script) => {
    function prepared(): { folder: string; store: TokenStore; choices: string[] } {
      const folder = programs([name], script);
      Object.defineProperty(process, "platform", { ...platform, value: system });
      const choices: string[] = [];
      const store = keychain({ folder: join(folder, "state"), onChoice: (choice) => choices.push(choice) });
      return { folder, store, choices };
    }

    test("keeps values, and its arguments hold none", async () => {
      const { folder, store, choices } = prepared();
      await behaves(store);
      await store.put("b", "secret-value");
      const given = readFileSync(join(folder, "arguments"), "utf8");
      expect(given).not.toMatch(/secret-value|c2VjcmV0/);
      expect(given).toContain(`/${name} `);
      expect(choices).toEqual(["keychain"]);
      expect(readdirSync(join(folder, "state"))).toEqual([]);
    });

    test("keeps values that are longer than one entry, and removes all their parts", async () => {
      const { folder, store } = prepared();
      const [one, two] = ["1".repeat(9000), "\u00e9 2".repeat(3000)];
      expect(await store.put("a", one)).toBe(true);
      expect(await store.get("a")).toBe(one);
      expect(await store.put("a", two, one)).toBe(true);
      expect(await store.get("a")).toBe(two);
      expect(entriesIn(folder).length).toBeGreaterThan(2);
      expect(await store.put("a", "short", two)).toBe(true);
      expect(await store.get("a")).toBe("short");
      expect(entriesIn(folder)).toHaveLength(1);
      await store.put("a", two, "short");
      await store.put("a", undefined, two);
      expect(entriesIn(folder)).toEqual([]);
    });

    test("a value whose part is gone counts as absent, and can be replaced", async () => {
      const { folder, store } = prepared();
      await store.put("a", "1".repeat(9000));
      const part = entriesIn(folder).find((entry) => entry.endsWith(".1"))!;
      rmSync(join(folder, part));
      expect(await store.get("a")).toBeUndefined();
      expect(await store.put("a", "2")).toBe(true);
      expect(await store.get("a")).toBe("2");
    });
  });

  test("a value that the program has cut is an error, which does not contain the value", async () => {
    const cut = (folder: string): string => secretTool(folder).replace("8192", "20");
    const folder = programs(["secret-tool"], cut);
    const stored = keychain({ folder: join(folder, "state") }).put("a", "a-long-secret-value");
    const error: unknown = await stored.catch((error: unknown) => error);
    expect(error).toMatchObject({ code: "auth-store" });
    expect(String(error)).not.toContain("secret-value");
  });

  test.each([
    ["cannot be read", (): string => "echo locked >&2; exit 1"],
    // As gnome-keyring without an open keyring: it has no entry, and stores none.
    [
      "cannot be written",
      (): string => `case "$1" in store) echo prompt >&2; exit 1;; lookup) exit 1;; esac`,
    ],
    ["forgets", (): string => `case "$1" in store) cat > /dev/null;; lookup) exit 1;; esac`],
    ["does not answer", (): string => "exec sleep 60"],
  ])("that %s is replaced by files of mode 0600, with one message", async (_, script) => {
    const folder = programs(["secret-tool"], script);
    const choices: string[] = [];
    const store = keychain({ folder: join(folder, "state"), onChoice: (choice) => choices.push(choice) });
    await behaves(store);
    await store.put("b", "1");
    const [file] = readdirSync(join(folder, "state"));
    expect(statSync(join(folder, "state", file!)).mode & 0o777).toBe(0o600);
    expect(choices).toEqual(["file"]);
  });

  test("that cannot be read is an error without a fallback", async () => {
    programs(["secret-tool"], () => "echo locked >&2; exit 1");
    await expect(keychain({ fallback: "none" }).get("a")).rejects.toMatchObject({ code: "auth-store" });
  });

  test("a keychain of macOS that is locked is replaced by files", async () => {
    // 36 (errSecInteractionNotAllowed): the keychain is locked, and macOS cannot ask the user.
    const folder = programs(["security"], () => "exit 36");
    Object.defineProperty(process, "platform", { ...platform, value: "darwin" });
    const choices: string[] = [];
    await behaves(keychain({ folder: join(folder, "state"), onChoice: (choice) => choices.push(choice) }));
    expect(choices).toEqual(["file"]);
  });

  test("is not asked without a session bus", async () => {
    const folder = programs(["secret-tool"], secretTool);
    delete process.env["DBUS_SESSION_BUS_ADDRESS"];
    await behaves(keychain({ folder: join(folder, "state") }));
    expect(readdirSync(folder)).not.toContain("arguments");
  });

  test("on Windows tokens are in files, and no program is started", async () => {
    const folder = programs(["secret-tool", "security", "powershell", "cmdkey"], secretTool);
    delete process.env["DBUS_SESSION_BUS_ADDRESS"];
    Object.defineProperty(process, "platform", { ...platform, value: "win32" });
    const choices: string[] = [];
    await behaves(keychain({ folder: join(folder, "state"), onChoice: (choice) => choices.push(choice) }));
    expect(choices).toEqual(["file"]);
    expect(readdirSync(folder)).not.toContain("arguments");
  });
});
