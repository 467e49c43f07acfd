import type { ClientEvent, ErrorPlace, Loss, ServerEvent } from "@mcpgen/runtime";

/** Functions for the kinds of events that a test looks at. */
interface Hearing<Event> {
  readonly onWarning?: ((message: string) => unknown) | undefined;
  readonly onError?: ((error: unknown, place: ErrorPlace) => unknown) | undefined;
  readonly onLoss?: ((loss: Loss) => unknown) | undefined;
  readonly onEvent?: ((event: Event) => unknown) | undefined;
}

export function heard<Event extends ServerEvent | ClientEvent = ServerEvent & ClientEvent>(
  hearing: Hearing<Event>,
): (event: ServerEvent | ClientEvent) => true;
