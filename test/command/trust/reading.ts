/** Commands that read, as a user types them in a folder that was cloned. */
export const reading: readonly (readonly [line: string, worksWithout: boolean])[] = [
  ["lint a.yaml", true],
  ["docs a.yaml", true],
  ["docs a.yaml --format markdown", true],
  ["docs 2025-11-25", false],
  ["list a.yaml", true],
  ["list", true],
  ["diff a.yaml b.yaml", true],
  ["diff a.yaml b.yaml --uses src", true],
  ["validate session.jsonl --revision 2025-11-25", true],
  ["lint --code src", true],
  ["check --offline", false],
  ["check", false],
  ["generate --dry-run", false],
  ["generate --check", false],
  ["generate --contract a.yaml --out gen --dry-run", true],
  ["sync --check", false],
  ["sync --dry-run", false],
  ["package docker --dry-run", false],
  ["revision list", true],
  ["revision verify", false],
  ["revision vocabulary 2025-11-25 --dry-run", false],
  ["extension list", true],
  ["extension verify", false],
  ["upgrade a.yaml --name x --dry-run", false],
  ["init server new --yes --dry-run", true],
  ["init server . --contract a.yaml --dry-run", true],
  ["trust --print", true],
  ["trust", false],
  ["task list", true],
  ["auth status", true],
  ["explain MG2105", true],
];

/** Commands that `reading` has no line for. */
export const others: readonly string[] = [
  // They speak with a server, log in to one, or serve a page.
  ...[
    "call",
    "read",
    "prompt",
    "capture",
    "login",
    "logout",
    "task get",
    "task result",
    "task cancel",
    "dev",
    "host test",
  ],
  // They write what their arguments name.
  ...["revision add", "extension add", "extension remove", "init client"],
];
