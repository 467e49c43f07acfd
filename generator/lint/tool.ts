import { isJsonObject, pointer } from "@mcpgen/engine";
import { type LintRule, type LintSubject, type Spot, everyProfile, geminiProfiles } from "./rule.js";
import { propertyNames, toolName } from "./spots.js";

/** Rules about names and descriptions. */
export const nameRules: readonly LintRule[] = [
  {
    id: "tool-name-characters",
    profiles: ["claude", "openai", "strict"],
    level: "error",
    reason: "Tool names may contain only ASCII letters, digits, `_` and `-`.",
    fix: "Rename the tool, e.g. `get_weather`.",
    sources: [
      "https://github.com/github/copilot-cli/issues/2581",
      "https://github.com/github/copilot-cli/issues/1879",
      "https://github.com/openai/codex/issues/8174",
    ],
    find: toolName(
      (name) => (name === "" ? "the empty name" : `${characters(name, /[^\w-]/gu)} in the name`),
      (name) => !/^[\w-]+$/.test(name),
    ),
  },
  {
    id: "tool-name-hyphen",
    profiles: [],
    level: "warning",
    reason:
      "Some hosts write `_` in the place of `-`: descriptions that mention the tool then name another one.",
    fix: "Write `_`, e.g. `get_weather`.",
    find: toolName(
      () => "`-` in the name",
      (name) => name.includes("-"),
    ),
  },
  {
    id: "tool-name-start",
    profiles: geminiProfiles,
    level: "error",
    inHosts: true,
    reason:
      "Function names start with a letter or `_`, and may contain only letters, digits, `_`, `.`, `:` and `-`.",
    fix: "Put a word in front of a digit, e.g. `search_21st`; remove other characters.",
    sources: [
      "https://github.com/anomalyco/opencode/issues/16768",
      "https://github.com/NoeFabris/opencode-antigravity-auth/pull/280",
    ],
    find: toolName(
      (name) => {
        if (name === "") return "the empty name";
        return /^[A-Za-z_]/.test(name)
          ? `${characters(name, /[^\w.:-]/gu)} in the name`
          : `${characters(name, /^./u)} at the start of the name`;
      },
      (name) => !/^[A-Za-z_][\w.:-]*$/.test(name),
    ),
  },
  {
    id: "tool-name-length",
    profiles: everyProfile,
    level: "error",
    inHosts: true,
    reason: "Names of more than 64 characters are rejected, and hosts add the server's name in front.",
    fix: "Shorten the name; put details into the description.",
    sources: [
      "https://github.com/ChromeDevTools/chrome-devtools-mcp/issues/1169",
      "https://github.com/barryw/ImmichMCP/issues/4",
      "https://github.com/nanbingxyz/5ire/issues/403",
      "https://github.com/kaitranntt/ccs/issues/219",
    ],
    find: toolName(
      (name) => `a name of ${name.length} characters`,
      (name) => name.length > 64,
    ),
  },
  {
    id: "tool-names-alike",
    profiles: everyProfile,
    level: "warning",
    reason:
      "Some hosts merge names that differ only in case or in `-`, `_` and `.`, and models confuse them.",
    fix: "Rename one of them.",
    several: "almost the same names",
    find: toolName(
      (name, { alike }) =>
        `almost the name of ${alike
          .get(name)!
          .map((other) => JSON.stringify(other))
          .join(", ")}`,
      (name, { alike }) => alike.has(name),
    ),
  },
  {
    id: "argument-name-characters",
    profiles: ["claude"],
    level: "error",
    reason:
      "Argument names have 1 to 64 ASCII letters, digits, `_`, `.` and `-`; properties of nested objects may have any name.",
    fix: "Rename the argument, e.g. `filter.id` for `filter[id]`, and map it in the handler.",
    sources: ["https://github.com/beautyfree/appstore-connect-mcp/issues/2"],
    find: propertyNames("an argument is called", (name) => !/^[\w.-]{1,64}$/.test(name), true),
  },
  {
    id: "no-description",
    profiles: everyProfile,
    level: "warning",
    reason: "A model chooses tools by their descriptions.",
    fix: "Say in a sentence or two what the tool does, and when to use it.",
    find: ({ tool, pointer }) => (tool.description?.trim() ? [] : [{ pointer, message: "no description" }]),
  },
  {
    id: "long-description",
    profiles: ["openai", "strict"],
    level: "warning",
    reason: "Some models accept descriptions of at most 1,024 characters.",
    fix: "Keep the text that helps to choose the tool; move details to the arguments, or to `instructions`.",
    sources: ["https://github.com/modelcontextprotocol/servers/issues/799"],
    find: longerThan(1024),
  },
  {
    id: "cut-description",
    profiles: ["claude"],
    level: "warning",
    reason: "Some hosts cut descriptions after 4,096 characters.",
    fix: "Put the important part first, and move details to the arguments.",
    sources: [
      "https://github.com/anthropics/claude-code/issues/87650",
      "https://github.com/anthropics/claude-code/issues/41593",
    ],
    find: longerThan(4096),
  },
  {
    id: "hidden-characters",
    profiles: everyProfile,
    level: "warning",
    reason: "Invisible characters and characters that reorder text hide from people what a model reads.",
    fix: "Remove them.",
    find: ({ tool, pointer }) =>
      (["name", "title", "description"] as const)
        .filter((member) =>
          /[\p{Cf}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u.test(
            withoutJoined(tool[member] ?? ""),
          ),
        )
        .map((member) => ({
          pointer: `${pointer}/${member}`,
          message: `hidden characters in the ${member}`,
        })),
  },
];

/** The characters of a name that match a pattern, without duplicates, quoted. */
function characters(name: string, pattern: RegExp): string {
  return [...new Set(name.match(pattern))].map((each) => JSON.stringify(each)).join(", ");
}

function longerThan(most: number): LintRule["find"] {
  return ({ tool: { description = "" }, pointer }) =>
    description.length > most
      ? [{ pointer: `${pointer}/description`, message: `a description of ${description.length} characters` }]
      : [];
}

/** Removes the invisible joiners inside emoji, which are legitimate. */
function withoutJoined(text: string): string {
  return text.replace(/(?<=\p{Extended_Pictographic}\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu, "");
}

/** Scopes of OpenID Connect and of the login itself, which grant nothing at a server. */
const ofLogin = new Set(["openid", "profile", "email", "address", "phone", "offline_access"]);

/** Rules about the scopes of a contract's tools. */
export const scopeRules: readonly LintRule[] = [
  {
    id: "scopes-alike",
    profiles: everyProfile,
    level: "warning",
    reason:
      "A misspelt scope is granted to no client, so that no client can call the tool: scopes are compared exactly.",
    fix: "Write the scope as in the other entries, or rename it.",
    several: "almost the same scopes",
    find: scopes(
      (scope, _, { similarScopes }) => similarScopes.has(scope),
      (scope, { similarScopes }) =>
        `the scope ${JSON.stringify(scope)}, almost ${similarScopes
          .get(scope)!
          .map((other) => JSON.stringify(other))
          .join(", ")}`,
    ),
  },
  {
    id: "scope-of-login",
    profiles: everyProfile,
    level: "warning",
    reason:
      "The scope is about the login, not about the server: authorization servers may leave it out of access tokens.",
    fix: "Require a scope of your server. Clients ask for `offline_access` themselves.",
    sources: ["https://modelcontextprotocol.io/seps/2207-oidc-refresh-token-guidance"],
    find: scopes(
      (scope) => ofLogin.has(scope),
      (scope) => `the scope ${JSON.stringify(scope)}`,
    ),
  },
  {
    id: "scope-twice",
    profiles: everyProfile,
    level: "warning",
    reason: "The list has the scope twice: another one may be meant.",
    fix: "Remove it, or write the one that is meant.",
    find: scopes(
      (scope, index, { tool }) => tool.scopes!.indexOf(scope) < index,
      (scope) => `the scope ${JSON.stringify(scope)} twice`,
    ),
  },
];

function scopes(
  is: (scope: string, index: number, subject: LintSubject) => boolean,
  message: (scope: string, subject: LintSubject) => string,
): LintRule["find"] {
  return (subject) =>
    (subject.tool.scopes ?? []).flatMap((scope, index): Spot[] =>
      is(scope, index, subject)
        ? [{ pointer: pointer(subject.pointer, "scopes", index), message: message(scope, subject) }]
        : [],
    );
}

/** Rules about tools that run as tasks. */
export const taskRules: readonly LintRule[] = [
  {
    id: "task-required",
    profiles: everyProfile,
    level: "warning",
    reason: "Most hosts have no tasks, and cannot call a tool that requires them.",
    fix: "Declare `optional`: hosts without tasks then wait for the result, and get its progress.",
    sources: [
      "https://github.com/github/copilot-cli/issues/2538",
      "https://github.com/anthropics/claude-code/issues/76571",
    ],
    find: ({ tool, pointer: at }) => {
      if (tool.task?.support === "required")
        return [{ pointer: pointer(at, "task", "support"), message: "requires tasks" }];
      const { execution } = tool as { readonly execution?: unknown };
      const isRequired =
        isJsonObject(execution as never) &&
        (execution as { taskSupport?: unknown }).taskSupport === "required";
      return isRequired
        ? [{ pointer: pointer(at, "execution", "taskSupport"), message: "requires tasks" }]
        : [];
    },
  },
];
