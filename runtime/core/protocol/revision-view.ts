import type {
  Role,
  SendTable,
  UndefinedMessage,
  Era,
  Issue,
  OpenDefinition,
  Revision,
  Step,
  StepLoss,
  StepRefusal,
  StepReport,
  Steps,
  Alternative,
  MethodFacts,
  OutgoingRequest,
  Refuse,
} from "@mcpgen/protocol/model";
import { invalid, isObject, McpError, type Params, type RequestId, requestOf } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { locateIssue, placeOf, summaryOf } from "@mcpgen/engine/explain";

/** The format of generated tables that this runtime reads. */
const readFormat: number = 1;

/** The name of a step table in `Steps`. */
export type StepKind = Exclude<keyof Steps, "older" | "newer">;

/** One revision as one role uses it: its tables, and the steps between its messages and the authoring vocabulary. */
export class RevisionView<R extends Role = Role> {
  readonly id: string;
  readonly era: Era;
  readonly revision: Revision<R>;
  readonly table: Revision<R>["table"];
  /** Id of the revision in whose words handlers and callers write: the authoring vocabulary. */
  readonly vocabulary: string;
  /** Exact definitions of what is sent, if it is checked. */
  readonly sends: SendTable<R> | undefined;
  /** Errors that a server sends in another form to clients of this revision. */
  refusals: ErrorTable | undefined;
  /**
   * Whether there are steps. Without them, `lift` and `lower` change nothing: requests and their results spare the calls.
   * Only `onReceived` would miss a `lift`, and servers give it results alone.
   */
  readonly translates: boolean;
  /** Steps between the vocabulary and this revision, those beside the vocabulary first. */
  readonly #chain: readonly Steps[];
  readonly #composed: { [Kind in StepKind]?: Map<string, readonly Step[]> } = {};
  readonly #options: ViewOptions;
  /** Whether the last `lower` read the params of the request: its result is not that of another request. */
  hasReadRequest = false;

  /** @throws {McpError} `invalid-definition`: `always`, and the revision has no `sends` */
  constructor(revision: Revision<R>, chain: readonly Steps[], vocabulary: string, options: ViewOptions) {
    this.sends = (isNewer(revision.id, vocabulary) && revision.sends) || sendsOf(revision, options.send);
    this.id = revision.id;
    this.era = revision.era;
    this.revision = revision.completed?.(revision, McpError) ?? revision;
    this.table = this.revision.table;
    this.vocabulary = vocabulary;
    this.translates = chain.length > 0;
    this.#chain = chain;
    this.#options = options;
  }

  /**
   * Translates a received value into the authoring vocabulary.
   *
   * @param request params of the request that a result answers, in the authoring vocabulary
   * @param isNew whether it is reported: one that is read again is not
   * @throws {McpError} `not-expressible`
   */
  lift(kind: StepKind, method: string, value: Params, request?: Params, isNew = true): Params {
    const steps = this.#steps(kind, method);
    let lifted: object = value;
    if (steps.length > 0) {
      const report = this.#report("incoming", method, request, isNew);
      // The steps are in order from the vocabulary to this revision.
      for (let index = steps.length - 1; index >= 0; index--) lifted = steps[index]!(lifted, report);
    }
    if (isNew) this.#options.onReceived?.[kind]?.(method, lifted);
    return lifted as Params;
  }

  /**
   * Translates a value of the application into this revision.
   *
   * @param request params of the request that a result answers, in the authoring vocabulary
   * @param isNew whether losses are reported: those of a value that is translated again are not
   * @throws {McpError} `not-expressible`
   */
  lower(kind: StepKind, method: string, value: Params, request?: Params, isNew = true): Params {
    if (request) this.hasReadRequest = false;
    const steps = this.#steps(kind, method);
    if (steps.length === 0) return value;
    const report = this.#report("outgoing", method, request, isNew);
    let lowered: object = value;
    for (const step of steps) lowered = step(lowered, report);
    return lowered as Params;
  }

