import { networkFetch } from "../files/proxies.js";
import { secrets } from "../secrets/secrets.js";
import { isConfidential } from "./destination.js";
import { type Environment, longestCredential, wrong } from "./variables.js";

/** Milliseconds that GitHub may take to sign. */
const githubTimeout = 10_000;

/**
 * Asks GitHub Actions for the identity of this job, a JWT for one audience; undefined outside of such jobs.
 *
 * @throws CodedError MG2017 for variables of the platform that are malformed
 */
export function jobOf(
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
  // The token is for this host: a redirect may lead to another.
  const signal = AbortSignal.timeout(githubTimeout);
  const response = await networkFetch(url, { headers, redirect: "error", signal });
  const text = await boundedText(response);
  const { value } = objectOf(text);
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

function objectOf(text: string): { readonly value?: unknown } {
  try {
    return (JSON.parse(text) as { readonly value?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}
