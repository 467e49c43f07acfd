import type { ClientEvent, ErrorPlace, Loss, ServerEvent } from "@mcpgen/runtime";

/** Functions for the kinds of events that a test looks at. */
interface Hearing<Event> {
  readonly warning?: ((message: string) => unknown) | undefined;
  readonly handlerError?: ((error: unknown, place: ErrorPlace) => unknown) | undefined;
  readonly loss?: ((loss: Loss) => unknown) | undefined;
  /** Gets every event. */
  readonly event?: ((event: Event) => unknown) | undefined;
}

export function heard<Event extends ServerEvent | ClientEvent = ServerEvent & ClientEvent>(
  hearing: Hearing<Event>,
): (event: ServerEvent | ClientEvent) => true;