  #report(direction: Loss["direction"], method: string, request?: Params, isHeard = true): StepReport {
    const lost: StepReport["lost"] = (loss) =>
      isHeard && this.#options.onLoss?.({ revision: this.id, method, direction, ...loss });
    return new Report(this, lost, request);
  }

  #steps(kind: StepKind, method: string): readonly Step[] {
    if (!this.translates) return none;
    const byMethod = (this.#composed[kind] ??= new Map<string, readonly Step[]>());
    let steps = byMethod.get(method);
    if (!steps) {
      // What this role receives, the other one sends.
      const own = isNewer(this.id, this.vocabulary) ? kindOfPeer(kind) : kind;
      steps = this.#chain.flatMap(({ [own]: table }) => table.get(method) ?? []);
      byMethod.set(method, steps);
    }
    return steps;
  }

  /**
   * The issues of a value that the open reading refuses: all of them if the revision has `explain`, the first otherwise.
   * Never empty.
   */
  async issues(
    value: unknown,
    { accepts, judgeOf = () => accepts }: OpenDefinition,
  ): Promise<readonly Issue[]> {
    // A module that cannot be loaded hides no issue.
    const explanations = await this.revision.explain?.().catch(() => undefined);
    const issues = explanations?.issuesOf(judgeOf(value), value) ?? [];
    return issues.length > 0 ? issues : [locateIssue(accepts, value)];
  }
}

const none: readonly Step[] = [];

/** What the other role calls the step table of this kind. */
function kindOfPeer(kind: StepKind): StepKind {
  return ((kind.startsWith("i") ? "outgoing" : "incoming") + kind.slice(8)) as StepKind;
}

/**
 * A part of a value that the revision of the message, or the vocabulary of a received one, cannot express: it was left
 * out, or another value stands in its place.
 */
export interface Loss extends StepLoss {
  /** The revision of the message. */
  readonly revision: string;
  readonly method: string;
  /** `outgoing`: the peer does not get it. `incoming`: handlers and callers of this side do not. */
  readonly direction: "incoming" | "outgoing";
}

export type LossListener = (loss: Loss) => void;

/** Functions that get the values that are received, in the authoring vocabulary. They never throw. */
export type Received = { readonly [Kind in StepKind]?: (method: string, value: object) => void };

/**
 * When messages are checked against the exact definitions of their revision before they are sent. `development`: unless
 * `NODE_ENV` is `production`, or the platform has no `process`. `always` needs revisions with `sends`. At revisions above the
 * vocabulary that have them, messages are always checked.
 */
export type ValidateSend = "off" | "development" | "always";

/** Errors in another form, for clients before 2026-07-28. `errorTable` makes one. */
export interface ErrorTable {
  /** @internal Checks the table against the revisions of a server, and takes effect there. */
  apply(views: readonly RevisionView<"server">[]): void;
  /** @internal The error in its other form, or as it is. */
  override(name: string, error: McpError, subject: string, available: () => readonly string[]): McpError;
  /** @internal The same for an error of a handler. Its name is its code: `TIMEOUT` for `timeout`. */
  thrown(error: McpError, method: string): McpError;
}

/** The revisions that a server or a client knows. */
export interface KnownRevisions<R extends Role> {
  /** `serverRevisions` or `clientRevisions` of the generated package, or some of them. */
  readonly known: readonly Revision<R>[];
  /**
   * Id of the revision in whose words the program reads and writes, one of `known`. Default: the vocabulary that the tables
   * are generated for, whose types `@mcpgen/protocol/authoring` has. The types do not follow this option.
   */
  readonly vocabulary?: string;
}

/** The revisions that a server knows, and which of them it speaks. */
export interface ServerRevisions extends KnownRevisions<"server"> {
  /**
   * Ids of those to negotiate. Default: all. Prefer this option to a shorter `known`: without the revision of the vocabulary,
   * handlers write in the words of the newest one below it.
   */
  readonly speaks?: readonly string[];
}

