import { createPrivateKey } from "node:crypto";
import { resolve } from "node:path";
import { isJsonObject } from "@mcpgen/engine";
import { parsedText } from "../files/json-file.js";
import { readRegularFile } from "../files/regular-file.js";
import { secrets } from "../secrets/secrets.js";
import type { AuthPackage, Authorizer } from "./token-stores.js";
import {
  type Aim,
  type Environment,
  ServerAim,
  isConfidential,
  exceptionsOf,
  issuerOf,
  networkOf,
  scopesOf,
  serverOf,
  variable,
  wrong,
  longestCredential,
} from "./variables.js";
import { networkFetch } from "../files/proxies.js";

/**
 * Credentials from the environment for one server. They are bound to a destination: that server, or an
 * issuer.
 */
export interface GivenCredentials {
  /** Names of the variables, for messages. */
  readonly from: string;
  authorizer(auth: () => Promise<AuthPackage>): Promise<Authorizer>;
}

/** The permitted destinations of credentials, and the rest of the environment. */
interface Given {
  readonly env: Environment;
  readonly directory: string;
  readonly server: string;
  /** Whether the server is the destination of the environment's tokens. */
  readonly aim: Aim;
  /** The only issuer that receives credentials. */
  readonly issuer: string | undefined;
}

/** Kinds of credentials by precedence. A client id alone is only for a login. */
const kinds: readonly ((given: Given) => GivenCredentials | undefined)[] = [
  fixedToken,
  platformAssertion,
  clientCredentials,
  githubJob,
];

/**
 * Finds the environment's credentials for a server: a token, a platform's assertion, a client with a secret
 * or key, or the identity of a GitHub Actions job.
 *
 * @param directory folder that relative paths start from
 * @param typed the server URLs on the command line
 * @throws CodedError MG2017 for variables that are malformed, contradict each other, or do not state their
 * destination
 */
export function credentialsOf(
  env: Environment,
  directory: string,
  server: string,
  typed: readonly string[],
): GivenCredentials | undefined {
  const aim = new ServerAim(serverOf(env), typed).of(server);
  const given: Given = { env, directory, server, aim, issuer: issuerOf(env) };
  for (const kind of kinds) {
    const found = kind(given);
    if (found) return found;
  }
  return undefined;
}

/** A token that is sent unchanged; a rejection is final. */
function fixedToken({ env, server, aim }: Given): GivenCredentials | undefined {
  const token = variable(env, "MCPGEN_TOKEN");
  if (token === undefined) return undefined;
  if (!/^[\x21-\x7e]+$/.test(token))
    throw wrong("MCPGEN_TOKEN holds characters that no token has", "Check it for line ends and spaces.");
  const authorize: Authorizer["authorize"] = ({ url, attempt }) => {
    if (attempt > 0) return undefined;
    if (new URL(url).origin !== new URL(server).origin)
      throw wrong("MCPGEN_TOKEN is for another server", "Give the URL to which the server redirects.");
    if (!isConfidential(new URL(url)))
      throw wrong("MCPGEN_TOKEN is not sent over http", "Give the URL with https.");
    return { authorization: `Bearer ${token}` };
  };
  return aimed("MCPGEN_TOKEN", aim, server, async () => ({ authorize }));
}

/** The grant jwt-bearer with a JWT that the platform provides in a file. */
function platformAssertion(given: Given): GivenCredentials | undefined {
  const { env, directory } = given;
  const file = variable(env, "MCPGEN_ASSERTION_FILE");
  if (file === undefined) return undefined;
  const assertion = async (): Promise<string> =>
    readCredential(resolve(directory, file), "MCPGEN_ASSERTION_FILE").trim();
  return workload("MCPGEN_ASSERTION_FILE", given, assertion);
}

/** The client credentials grant. */
function clientCredentials(given: Given): GivenCredentials | undefined {
  const { env, directory, server } = given;
  const secret = variable(env, "MCPGEN_CLIENT_SECRET");
  const keyFile = variable(env, "MCPGEN_CLIENT_KEY_FILE");
  if (secret !== undefined && keyFile !== undefined)
    throw wrong("MCPGEN_CLIENT_SECRET and MCPGEN_CLIENT_KEY_FILE are both set", "Unset one.");
  if (secret === undefined && keyFile === undefined) return undefined;
  const from = secret === undefined ? "MCPGEN_CLIENT_KEY_FILE" : "MCPGEN_CLIENT_SECRET";
  const id = variable(env, "MCPGEN_CLIENT_ID");
  if (id === undefined)
    throw wrong(`${from} is set, and MCPGEN_CLIENT_ID is not`, "Set MCPGEN_CLIENT_ID, too.");
  const options = { ...shared(given, from), id };
  return aimed(`MCPGEN_CLIENT_ID and ${from}`, boundBy(given), server, async (auth) => {
    const proof = secret === undefined ? { key: keyOf(resolve(directory, keyFile!)) } : { secret };
    return (await auth()).clientCredentials({ ...options, ...proof });
  });
}

/** The identity of a CI job. Every job can have one, so only MCPGEN_ISSUER makes it a credential. */
function githubJob(given: Given): GivenCredentials | undefined {
  const { env, issuer } = given;
  if (issuer === undefined) return undefined;
  const assertion = jobOf(env, issuer);
  return assertion && workload("the identity of this job of GitHub Actions", given, assertion);
}

