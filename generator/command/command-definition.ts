import type { Options, PositionalOptions } from "yargs";
import { storeKinds } from "../login/auth-package.js";
import type { RunCommand } from "./context.js";

/** One command: its place in the table of commands, and the module of its code. */
export interface CommandDefinition {
  /** Words that select it, e.g. `revision add`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments in order; those with `demandOption` must be given. */
  readonly positionals?: Readonly<Record<string, PositionalOptions>>;
  readonly options?: Readonly<Record<string, Options>>;
  readonly examples?: readonly (readonly [string, string])[];
  /** Loads the code, which `--help` and the other commands never pay for. */
  readonly load: () => Promise<RunCommand>;
}

/** An option with a value. */
export const text = (description: string, more: Options = {}): Options => ({
  type: "string",
  requiresArg: true,
  description,
  ...more,
});
/** One that may be given several times. */
export const texts = (description: string): Options => ({ ...text(description), array: true });
/** An option without a value. */
export const flag = (description: string): Options => ({ type: "boolean", description });

/** The forms of a SOURCE that is a server. */
export const serverSourceText = "http(s)://…, stdio:COMMAND … or a name";

/** The SOURCE of a command that needs a server. */
export const serverSource = { type: "string", description: serverSourceText, demandOption: true } as const;

/** Options of every command that may log in to a server. */
export const loginOptionDefinitions = {
  "token-store": text(
    "Where logins are kept (default: where this login is, else auto: a keychain or files)",
    { choices: storeKinds },
  ),
  "no-browser": flag("Print the address of a login, and open no browser"),
  device: flag("Log in with a code on another device, where the authorization server offers that"),
};

/** Options of every command that speaks with a server. */
export const serverOptionDefinitions = {
  timeout: text("Seconds to wait for a sign of life from the server (default: 60)"),
  header: texts("NAME:VALUE, sent with each request over HTTP; may be repeated"),
  env: texts("Variable that a server which is started is given, NAME or NAME=VALUE; may be repeated"),
  input: texts("ID=VALUE of an ${input:ID} in the host's file that names the server; may be repeated"),
  ...loginOptionDefinitions,
};

/** Options of commands that open a session. The default revision is the newest that both sides know. */
export const sessionOptionDefinitions = {
  revision: text("Revision to speak (default: the newest that both know)"),
  ...serverOptionDefinitions,
};

/** Options of commands that send one request, during which a server may ask its user. */
export const requestOptionDefinitions = {
  output: text("FILE or FOLDER/ that images, sounds and blobs are saved to"),
  replace: flag("Replace files that are there"),
  answer: texts("FIELD=VALUE or FIELD:=JSON for a form of the server; may be repeated"),
  decline: flag("Decline questions without an --answer"),
  ...sessionOptionDefinitions,
};