/** How revisions are read and written. */
export interface ViewOptions {
  /** Id of the authoring vocabulary: see `linkRevisions`. */
  readonly vocabulary?: string | undefined;
  readonly send?: ValidateSend | undefined;
  readonly onLoss?: LossListener | undefined;
  readonly onReceived?: Received | undefined;
}

/** Hears what the steps of one message cannot carry over. It is made for each message: a literal with a getter takes a microsecond. */
class Report implements StepReport {
  readonly #view: RevisionView;
  readonly #request: Params | undefined;
  readonly lost: StepReport["lost"];

  constructor(view: RevisionView, lost: StepReport["lost"], request: Params | undefined) {
    this.#view = view;
    this.lost = lost;
    this.#request = request;
  }

  get request(): Params | undefined {
    if (this.#request) this.#view.hasReadRequest = true;
    return this.#request;
  }

  refuse({ reason, pointer, code }: StepRefusal): never {
    throw new McpError("not-expressible", pointer === "" ? reason : `${pointer}: ${reason}`, {
      data: { refusal: code, pointer },
    });
  }
}

/** The messages of issues, in three lines at most. */
export function issuesText(issues: readonly Issue[]): string {
  return summaryOf(issues.map(({ message }) => message));
}

/**
 * Links the revisions of one role by their steps, from the authoring vocabulary to older revisions and to newer ones. The
 * vocabulary is `options.vocabulary`; without it, the newest revision that is not above the vocabulary of its tables: only
 * revisions above that have `peerSteps`.
 *
 * @returns the newest first
 * @throws {McpError} `invalid-definition`: there is no revision, one is given twice, one between two others is missing, no
 *   steps lead from one to the vocabulary, or this runtime does not read the format of the tables; or `always`, and a
 *   revision has no `sends`
 */
export function linkRevisions<R extends Role>(
  revisions: readonly Revision<R>[] = [],
  options: ViewOptions,
): readonly RevisionView<R>[] {
  if (!revisions.every((each: unknown) => isObject(each) && isObject(each["table"])))
    throw invalid(
      "revisions: expected tables such as serverRevisions; revision (client) or revisions.speaks (server) takes ids.",
    );
  const newestFirst = [...revisions].sort((one, other) => (isNewer(one.id, other.id) ? -1 : 1));
  const oldest = newestFirst.at(-1);
  if (!oldest)
    throw invalid("options: expected { revisions: serverRevisions }, or clientRevisions for a client.");
  const pinned = newestFirst.find(({ peerSteps }) => !peerSteps)?.id ?? oldest.peerSteps!.older;
  const { vocabulary = pinned } = options;
  const chainOf = ({ id, steps, peerSteps }: Revision<R>): readonly Steps[] => {
    if (id === vocabulary) return [];
    const isAbove = isNewer(id, vocabulary);
    const own = isAbove ? peerSteps : steps;
    const next = isAbove ? peerSteps?.older : steps?.newer;
    if (own && next === vocabulary) return [own];
    const between = newestFirst.find((each) => each.id === next && isNewer(each.id, vocabulary) === isAbove);
    if (!own || !between)
      throw invalid(
        `no steps lead from revision ${id} to ${vocabulary}. ${own ? `Add revision ${next}, which is between them` : "Generate both together"}.`,
      );
    return [...chainOf(between), own];
  };
  return newestFirst.map((revision, index) => {
    const { id, format } = revision;
    if (format !== readFormat)
      throw invalid(
        `the tables of revision ${id} have format ${String(format)}; this runtime reads ${readFormat}. Generate them with the mcpgen of this version.`,
      );
    if (id === newestFirst[index + 1]?.id) throw invalid(`revision ${id} is given twice. Remove one.`);
    return new RevisionView(revision, chainOf(revision), vocabulary, options);
  });
}

/** Whether a revision is newer than another one, by their ids. */
export function isNewer(id: string, other: string): boolean {
  return id > other;
}

/** The definitions to check sent messages by, if they are checked. */
function sendsOf<R extends Role>(
  { id, developmentSends, sends }: Revision<R>,
  check: ValidateSend = "development",
): SendTable<R> | undefined {
  if (check !== "always") return check === "off" ? undefined : developmentSends;
  if (!sends)
    throw invalid(
      `validation.send: revision ${id} is not explained. Pass explained(revisions), of @mcpgen/protocol/explained.`,
    );
  return sends;
}

/**
 * Selects revisions by id. Their messages are still translated through the revisions left out.
 *
 * @param ids all revisions if absent
 * @throws {McpError} `invalid-definition`: `ids` is empty, or an id is not among the revisions, or this runtime has
 *   no code for the handshake of that revision
 */
export function selectRevisions<R extends Role>(
  views: readonly RevisionView<R>[],
  ids: readonly string[] | undefined,
): readonly RevisionView<R>[] {
  const usable = views.filter(hasHandshake);
  const one = `Name one of ${usable.map(({ id }) => id).join(", ")}.`;
  const unknown = ids?.find((id) => !usable.some((each) => each.id === id));
  if (unknown !== undefined)
    throw invalid(
      `revision ${JSON.stringify(unknown)} is not given, or has a handshake that this runtime does not know. ${one}`,
    );
  const selected = ids ? usable.filter(({ id }) => ids.includes(id)) : usable;
  if (selected.length === 0) throw invalid(`no revision is left. ${one}`);
  return selected;
}

/** @throws {McpError} `invalid-definition`: a revision needs a handshake, and the entry of the package has left it out */
export function requireModern(views: readonly RevisionView[]): void {
  const legacy = views.find(({ era }) => era === "legacy");
  if (legacy)
    throw invalid(
      `revisions: ${legacy.id} needs a handshake, which @mcpgen/runtime/modern leaves out. Import @mcpgen/runtime (and @mcpgen/runtime/http), or give modern revisions alone.`,
    );
}

/** Whether the runtime can open a conversation at a revision: a newer one may have another handshake than either era. */
function hasHandshake({ era, table }: RevisionView): boolean {
  const method = era === "legacy" ? "initialize" : "server/discover";
  return table.incomingRequests.has(method) || table.outgoingRequests.has(method);
}

/**
 * The params of a request, for the steps of its result: in the authoring vocabulary, with the members that only the
 * message has. A step to a newer revision may read what the vocabulary does not describe.
 */
export function requestParams(
  message: Params | undefined,
  vocabulary: Params | undefined,
): Params | undefined {
  if (!message || !vocabulary || message === vocabulary) return vocabulary;
  return { ...message, ...vocabulary };
}

/**
 * What the other side has declared, in the authoring vocabulary, and what only its own revision describes: that gates methods
 * which the vocabulary does not have.
 *
 * @param received capabilities as they came
 * @param lifted the same in the authoring vocabulary
 */
export function declaredIn(received: unknown, lifted: unknown): Params {
  if (!isObject(lifted)) return {};
  if (received === lifted || !isObject(received)) return lifted;
  const declared: Record<string, unknown> = { ...lifted };
  for (const [key, value] of Object.entries(received)) {
    const known = lifted[key];
    // A member that is null counts as absent.
    if (known === undefined) declared[key] = value ?? undefined;
    else if (isObject(known)) declared[key] = declaredIn(value, known);
  }
  return declared;
}

/** Whether capabilities have a member at a path that is not null or false. */
export function declares(capabilities: object, path: readonly string[]): boolean {
  let found: unknown = capabilities;
  for (const key of path) found = isObject(found) ? found[key] : undefined;
  return found !== undefined && found !== null && found !== false;
}

/** The error for a method that this role cannot send in this revision. */
export function noSuchMethod(method: string, view: RevisionView): McpError {
  return new McpError("method-not-found", `revision ${view.id} has no ${method}`);
}

/**
 * Whether a method runs tools, which may have effects: it has their capability, and reads no list and nothing that may be
 * cached.
 */
export function runsTools(facts: (MethodFacts & { readonly page?: unknown }) | undefined): boolean {
  return facts?.capability?.path[0] === "tools" && !facts.cacheable && !facts.page;
}

/**
 * Whether a role has declared what a method needs of it. A method that needs a capability of the other role passes.
 *
 * @param declared the capabilities of that role
 */
export function isGranted({ capability }: MethodFacts, of: Role, declared: object): boolean {
  return capability?.of !== of || declares(declared, capability.path);
}

/** Whether a client may get a notification: it has declared what that needs of it. */
export function mayGet(facts: MethodFacts, client: Parameters<Refuse>[0]): boolean {
  return isGranted(facts, "client", client.clientCapabilities) && !facts.refuse?.(client);
}

/**
 * Checks that what a method needs was declared, by either role (lifecycle, operation).
 *
 * @param declaredBy gives the capabilities of a role
 * @throws {McpError} `missing-capability`
 */
export function requireCapability(
  method: string,
  { capability, requires }: MethodFacts,
  declaredBy: (role: Role) => object,
): void {
  for (const needed of [capability, requires]) {
    if (!needed) continue;
    const { of, path } = needed;
    const [first, id] = path;
    const own = declaredBy(of) as Params;
    // What declares an extension is an object, its settings.
    const isExtension = first === "extensions" && id !== undefined;
    const isWrong = isExtension && !isObject((own[first] as Params | undefined)?.[id]);
    if (isWrong || !declares(own, path))
      throw new McpError("missing-capability", `${method}: the ${of} has not declared ${path.join(".")}`);
  }
}

/**
 * The result in place of the plain one that parameters ask for by the member that marks it: `task` (2025-11-25, tasks, creating
 * tasks).
 */
export function askedAlternative(
  { alternatives }: OutgoingRequest,
  params: Params | undefined,
): Alternative | undefined {
  return alternatives?.find((each) => each.value === undefined && hasMark(each, params));
}

/** Whether parameters or a result have the member that marks an alternative to the plain result. */
export function hasMark({ key = "" }: Alternative, value: unknown): boolean {
  return isObject(value) && isObject(value[key]);
}

/**
 * What is wrong with a message that is about to be sent, if what is sent is checked. A method without a definition is not judged.
 *
 * @param value a whole request or notification, or a result without its envelope
 * @returns `invalid-message`; its `data.pointer` is the JSON Pointer of the first wrong place
 */
export function sendError<R extends Role>(
  view: RevisionView<R>,
  kind: Parameters<SendTable["find"]>[0],
  method: string,
  value: unknown,
): McpError | undefined {
  const wrong = view.sends?.find(kind, method, value);
  if (!wrong) return undefined;
  const { message, pointer } = wrongPlace(wrong);
  const what = kind === "results" ? `the result of ${method}` : method;
  const { name } = wrong.definition;
  return new McpError("invalid-message", `${what} is not a ${name} of ${view.id}: ${message}`, {
    rpcCode: rpc.internalError,
    data: { pointer },
  });
}

/** The first wrong place of a message that its definition does not describe. */
export function wrongPlace({ definition, value, pointer }: UndefinedMessage): {
  readonly message: string;
  readonly pointer: string;
} {
  if (pointer !== undefined) return { pointer, message: `${placeOf(pointer)}: expected base64 with padding` };
  return locateIssue(definition.is, value);
}

/**
 * Checks a request of a client, if it checks what it sends.
 *
 * @returns `params`
 * @throws {McpError} `invalid-message`
 */
export function exactParams(
  view: RevisionView<"client">,
  id: RequestId,
  method: string,
  params: Params,
): Params {
  const wrong = view.sends && sendError(view, "requests", method, requestOf(id, method, params));
  if (wrong) throw wrong;
  return params;
}
