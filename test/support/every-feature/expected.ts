import { expect } from "vitest";
import type { Tour } from "./tour.js";

const failed = { failed: expect.any(String) as string };

/** Returns `value` at revisions from `since` on, `otherwise` at earlier ones. */
function from<T>(revision: string, since: string, value: T, otherwise: unknown): T {
  return revision >= since ? value : (otherwise as T);
}

/** Returns the expected result of the tour of `everyFeature` at a revision. */
export function expectedTour(revision: string): Tour {
  const audio = from(revision, "2025-03-26", "audio", "text");
  const link = from(revision, "2025-06-18", "resource_link", "text");
  return {
    tools: [
      ...["add", "media", "work", "fail", "wait"],
      ...["greet", "choose", "gather", "visit", "summarise", "folders", "change"],
    ],
    sum: { sum: 5 },
    kinds: ["text", "image", audio, "resource", link],
    failed: true,
    progress: [1, 2],
    logged: [["warning", { almost: "there" }]],
    cancelled: "cancelled",
    greeted: from(revision, "2025-06-18", "started: hello Ada", failed),
    visited: from(revision, "2025-11-25", "accept", failed),
    chosen: from(revision, "2025-11-25", "decline", failed),
    gathered: "1 test",
    summary: JSON.stringify({ type: "text", text: "short" }),
    folders: "file:///work",
    note: [{ uri: "note://one", mimeType: "text/plain", text: "first note" }],
    named: [{ uri: "note://named/other", text: "note of other" }],
    // 2026-07-28 uses a code of JSON-RPC instead.
    missing: from(revision, "2026-07-28", "resource-not-found -32602", "resource-not-found -32002"),
    templates: ["note://named/{name}"],
    suggestions: [["tides", "time"], ["one"]],
    prompts: ["write", "show"],
    prompt: [{ role: "user", content: { type: "text", text: "Write about tides." } }],
    shown: [audio, link],
    changes: [
      "notifications/prompts/list_changed",
      "notifications/resources/list_changed",
      "notifications/resources/updated note://one",
      "notifications/tools/list_changed",
    ],
  };
}
