import type {
  Around,
  Explanation,
  Extension,
  ExtensionContext,
  ExtensionHandler,
  ExtensionListener,
  ExtensionTypes,
  ResultHints,
  Role,
  UsedExtension,
} from "./model.js";
import { memberCheck } from "./extending/added-members.js";
import { extend } from "./extending/extend.js";

// Extensions as programs use them: elements of the option `extensions`.

/** An extension as a server uses it. */
export interface ServerExtension<Types extends ExtensionTypes>
  extends Extension<"server">, UsedExtension<"server", unknown, MembersOf<Types>> {
  /**
   * Returns the extension with the handlers of its methods, as an element of the option `extensions`.
   *
   * @param handlers of all requests of clients that the settings do not switch off
   */
  implement<Context = ExtensionContext>(
    handlers: Handlers<Types["clientRequests"], Context, Types["optional"] & string>,
    ...options: OptionsOf<
      Given<Types["serverSettings"], Types["clientNotifications"], Context> & {
        /** Cache hints for all cacheable results of the extension. Default: clients do not cache them. */
        readonly cache?: ResultHints;
      }
    >
  ): UsedExtension<"server", Context, MembersOf<Types>>;
}

/** An extension as a client uses it. */
export interface ClientExtension<Types extends ExtensionTypes>
  extends Extension<"client">, UsedExtension<"client", unknown, MembersOf<Types>> {
  /**
   * Returns the extension with the handlers of its methods, as an element of the option `extensions`.
   *
   * @param handlers of all requests of servers that the settings do not switch off
   */
  implement<Context = ExtensionContext>(
    handlers: Handlers<Types["serverRequests"], Context, Types["optional"] & string>,
    ...options: OptionsOf<Given<Types["clientSettings"], Types["serverNotifications"], Context>>
  ): UsedExtension<"client", Context, MembersOf<Types>>;
}

type MembersOf<Types> = Types extends { readonly members: infer Members } ? Members : unknown;

/** The options of `implement`. */
export type Given<Settings, Notifications, Context> = ([Settings] extends [undefined]
  ? { readonly settings?: undefined }
  : Record<never, never> extends Settings
    ? { readonly settings?: Settings }
    : { readonly settings: Settings }) & {
  /** Listeners of notifications, by method. */
  readonly on?: {
    readonly [Method in keyof Notifications]?: ExtensionListener<ParamsOf<Notifications[Method]>>;
  };
  /** Middleware for requests, by method. */
  readonly around?: { readonly [method: string]: Around<Context> };
};

/** The options may be left out unless they hold settings with a required member. */
export type OptionsOf<Options> = object extends Options ? [options?: Options] : [options: Options];

/** Handlers of requests, by method. */
export type Handlers<Requests, Context, Optional extends string> = {
  readonly [Method in Exclude<keyof Requests, Optional>]: HandlerOf<Requests[Method], Context>;
} & {
  readonly [Method in keyof Requests & Optional]?: HandlerOf<Requests[Method], Context>;
};

type HandlerOf<Request, Context> = Request extends {
  readonly result: infer Result;
}
  ? ExtensionHandler<ParamsOf<Request>, Result & object, Context>
  : never;

type ParamsOf<Message> = Message extends { readonly params: infer Params } ? NonNullable<Params> : never;

/** An extension as a server uses it. */
export function serverExtension<Types extends ExtensionTypes>(
  extension: Extension<"server">,
): ServerExtension<Types> {
  return usable(extension) as ServerExtension<Types>;
}

/** An extension as a client uses it. */
export function clientExtension<Types extends ExtensionTypes>(
  extension: Extension<"client">,
): ClientExtension<Types> {
  return usable(extension) as ClientExtension<Types>;
}

/**
 * Returns the extension with its `explain` modules, which report every issue of a message, and with the exact
 * definitions, which also check what production code sends.
 *
 * @param bases the explanations by the id of the base revision
 */
export function explainedExtension<Used extends Extension>(
  extension: Used,
  bases: ReadonlyMap<string, Explanation>,
): Used {
  const tables = [...extension.bases].map(([base, table]) => {
    const { explain, sends } = bases.get(base)!;
    return [base, { ...table, explain, sends: sends[extension.role] }] as const;
  });
  return usable({ ...extension, bases: new Map(tables) } as Extension) as Used;
}

interface AnyGiven {
  readonly settings?: object;
  readonly on?: UsedExtension["listeners"];
  readonly around?: UsedExtension["around"];
  readonly cache?: ResultHints;
}

function usable<R extends Role>(extension: Extension<R>): object {
  const wrongMember = memberCheck(extension);
  const use = (handlers: UsedExtension["handlers"], given: AnyGiven = {}): UsedExtension<R> => {
    const { settings, on = {}, around = {}, cache, ...others } = given;
    return {
      extension,
      settings,
      handlers,
      listeners: on,
      around,
      cache,
      unknownOptions: Object.keys(others),
      extend,
      wrongMember,
    };
  };
  return { ...extension, ...use({}), implement: use };
}
