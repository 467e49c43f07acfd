import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { lackOf, pathOf } from "./programs.mjs";
import { until } from "./until.mjs";

/** The path of Chromium, if it is installed. */
export const chromium = pathOf("chromium");

/** The reason why browser tests are skipped, or `undefined`. */
export const noChromium = lackOf(chromium !== undefined, "there is no chromium in PATH");

type Params = Readonly<Record<string, unknown>>;

/** An event that the browser reports. */
export interface PageEvent {
  readonly method: string;
  readonly params: Params;
}

/** Virtual key codes. */
const keyCodes = { Tab: 9, Enter: 13, Escape: 27, Space: 32, ArrowUp: 38, ArrowDown: 40 };

/** Bits of the modifier keys. */
const modifiers = { Control: 2, Shift: 8 };

/** A page of a browser, controlled by the DevTools protocol. */
export class Page {
  private readonly child: ChildProcess;
  private readonly socket: WebSocket;
  private readonly folder: string;
  private readonly waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  private readonly listeners = new Set<(event: PageEvent) => void>();
  private id = 0;
  private session: string | undefined;

  private constructor(child: ChildProcess, socket: WebSocket, folder: string) {
    this.child = child;
    this.socket = socket;
    this.folder = folder;
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { id?: number; result: never; error: unknown };
      const { id, result, error } = message;
      if (id === undefined) {
        for (const listener of this.listeners) listener(message as unknown as PageEvent);
        return;
      }
      if (error) this.waiting.get(id)?.reject(new Error(JSON.stringify(error)));
      else this.waiting.get(id)?.resolve(result);
      this.waiting.delete(id);
    });
  }

  /** @param width of the window in CSS pixels */
  static async open(width: number): Promise<Page> {
    const folder = mkdtempSync(join(tmpdir(), "mcpgen-browser-"));
    const options = [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-extensions",
    ];
    const child = spawn(
      chromium!,
      [...options, "--remote-debugging-port=0", `--user-data-dir=${folder}`, "about:blank"],
      { stdio: "ignore" },
    );
    const kill = (): void => void child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.off("exit", kill));
    const file = join(folder, "DevToolsActivePort");
    const address = (): string[] => (existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
    await until("the browser listens", () => address().length >= 2, 50);
    const [port, path] = address();
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const page = new Page(child, socket, folder);
    const { targetInfos } = await page.send<{ targetInfos: { type: string; targetId: string }[] }>(
      "Target.getTargets",
    );
    const { targetId } = targetInfos.find(({ type }) => type === "page")!;
    const attached = await page.send<{ sessionId: string }>("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    page.session = attached.sessionId;
    await page.send("Page.enable");
    await page.send("Page.setLifecycleEventsEnabled", { enabled: true });
    await page.resize(width);
    return page;
  }

  /** Changes the size of the window, in CSS pixels. */
  async resize(width: number, height = 720): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: true,
    });
  }

  /** Calls `listener` with each event. */
  onEvent(listener: (event: PageEvent) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  send<Result = unknown>(method: string, params: Params = {}): Promise<Result> {
    const id = ++this.id;
    const sessionId = this.session;
    return new Promise<Result>((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    });
  }

  async url(): Promise<string> {
    const { currentIndex, entries } = await this.send<{ currentIndex: number; entries: { url: string }[] }>(
      "Page.getNavigationHistory",
    );
    return entries[currentIndex]!.url;
  }

  /** Waits until a page whose URL begins with `start` has loaded. */
  async at(start: string): Promise<void> {
    // While a page loads, the browser refuses to evaluate expressions.
    const isThere = async (): Promise<boolean> =>
      (await this.url()).startsWith(start) && (await this.roles()).some(({ role }) => role === "heading");
    await until(`a page at ${start}`, () => isThere().catch(() => false), 50);
  }

  async go(url: string): Promise<void> {
    await this.send("Page.navigate", { url });
  }

  async press(key: keyof typeof keyCodes, modifier?: keyof typeof modifiers): Promise<void> {
    const text = { Enter: "\r", Space: " " }[key as string];
    const event = {
      key: key === "Space" ? " " : key,
      code: key,
      windowsVirtualKeyCode: keyCodes[key],
      modifiers: modifier ? modifiers[modifier] : 0,
      ...(text && { text }),
    };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  /** Presses the key of a letter. */
  async type(letter: string): Promise<void> {
    const event = { key: letter, text: letter, windowsVirtualKeyCode: letter.toUpperCase().charCodeAt(0) };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  }

  /** Returns the accessibility tree. */
  async roles(): Promise<{ readonly role: string; readonly name: string; readonly focused: boolean }[]> {
    interface Node {
      readonly ignored: boolean;
      readonly role?: { readonly value: string };
      readonly name?: { readonly value: string };
      readonly properties?: readonly {
        readonly name: string;
        readonly value: { readonly value?: unknown };
      }[];
    }
    const { nodes } = await this.send<{ nodes: readonly Node[] }>("Accessibility.getFullAXTree");
    return nodes
      .filter(({ ignored }) => !ignored)
      .map(({ role, name, properties = [] }) => ({
        role: role?.value ?? "",
        name: name?.value ?? "",
        focused: properties.some((property) => property.name === "focused" && property.value.value === true),
      }));
  }

  /** Width of the content in CSS pixels. */
  async contentWidth(): Promise<number> {
    const { cssContentSize } = await this.send<{ cssContentSize: { width: number } }>(
      "Page.getLayoutMetrics",
    );
    return cssContentSize.width;
  }

  async screenshot(): Promise<Buffer> {
    const { data } = await this.send<{ data: string }>("Page.captureScreenshot", {
      captureBeyondViewport: true,
    });
    return Buffer.from(data, "base64");
  }

  /** Loads a page. Resolves when its module scripts have run. */
  async load(url: string): Promise<void> {
    const ended = new Set<unknown>();
    let wake = (): void => undefined;
    const stop = this.onEvent(({ method, params }) => {
      if (method === "Page.lifecycleEvent" && params["name"] === "load") ended.add(params["loaderId"]);
      wake();
    });
    const { loaderId } = await this.send<{ loaderId: string }>("Page.navigate", { url });
    while (!ended.has(loaderId)) await new Promise<void>((resolve) => (wake = resolve));
    stop();
  }

  /**
   * Evaluates an expression in the page. Resolves with its value; awaits a promise.
   *
   * @throws {Error} the page threw
   */
  async evaluate<Value = unknown>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.send<{
      result: { value: Value };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    }>("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Returns the URLs of the shown frames of the page. A blocked frame has a URL of the browser. */
  async frames(): Promise<readonly string[]> {
    interface Tree {
      readonly frame: { readonly url: string; readonly unreachableUrl?: string };
      readonly childFrames?: readonly Tree[];
    }
    const { frameTree } = await this.send<{ frameTree: Tree }>("Page.getFrameTree");
    return (frameTree.childFrames ?? []).map(({ frame }) => frame.url);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.session = undefined;
    await this.send("Browser.close");
    await ended;
    this.socket.close();
    // Retry, because the browser's processes end one after another.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 40, retryDelay: 100 });
  }
}