function workload(
  from: string,
  given: Given,
  assertion: () => Promise<string>,
): GivenCredentials | undefined {
  const clientId = variable(given.env, "MCPGEN_CLIENT_ID");
  const options = { ...shared(given, from), assertion, ...(clientId !== undefined && { clientId }) };
  return aimed(from, boundBy(given), given.server, async (auth) => (await auth()).workloadIdentity(options));
}

/**
 * Options of all flows without a user.
 *
 * @throws CodedError MG2017 if the issuer for the credentials is not given
 */
function shared({ env, issuer }: Given, from: string): object {
  if (issuer === undefined)
    throw wrong(
      `${from} is set, and MCPGEN_ISSUER is not: no authorization server gets it`,
      "Set MCPGEN_ISSUER to the issuer that knows the client; credentials go to no other.",
    );
  const scopes = scopesOf(env);
  return { issuer, ...(scopes && { scopes }), ...networkOf(env), ...exceptionsOf(env) };
}

/**
 * Tokens of an issuer are bound to their server by the parameter `resource`. Without it, they are treated
 * like a given token.
 */
function boundBy({ env, aim }: Given): Aim {
  return variable(env, "MCPGEN_RESOURCE") === undefined ? "this" : aim;
}

/**
 * Sends credentials only to their server. If no server is named, nothing is sent, and a rejection explains
 * what is missing.
 */
function aimed(
  from: string,
  aim: Aim,
  server: string,
  authorizer: GivenCredentials["authorizer"],
): GivenCredentials | undefined {
  if (aim === "other") return undefined;
  if (aim === "this") return { from, authorizer };
  const withheld: Authorizer = {
    authorize({ refused }) {
      if (!refused) return {};
      const { origin, pathname } = new URL(server);
      throw wrong(
        `${from} is set, and nothing says that it is for this server`,
        `Set MCPGEN_SERVER to the URL of its server (this one is ${origin}${pathname}), or name that server alone by its URL.`,
      );
    },
  };
  return { from, authorizer: async () => withheld };
}

/** Maximum size in bytes of a file with a token or key. */
const tokenBytes = 1024 * 1024;

/** Reads a file named by a variable. @throws CodedError MG2017 if it cannot be read or is empty */
function readCredential(file: string, variable: string): string {
  let text: string;
  try {
    text = readRegularFile(file, { limit: tokenBytes }).toString("utf8");
  } catch (cause) {
    const reason = (cause as Error).message;
    const next = "Check its path and permissions.";
    throw wrong(`the file of ${variable} cannot be read: ${reason}`, next, cause);
  }
  // Only the private members of a JSON key are secret.
  secrets.learnStored(text);
  if (text.trim() === "") throw wrong(`the file of ${variable} is empty`, "Check what writes it.");
  return text;
}

/** Reads a private key: PKCS #8 in PEM, or a JWK. Its type decides the algorithm. */
function keyOf(file: string): object {
  const text = readCredential(file, "MCPGEN_CLIENT_KEY_FILE");
  try {
    if (!text.trimStart().startsWith("{")) return { pem: text, alg: algorithmOf(createPrivateKey(text)) };
    const jwk = JSON.parse(text) as { readonly alg?: string; readonly kid?: string };
    const alg = jwk.alg ?? algorithmOf(createPrivateKey({ key: jwk as never, format: "jwk" }));
    return { jwk, alg, ...(jwk.kid !== undefined && { kid: jwk.kid }) };
  } catch {
    throw wrong("MCPGEN_CLIENT_KEY_FILE is no private key", "Give PKCS #8 in PEM, or a JWK.");
  }
}

const curves: Readonly<Record<string, string>> = {
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};

function algorithmOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: ReturnType<typeof createPrivateKey>): string {
  if (asymmetricKeyType === "rsa") return "RS256";
  if (asymmetricKeyType === "ed25519") return "EdDSA";
  return curves[asymmetricKeyDetails?.namedCurve ?? ""] ?? "ES256";
}

/** Time limit in milliseconds for GitHub to sign the token. */
const githubTimeout = 10_000;

/**
 * Returns a function that requests this job's identity from GitHub Actions, a JWT for one audience; undefined
 * outside of GitHub Actions.
 *
 * @throws CodedError MG2017 for malformed variables of the platform
 */
function jobOf(
  { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token }: Environment,
  audience: string,
): (() => Promise<string>) | undefined {
  if (address === undefined && token === undefined) return undefined;
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !isConfidential(url) || !/^[\x21-\x7e]+$/.test(token ?? ""))
    throw wrong(
      "ACTIONS_ID_TOKEN_REQUEST_URL and ACTIONS_ID_TOKEN_REQUEST_TOKEN are not a URL with https and a token",
      "GitHub Actions sets both; unset them elsewhere.",
    );
  url.searchParams.set("audience", audience);
  return () => identity(url, token!);
}

async function identity(url: URL, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
  // The request's token is only for this host, so redirects are not followed.
  const signal = AbortSignal.timeout(githubTimeout);
  const response = await networkFetch(url, { headers, redirect: "error", signal });
  const text = await boundedText(response);
  const answer = parsedText(text);
  const value = isJsonObject(answer) ? answer["value"] : undefined;
  if (response.ok && typeof value === "string" && value !== "") {
    secrets.learn(value);
    return value;
  }
  throw wrong(
    `GitHub Actions gave no identity: ${response.status}`,
    "Check `permissions: id-token: write` of the job.",
  );
}

async function boundedText({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.byteLength;
    if (length > longestCredential) break;
    pieces.push(piece);
  }
  return length > longestCredential ? "" : Buffer.concat(pieces).toString("utf8");
}
