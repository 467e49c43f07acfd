/**
 * The option `onEvent` of a server or a client that calls a function for each kind of event that a test looks at. Nothing is written to
 * standard error.
 */
export function heard({ onWarning, onError, onLoss, onEvent }) {
  return (event) => {
    onEvent?.(event);
    if (event.type === "warning") onWarning?.(event.message);
    if (event.type === "handler-error") {
      const { error, method, name } = event;
      onError?.(error, name === undefined ? { method } : { method, name });
    }
    if (event.type === "loss") {
      const { type: _, principal: _principal, sessionId: _session, ...loss } = event;
      onLoss?.(loss);
    }
    return true;
  };
}
