import { isObject } from "../jsonrpc/message.js";

/** Whether capabilities hold something at a path that is not turned off. */
export function declares(capabilities: object, path: readonly string[]): boolean {
  let found: unknown = capabilities;
  for (const key of path) found = isObject(found) ? found[key] : undefined;
  return found !== undefined && found !== null && found !== false;
}
