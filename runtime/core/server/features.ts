import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { Params } from "../jsonrpc/message.js";
import { invalidParams } from "../jsonrpc/errors.js";
import type { NotificationBus } from "./changes.js";
import type { CompleteParams, complete } from "./completion.js";
import type { RequestContext } from "./context.js";
import type { MethodHandler } from "./server-definition.js";
import { type Listed, Listing } from "./listing.js";
import type { CacheHints } from "./result.js";
import type { PromptEntry, getPrompt } from "./prompts.js";
import type { ResourceEntry, TemplateEntry, readResource } from "./resources.js";
import { type ToolEntry, callTool } from "./tools.js";

/** Options of the lists of a server. */
export interface ListOptions {
  /** Items on a page. Default: all. */
  readonly pageSize?: number | undefined;
  /** How long and for whom a list may be cached. */
  readonly cache?: CacheHints | undefined;
  /** Whether lists may change while the server runs; clients are then notified. */
  readonly changing: boolean;
}

/** Handlers of resources, prompts and completions. A server of tools alone is bundled without them. */
export interface OtherFeatures {
  readonly readResource: typeof readResource;
  readonly getPrompt: typeof getPrompt;
  readonly complete: typeof complete;
}

/** Tools, resources, templates and prompts, and the methods that serve them. */
export class Features {
  readonly tools: Listing<ToolEntry>;
  readonly resources: Listing<ResourceEntry>;
  readonly templates: Listing<TemplateEntry>;
  readonly prompts: Listing<PromptEntry>;
  /** Absent in a server of tools alone. */
  others: OtherFeatures | undefined;
  private readonly changes: NotificationBus;
  private readonly changing: boolean;
  /** Kinds that have changed in this turn: each is published once, at the end of the turn. */
  private unpublished: Set<string> | undefined;

  constructor(options: ListOptions, changes: NotificationBus) {
    const { pageSize, cache } = options;
    this.changing = options.changing;
    this.changes = changes;
    this.tools = new Listing("tools", pageSize, cache);
    this.resources = new Listing("resources", pageSize, cache);
    this.templates = new Listing("resourceTemplates", pageSize, cache);
    this.prompts = new Listing("prompts", pageSize, cache);
  }

  /** The capabilities for the kinds that have or had entries. */
  capabilities(): ServerCapabilities {
    const list = this.changing ? { listChanged: true } : {};
    const completes = [...this.prompts.entries.values(), ...this.templates.entries.values()].some(
      ({ completers }) => Object.keys(completers).length > 0,
    );
    // Clients keep requesting a list that was declared, even when its last entry has been removed.
    const reads = this.resources.wasFilled || this.templates.wasFilled;
    return {
      ...(this.tools.wasFilled ? { tools: list } : {}),
      ...(reads ? { resources: { ...list, ...(this.changing ? { subscribe: true } : {}) } } : {}),
      ...(this.prompts.wasFilled ? { prompts: list } : {}),
      ...(completes ? { completions: {} } : {}),
    };
  }

  /** Notifies clients that a list has changed: once for all changes of a turn. */
  changed(kind: "tools" | "resources" | "templates" | "prompts"): void {
    const listing: Listing<Listed & never> = this[kind] as Listing<never>;
    listing.changed();
    if (!this.changing) return;
    if (!this.unpublished) queueMicrotask(() => this.publish());
    this.unpublished = (this.unpublished ?? new Set()).add(kind === "templates" ? "resources" : kind);
  }

  /** Publishes the pending changes. A client that connects afterwards does not get them. */
  publish(): void {
    const kinds = this.unpublished ?? [];
    this.unpublished = undefined;
    for (const kind of kinds) this.changes.publish({ method: `notifications/${kind}/list_changed` });
  }

  /** The methods that the declared capabilities require. */
  handlers({ tools, resources, prompts, completions }: ServerCapabilities): [string, MethodHandler][] {
    const list =
      (listing: Listing<never>): MethodHandler =>
      ({ cursor }: Params, context: RequestContext) =>
        listing.page(cursor, context);
    return [
      ...(tools
        ? ([
            ["tools/list", list(this.tools as Listing<never>)],
            ["tools/call", this.call],
          ] as const)
        : []),
      ...(resources
        ? ([
            ["resources/list", list(this.resources as Listing<never>)],
            ["resources/templates/list", list(this.templates as Listing<never>)],
            ["resources/read", this.read],
          ] as const)
        : []),
      ...(prompts
        ? ([
            ["prompts/list", list(this.prompts as Listing<never>)],
            ["prompts/get", this.get],
          ] as const)
        : []),
      ...(completions ? ([["completion/complete", this.complete]] as const) : []),
    ].map(([method, handler]) => [method, handler as MethodHandler]);
  }

  private readonly call: MethodHandler = (params: never, context) => callTool(this.tools, params, context);
  private readonly read: MethodHandler = (params: never, context) =>
    this.others!.readResource(this.resources, this.templates, params, context);
  private readonly get: MethodHandler = (params: never, context) =>
    this.others!.getPrompt(this.prompts, params, context);

  private readonly complete: MethodHandler = (params: CompleteParams, context: RequestContext) => {
    const { type, name = "", uri = "" } = params.ref;
    if (type === "ref/prompt") {
      const prompt = this.prompts.find(name, context);
      if (!prompt) throw invalidParams(`there is no prompt ${JSON.stringify(name)}`);
      const names = prompt.definition.arguments?.map((argument) => argument.name) ?? [];
      return this.others!.complete(params, names, prompt.completers, context);
    }
    const found = this.templates.find(uri, context);
    if (!found) throw invalidParams(`there is no resource template ${JSON.stringify(uri)}`);
    return this.others!.complete(params, found.template.variables, found.completers, context);
  };
}
