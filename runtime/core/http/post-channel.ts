import type { ReceiveTable } from "@mcpgen/protocol/model";
import type { RequestId } from "../peer/message.js";
import type { Channel, Receiver } from "../transport/channel.js";
import { eventHeaders, eventText } from "./events.js";
import type { EventSink, Exchange } from "./exchange.js";
import type { Accepted } from "./media.js";

/** How answers leave: as JSON unless something precedes the answer, or always in one form. */
export type ResponseForm = "auto" | "json" | "sse";

export const jsonHeaders: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** The channel of one request that stands for itself: its POST. */
export class PostChannel implements Channel {
  private readonly exchange: Exchange;
  private readonly accepted: Accepted;
  private readonly form: ResponseForm;
  private readonly table: ReceiveTable;
  private readonly onStream: (sink: EventSink) => void;
  private sink: EventSink | undefined;
  private over = false;
  /** Called when the answer is out. */
  whenDone: (() => void) | undefined;

  constructor(
    exchange: Exchange,
    accepted: Accepted,
    form: ResponseForm,
    table: ReceiveTable,
    onStream: (sink: EventSink) => void,
  ) {
    this.exchange = exchange;
    this.accepted = accepted;
    this.form = form;
    this.table = table;
    this.onStream = onStream;
  }

  get isDone(): boolean {
    return this.over;
  }

  open(_receiver: Receiver): void {}

  flush(): void {}

  send(text: string): void {
    // Who takes no event stream goes without what precedes the answer.
    if (this.over || !this.accepted.events || this.form === "json") return;
    if (!this.sink) this.onStream((this.sink = this.exchange.openStream(200, eventHeaders)));
    this.sink.write(eventText(text));
  }

  answer(_id: RequestId | undefined, text: string, rpcCode?: number): void {
    if (this.over) return;
    this.over = true;
    this.leave(text, rpcCode);
    this.whenDone?.();
  }

  private leave(text: string, rpcCode: number | undefined): void {
    if (this.sink) {
      this.sink.write(eventText(text));
      return this.sink.end();
    }
    const status = rpcCode === undefined ? 200 : statusOf(rpcCode, this.table);
    const json = this.accepted.json && (this.form !== "sse" || !this.accepted.events || status !== 200);
    if (json) this.exchange.reply(status, jsonHeaders, text);
    else this.exchange.reply(status, eventHeaders, eventText(text));
  }

  async close(): Promise<void> {
    this.over = true;
    this.sink?.end();
  }
}

/** The HTTP status that the tables give an error's code. */
export function statusOf(rpcCode: number, { errors }: ReceiveTable): number {
  for (const name in errors) {
    const { code, http } = errors[name]!;
    if (code === rpcCode) return http ?? 200;
  }
  return 200;
}
