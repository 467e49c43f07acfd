import { createInterface } from "node:readline";
import { Authorization } from "../login/authorization.js";
import { serversAmong, scopesOf } from "../login/variables.js";
import type { Arguments, CommandContext } from "./command.js";
import { CodedError } from "../diagnostics/coded-error.js";
import type {
  AuthPackage,
  DevicePrompt,
  LoginFacts,
  Redirect,
  RedirectReceiver,
  StoreKind,
} from "../login/token-stores.js";
import { printable } from "../print/terminal-text.js";
import { type Terminal, canAsk } from "./console.js";

/**
 * Builds the authorization of a command's requests from its options. It has an interactive login only if the
 * command may ask questions, or if the browser alone is enough (`opensBrowser`).
 */
export function authorizationOf(
  args: Arguments,
  context: CommandContext,
  opensBrowser = false,
): Authorization {
  const { env, directory, console, terminal, words } = context;
  const asks = opensBrowser || canAsk(context);
  const show = (text: string): void => console.error(text);
  return new Authorization({
    env,
    directory,
    typed: serversAmong(words),
    store: args.string("token-store") as StoreKind | undefined,
    revision: args.string("revision"),
    scopes: args.strings("scope") ?? scopesOf(env) ?? [],
    redirect: asks ? loginRedirect(terminal, !args.flag("no-browser"), show) : undefined,
    device: asks && args.flag("device") ? (prompt) => show(deviceText(prompt)) : undefined,
    note: (text) => console.note(text),
  });
}

/**
 * Logs a user in. Shows which server requests which access, opens the browser, and waits for the redirect to
 * this machine. At a terminal, the user may instead paste the redirect URL, since the browser may run on
 * another machine.
 *
 * @param browser whether to open one
 * @param show prints a text to the user
 */
function loginRedirect(
  terminal: Terminal | undefined,
  browser: boolean,
  show: (text: string) => void,
): (auth: AuthPackage) => Redirect {
  return (auth) => async (server, signal) => {
    const made = auth.loopback({ port: "stable", ...(!browser && { open: () => {} }) });
    const receiver = typeof made === "function" ? await made(server, signal) : made;
    return {
      uri: receiver.uri,
      receive: (url, facts, within) => {
        const pastes = terminal !== undefined;
        const announce = (): void => show(description(server, url, facts, { browser, pastes }));
        if (terminal) return received(receiver, terminal, announce, url, facts, within);
        announce();
        return receiver.receive(url, facts, within);
      },
      close: () => receiver.close?.(),
    };
  };
}

/** How the user gets to the page of a login, and back. */
interface Way {
  readonly browser: boolean;
  /** Whether an address can be pasted. */
  readonly pastes: boolean;
}

function description(server: string, url: string, facts: LoginFacts, { browser, pastes }: Way): string {
  const lines = [
    `${server} asks for a login.`,
    ...factLines(facts),
    browser ? "The browser opens this address:" : "Open this address in a browser:",
    `  ${url}`,
    pastes
      ? "If the browser runs on another machine, paste the address that it shows after the login. Waiting …"
      : "Waiting …",
  ];
  return lines.map(printable).join("\n");
}

/** Text for a user who logs in on another device (device flow). */
function deviceText({ userCode, verificationUri, verificationUriComplete, ...facts }: DevicePrompt): string {
  const lines = [
    `${facts.resource} asks for a login.`,
    ...factLines(facts),
    `Open ${verificationUri} on any device, and enter the code ${userCode}`,
    ...(verificationUriComplete === undefined ? [] : [`or open ${verificationUriComplete}`]),
    "Waiting …",
  ];
  return lines.map(printable).join("\n");
}

function factLines({ issuer, resource, scopes }: LoginFacts): string[] {
  return [
    `  login at: ${new URL(issuer).host}`,
    `  resource: ${resource}`,
    `  scopes:   ${scopes.length > 0 ? scopes.join(" ") : "those that the server grants by default"}`,
  ];
}

async function received(
  receiver: RedirectReceiver,
  { input, output }: Terminal,
  announce: () => void,
  url: string,
  facts: LoginFacts,
  signal: AbortSignal,
): Promise<string> {
  const reader = createInterface({ input, output: undefined, terminal: false });
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  // A terminal in its usual mode turns Ctrl-C into a signal; the line reader does not see it as a key.
  // Aborting lets the login release its lock and its port.
  const interrupted = (): void => done.abort();
  process.on("SIGINT", interrupted);
  const pasted = new Promise<string>((resolve, reject) => {
    reader.on("line", (line) => {
      const text = line.trim();
      if (URL.canParse(text) && text.startsWith(receiver.uri.split("?")[0]!)) resolve(text);
      else if (text !== "") output.write("This is not the address that the browser shows after the login.\n");
    });
    either.addEventListener("abort", () => reject(cancelled()), { once: true });
  });
  try {
    // Announce only now that Ctrl-C and pasted input are handled: the user may answer at once.
    announce();
    return await Promise.race([receiver.receive(url, facts, either), pasted]);
  } finally {
    process.off("SIGINT", interrupted);
    done.abort();
    reader.close();
    input.pause();
  }
}

function cancelled(): CodedError {
  return new CodedError("MG2016", "the login was left", { next: "Run the command again." });
}
