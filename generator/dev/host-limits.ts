import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { messagesIn } from "../capture/messages.js";
import { jsonIn } from "../files/json-file.js";
import type { Finding } from "../diagnostics/coded-error.js";
import type { Side } from "../page/browser/dev/messages.js";
import { type HostRow, hostRows } from "../lint/host-rows.js";

/** Milliseconds after which a tool counts as quiet: half of the time after which the first hosts give up. */
const quietMs = 30_000;

type Limits = Pick<HostRow, "title" | "result" | "quiet">;

interface OpenCall {
  readonly tool: string;
  readonly progressToken: JsonValue | undefined;
  readonly timer: NodeJS.Timeout;
}

/** Finds tools whose calls exceed limits of hosts: each tool once. */
export class HostLimits {
  /** Gets the findings. */
  found: (tool: string, finding: Finding) => void = () => {};
  readonly #rows: readonly Limits[];
  readonly #open = new Map<JsonValue | undefined, OpenCall>();
  readonly #reported = new Set<string>();

  constructor(rows: readonly Limits[] = Object.values(hostRows)) {
    this.#rows = rows;
  }

  /** Hears a message of the connection. */
  heard(from: Side, text: string): void {
    for (const message of messagesIn(text)) this.#heard(from, message);
  }

  /** Forgets the open calls: their connection has ended, or the call waits for its user. */
  forget(): void {
    for (const id of [...this.#open.keys()]) this.#end(id);
  }

  #heard(from: Side, { id, method, params, result }: JsonObject): void {
    const given = isJsonObject(params!) ? params : {};
    if (from === "client") {
      if (method === "tools/call") this.#begin(id, given);
      else if (method === "notifications/cancelled") this.#end(given["requestId"]);
    } else if (method === undefined) {
      if (isJsonObject(result!)) this.#judge(this.#open.get(id)?.tool, result);
      this.#end(id);
    }
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

  /** Finds hosts that pass less of a result on to their models, or an error in its place. */
  #judge(tool: string | undefined, { content, structuredContent }: JsonObject): void {
    if (tool === undefined) return;
    const texts = (Array.isArray(content) ? content : []).map((block) =>
      isJsonObject(block) ? String(block["text"] ?? "") : "",
    );
    if (structuredContent === undefined) this.#judgeJson(tool, texts[0] ?? "");
    const length = Math.max(texts.join("").length, JSON.stringify(structuredContent)?.length ?? 0);
    const cutting = this.#rows.flatMap(
      ({ title, result: { text: { whole = 0, cut = Infinity } = {} } = {} }) =>
        length > whole && cut < Infinity ? [`${title} more than ${whole}`] : [],
    );
    if (cutting.length > 0)
      this.#report(
        tool,
        `returned a text of ${length} characters: hosts may cut it, ${cutting.join(", ")}`,
        "Return less: page by page, or with an argument that filters.",
      );
  }

  /** Reports a text that hosts take for structured content, which must be an object. */
  #judgeJson(tool: string, text: string): void {
    const parsed = jsonIn(text);
    const refusing = this.#rows.filter(({ result }) => result?.json === "replaced");
    if (parsed !== undefined && !isJsonObject(parsed) && refusing.length > 0)
      this.#report(
        tool,
        `returned a text that is JSON, but not an object: an error for ${refusing.map(({ title }) => title).join(", ")}`,
        "Return `structuredContent` with an object, or a text that is not JSON.",
      );
  }

  #reportQuiet(tool: string): void {
    const times = this.#rows.flatMap(({ title, quiet = {} }) => {
      const limits = Object.values(quiet).flatMap(({ limit }) => limit ?? []);
      return limits.length === 0 ? [] : [`${title} after ${Math.min(...limits) / 1000} s`];
    });
    this.#report(
      tool,
      `was quiet for ${quietMs / 1000} s: ${["hosts give up", ...times].join(", ")}`,
      "Report progress in its handler, at least every 30 s: `context.progress(done, total)`.",
    );
  }

  /** Reports a finding once, by its advice. */
  #report(tool: string, what: string, next: string): void {
    const key = JSON.stringify([tool, next]);
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    const message = `the tool ${JSON.stringify(tool)} ${what}`;
    this.found(tool, { code: "MG6804", severity: "warning", message, next });
  }
}
