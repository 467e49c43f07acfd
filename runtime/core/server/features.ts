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

/** How the lists of a server are told. */
export interface ListOptions {
  /** Items on a page; all of them without it. */
  readonly pageSize?: number | undefined;
  /** How long and for whom a list may be cached. */
  readonly cache?: CacheHints | undefined;
  /** Whether lists change while the server runs, and clients are told. */
  readonly changing: boolean;
}

/** What serves more than tools: a server of tools alone is bundled without it. */
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
  /** Absent where there are tools alone. */
  others: OtherFeatures | undefined;
  private readonly changes: NotificationBus;
  private readonly changing: boolean;
  /** Notifications that are published when this turn is over: one for all that changed in it. */
  private untold: Set<string> | undefined;

  constructor(options: ListOptions, changes: NotificationBus) {
    const { pageSize, cache } = options;
    this.changing = options.changing;
    this.changes = changes;
    this.tools = new Listing("tools", pageSize, cache);
    this.resources = new Listing("resources", pageSize, cache);
    this.templates = new Listing("resourceTemplates", pageSize, cache);
    this.prompts = new Listing("prompts", pageSize, cache);
  }

  /** What is declared for what there is or was; a kind of which there never was anything is not declared. */
  capabilities(): ServerCapabilities {
    const list = this.changing ? { listChanged: true } : {};
    const completes = [...this.prompts.entries.values(), ...this.templates.entries.values()].some(
      ({ completers }) => Object.keys(completers).length > 0,
    );
    // Clients that were told of a list go on asking for it when its last entry is gone.
    const reads = this.resources.wasFilled || this.templates.wasFilled;
    return {
      ...(this.tools.wasFilled ? { tools: list } : {}),
      ...(reads ? { resources: { ...list, ...(this.changing ? { subscribe: true } : {}) } } : {}),
      ...(this.prompts.wasFilled ? { prompts: list } : {}),
      ...(completes ? { completions: {} } : {}),
    };
  }

  /** Tells clients that a list is another now: once, however much of it changes at a time. */
  changed(kind: "tools" | "resources" | "templates" | "prompts"): void {
    const listing: Listing<Listed & never> = this[kind] as Listing<never>;
    listing.changed();
    if (!this.changing) return;
    if (!this.untold) queueMicrotask(() => this.publish());
    this.untold = (this.untold ?? new Set()).add(kind === "templates" ? "resources" : kind);
  }

  /** Publishes what has not been told yet: who connects now has nothing to hear of it. */
  publish(): void {
    const kinds = this.untold ?? [];
    this.untold = undefined;
    for (const kind of kinds) this.changes.publish({ method: `notifications/${kind}/list_changed` });
  }

  /** The methods that the declared capabilities call for. */
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
