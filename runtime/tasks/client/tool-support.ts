import type { Client } from "@mcpgen/runtime";

type Support = "forbidden" | "optional" | "required";

interface ListedTool {
  readonly name: string;
  readonly execution?: { readonly taskSupport?: Support };
}

/** Which calls of the tools of a server may be tasks, as its list of tools says (2025-11-25, tasks, tool-level negotiation). */
export class ToolSupport {
  readonly #client: Client;
  readonly #tools = new Map<string, Support>();
  #listing: Promise<unknown> | undefined;

  constructor(client: Client) {
    this.#client = client;
    client.on("notifications/tools/list_changed", () => this.forget());
    client.onEvent(({ type }) => {
      if (type === "connection-opened") this.forget();
    });
  }

  forget(): void {
    this.#tools.clear();
    this.#listing = undefined;
  }

  /** @param result one page of a list of tools */
  learn({ tools }: { readonly tools?: readonly ListedTool[] }): void {
    for (const { name, execution } of tools ?? [])
      this.#tools.set(name, execution?.taskSupport ?? "forbidden");
  }

  /** What a tool says. A tool that is not listed is asked for, where its list may leave it out; else it says nothing. */
  async of(name: string): Promise<Support> {
    if (!this.#tools.has(name)) await (this.#listing ??= this.#client.listTools().catch(() => this.forget()));
    if (!this.#tools.has(name)) {
      const tool = await this.#client.entry<ListedTool>("tools/list", name).catch(() => undefined);
      if (this.#listing) this.learn({ tools: [tool ?? { name }] });
    }
    return this.#tools.get(name) ?? "forbidden";
  }
}
