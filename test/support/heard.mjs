/**
 * The option `onEvent` of a server or a client that calls a function for each kind of event that a test looks at. Nothing is written to
 * standard error.
 */
export function heard({ warning, handlerError, loss, event: every }) {
  return (event) => {
    every?.(event);
    if (event.type === "warning") warning?.(event.message);
    if (event.type === "handler-error") {
      const { error, method, name } = event;
      handlerError?.(error, name === undefined ? { method } : { method, name });
    }
    if (event.type === "loss") {
      const { type: _, principal: _principal, sessionId: _session, ...lost } = event;
      loss?.(lost);
    }
    return true;
  };
}
