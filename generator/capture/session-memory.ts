import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";

/** The lists whose changes a server reports, with their names in each era. */
const lists = [
  { capability: "tools", filter: "toolsListChanged", method: "notifications/tools/list_changed" },
  { capability: "prompts", filter: "promptsListChanged", method: "notifications/prompts/list_changed" },
  { capability: "resources", filter: "resourcesListChanged", method: "notifications/resources/list_changed" },
] as const;

/** The `_meta` member that assigns a notification to a subscription (2026-07-28, basic/patterns/subscriptions). */
const subscriptionKey = "io.modelcontextprotocol/subscriptionId";

/** Requests by which a client changes its session. Of each key, the last request counts. */
const keeping: Readonly<Record<string, (params: JsonObject) => string>> = {
  "logging/setLevel": () => "level",
  "resources/subscribe": ({ uri }) => `subscription ${JSON.stringify(uri)}`,
};
const forgetting: Readonly<Record<string, (params: JsonObject) => string>> = {
  "resources/unsubscribe": ({ uri }) => `subscription ${JSON.stringify(uri)}`,
};

/**
 * Remembers what a client has agreed with its server, so that another process can replace the server: the
 * handshake of eras with sessions, the log level, subscriptions.
 */
export class SessionMemory {
  #initialize: JsonObject | undefined;
  #initialized = false;
  #capabilities: JsonObject = {};
  #revision: JsonValue | undefined;
  readonly #kept = new Map<string, JsonObject>();
  readonly #listening = new Map<string | number, JsonObject>();
  /** Subscriptions that were reopened, which the client already knows. */
  readonly #reopened = new Set<string | number>();

  /** Records a message of the client. */
  sent(message: JsonObject): void {
    const { method, id, params } = message;
    if (typeof method !== "string") return;
    const given = isJsonObject(params!) ? params : {};
    if (method === "initialize") this.#initialize = message;
    else if (method === "notifications/initialized") this.#initialized = true;
    else if (method === "subscriptions/listen") this.#listening.set(id as string | number, message);
    else if (method === "notifications/cancelled")
      this.#listening.delete(given["requestId"] as string | number);
    const kept = keeping[method]?.(given);
    if (kept !== undefined) this.#kept.set(kept, message);
    const forgotten = forgetting[method]?.(given);
    if (forgotten !== undefined) this.#kept.delete(forgotten);
  }

  /** Whether a request stays open while the client listens. */
  isListening(id: JsonValue | undefined): boolean {
    return this.#listening.has(id as string | number);
  }

  /**
   * Processes a message of the server for the client. Declares that lists may change, because each restart
   * may change them, even if the server's lists are fixed. Returns undefined for a message that the client
   * received before the restart.
   */
  received(message: JsonObject, method: string | undefined): JsonObject | undefined {
    const { id, result, params } = message;
    if (isJsonObject(result!) && isJsonObject(result["capabilities"]!)) {
      const capabilities = withListChanges(result["capabilities"]);
      if (method === "initialize") {
        this.#capabilities = capabilities;
        this.#revision = result["protocolVersion"];
      }
      return { ...message, result: { ...result, capabilities } };
    }
    if ("result" in message || "error" in message) this.#listening.delete(id as string | number);
    if (message["method"] !== "notifications/subscriptions/acknowledged" || !isJsonObject(params!))
      return message;
    const meta = params["_meta"];
    const subscription = (isJsonObject(meta!) ? meta[subscriptionKey] : undefined) as string | number;
    if (this.#reopened.delete(subscription)) return undefined;
    const accepted = isJsonObject(params["notifications"]!) ? params["notifications"] : {};
    return {
      ...message,
      params: { ...params, notifications: { ...accepted, ...this.#asked(subscription) } },
    };
  }

  /** The handshake to repeat with another process; undefined if the client has sent none. */
  get handshake(): { readonly initialize: JsonObject; readonly initialized: boolean } | undefined {
    return this.#initialize && this.#revision !== undefined
      ? { initialize: this.#initialize, initialized: this.#initialized }
      : undefined;
  }

  /** The negotiated revision; undefined without a handshake. */
  get revision(): JsonValue | undefined {
    return this.#revision;
  }

  /** The requests that restore the session's state in another process after the handshake. */
  get state(): readonly JsonObject[] {
    return [...this.#kept.values()];
  }

  /** The open subscriptions, to be sent again with their ids. */
  reopen(): readonly JsonObject[] {
    for (const id of this.#listening.keys()) this.#reopened.add(id);
    return [...this.#listening.values()];
  }

  /** Notifications that lists may have changed, as the client expects them. */
  listChanges(): readonly JsonObject[] {
    const of = (method: string, params?: JsonObject): JsonObject => ({
      jsonrpc: "2.0",
      method,
      ...(params && { params }),
    });
    const session = this.#initialized
      ? lists
          .filter(({ capability }) => isJsonObject(this.#capabilities[capability]!))
          .map(({ method }) => of(method))
      : [];
    const streams = [...this.#listening.keys()].flatMap((id) =>
      lists
        .filter(({ filter }) => this.#asked(id)[filter] === true)
        .map(({ method }) => of(method, { _meta: { [subscriptionKey]: id } })),
    );
    return [...session, ...streams];
  }

  /** The members of a subscription's filter that select list changes. */
  #asked(id: string | number): JsonObject {
    const params = this.#listening.get(id)?.["params"];
    const wanted = isJsonObject(params!) ? params["notifications"] : undefined;
    if (!isJsonObject(wanted!)) return {};
    return Object.fromEntries(
      lists.flatMap(({ filter }) => (wanted[filter] === true ? [[filter, true] as const] : [])),
    );
  }
}

function withListChanges(capabilities: JsonObject): JsonObject {
  const changed = lists.flatMap(({ capability }) => {
    const declared = capabilities[capability];
    return isJsonObject(declared!) ? [[capability, { ...declared, listChanged: true }] as const] : [];
  });
  return { ...capabilities, ...Object.fromEntries(changed) };
}
