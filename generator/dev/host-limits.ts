import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Finding } from "../diagnostics/coded-error.js";
import type { Side } from "../page/browser/dev/messages.js";
import { parsedText } from "./page/wire-log.js";

/** Milliseconds after which a tool counts as quiet: half of the time after which the first hosts give up. */
const quietMs = 30_000;

interface OpenCall {
  readonly tool: string;
  readonly progressToken: JsonValue | undefined;
  readonly timer: NodeJS.Timeout;
}

/** Finds tools whose calls exceed limits of hosts: each tool once. */
export class HostLimits {
  /** Gets the findings. */
  found: (tool: string, finding: Finding) => void = () => {};
  readonly #open = new Map<JsonValue | undefined, OpenCall>();
  readonly #quiet = new Set<string>();

  /** Hears a message of the connection. */
  heard(from: Side, text: string): void {
    const parsed = parsedText(text);
    for (const message of Array.isArray(parsed) ? parsed : [parsed])
      if (isJsonObject(message!)) this.#heard(from, message);
  }

  /** Forgets the open calls: their connection has ended, or somebody else is waited for. */
  forget(): void {
    for (const id of [...this.#open.keys()]) this.#end(id);
  }

  #heard(from: Side, { id, method, params }: JsonObject): void {
    const given = isJsonObject(params!) ? params : {};
    if (from === "client") {
      if (method === "tools/call") this.#begin(id, given);
      else if (method === "notifications/cancelled") this.#end(given["requestId"]);
    } else if (method === undefined) this.#end(id);
    // The server asks something that a user may answer, who takes time.
    else if (id !== undefined && method !== "ping") this.forget();
    else if (method === "notifications/progress")
      for (const { progressToken, timer } of this.#open.values())
        if (progressToken === given["progressToken"]) timer.refresh();
  }

  #begin(id: JsonValue | undefined, { name, _meta: meta }: JsonObject): void {
    this.#end(id);
    const tool = String(name);
    const progressToken = isJsonObject(meta!) ? meta["progressToken"] : undefined;
    const timer = setTimeout(() => this.#reportQuiet(tool), quietMs).unref();
    this.#open.set(id, { tool, progressToken, timer });
  }

  #end(id: JsonValue | undefined): void {
    clearTimeout(this.#open.get(id)?.timer);
    this.#open.delete(id);
  }

  #reportQuiet(tool: string): void {
    if (this.#quiet.has(tool)) return;
    this.#quiet.add(tool);
    this.found(tool, {
      code: "MG6804",
      severity: "warning",
      message: `the tool ${JSON.stringify(tool)} was quiet for ${quietMs / 1000} s: hosts give up, some after 60 s`,
      next: "Report progress in its handler, at least every 30 s: `context.progress(done, total)`.",
    });
  }
}
