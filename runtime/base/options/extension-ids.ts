import { isObject } from "../jsonrpc/message.js";
import { invalid } from "./option-check.js";

/**
 * The identifiers of extensions that the specification allows: a mandatory prefix, and a name (2026-07-28, basic,
 * `_meta`; SEP-2133). Prefixes whose second label is `mcp` or `modelcontextprotocol` are reserved.
 */
export const extensionIdPattern =
  /^(?!(?!io\.modelcontextprotocol\/)[^./]*\.(?:mcp|modelcontextprotocol)[./])[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/**
 * Checks the identifiers of the extensions in the option `capabilities`.
 *
 * @param capabilities the value of the option
 * @throws {McpError} `invalid-definition`
 */
export function checkExtensionIds(capabilities: unknown): void {
  const extensions: unknown = isObject(capabilities) ? capabilities["extensions"] : undefined;
  for (const id of Object.keys(isObject(extensions) ? extensions : {}))
    if (!extensionIdPattern.test(id))
      throw invalid(
        `capabilities.extensions: ${JSON.stringify(id)} is no identifier of an extension. Write the domain that you own, reversed, and a name: com.example/search.`,
      );
}
