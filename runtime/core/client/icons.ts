import type { Icon } from "@mcpgen/protocol/authoring";

const safe = new Set(["https:", "data:"]);

/**
 * The icons that may be shown: those at `https:` and `data:` URIs (2025-11-25 on, basic, icons). All others
 * must not be followed. Lists hold icons as the server sent them; call this before one is fetched or drawn,
 * fetch without credentials, and follow no redirect to another origin.
 */
export function safeIcons(icons: readonly Icon[] = []): Icon[] {
  return icons.filter(({ src }) => URL.canParse(src) && safe.has(new URL(src).protocol));
}
