import type { Side } from "./protocol.js";

interface OpenRequest {
  readonly method: string;
  /** Undefined where the transcript does not name the sender. */
  readonly from: Side | undefined;
}

/** Requests that have no answer yet. Both sides count their ids on their own, so an id may be open twice. */
export class OpenRequests {
  private readonly byId = new Map<string, OpenRequest[]>();

  add(id: unknown, request: OpenRequest): void {
    const key = JSON.stringify(id);
    this.byId.set(key, [...(this.byId.get(key) ?? []), request]);
  }

  /** Takes out the one request that an answer from `from` can belong to; none if several could be it. */
  take(id: unknown, from: Side | undefined): OpenRequest | undefined {
    const key = JSON.stringify(id);
    const open = this.byId.get(key) ?? [];
    const fitting = open.filter((request) => from === undefined || request.from !== from);
    if (fitting.length !== 1) return undefined;
    this.byId.set(
      key,
      open.filter((request) => request !== fitting[0]),
    );
    return fitting[0];
  }
}
