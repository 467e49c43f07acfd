import { numericDate } from "../shared/encoding.js";
import { jsonObject } from "../shared/json-object.js";
import { type ClientMethod, clientName, type SealedClient } from "./client.js";
import { secretOf } from "./clients.js";
import type { Settings } from "./options.js";
import { readBody } from "./requests.js";
import { redirectProblem } from "./redirects.js";
import { jsonResponse, Refused } from "./responses.js";

const maxUris = 5;
const maxUriLength = 1024;
const methods: readonly ClientMethod[] = ["none", "client_secret_basic", "client_secret_post"];
const grants: ReadonlySet<unknown> = new Set(["authorization_code", "refresh_token"]);

/**
 * Registers a client (RFC 7591). Encrypts the registration into the client id (A.5.2) and stores nothing.
 *
 * @throws {Refused} `invalid_client_metadata`, `invalid_redirect_uri`
 */
export async function register(settings: Settings, request: Request): Promise<Response> {
  const asked = await metadataOf(request);
  const redirectUris = redirectUrisOf(settings, asked["redirect_uris"]);
  const { token_endpoint_auth_method: method = "client_secret_basic" } = asked;
  const { grant_types: grantTypes = ["authorization_code"], response_types: responseTypes = ["code"] } =
    asked;
  if (!methods.includes(method as ClientMethod))
    throw badMetadata(`token_endpoint_auth_method must be one of ${methods.join(", ")}`);
  if (!Array.isArray(grantTypes) || !grantTypes.includes("authorization_code"))
    throw badMetadata("grant_types must have authorization_code");
  if (!Array.isArray(responseTypes) || !responseTypes.includes("code"))
    throw badMetadata("response_types must have code");
  const given = asked["client_name"];
  const name = typeof given === "string" ? clientName(given) : "";
  const sealed: SealedClient = {
    n: name,
    r: redirectUris,
    m: method as ClientMethod,
    g: grantTypes.includes("refresh_token"),
    i: numericDate(),
  };
  const id = await settings.keys.seal("client", sealed);
  const secret = sealed.m === "none" ? undefined : await secretOf(settings, id);
  settings.emit({ type: "registered", client: name });
  const registered = {
    client_id: id,
    client_id_issued_at: sealed.i,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    ...(name !== "" && { client_name: name }),
    redirect_uris: redirectUris,
    token_endpoint_auth_method: sealed.m,
    grant_types: [...new Set(grantTypes)].filter((grant) => grants.has(grant)),
    response_types: ["code"],
  };
  return jsonResponse(registered, { status: 201 });
}

async function metadataOf(request: Request): Promise<Readonly<Record<string, unknown>>> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
    throw badMetadata("the body must be application/json");
  const parsed = jsonObject(await readBody(request));
  if (!parsed) throw badMetadata("the body must be a JSON object");
  return parsed;
}

function redirectUrisOf(settings: Settings, given: unknown): readonly string[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > maxUris)
    throw new Refused("invalid_redirect_uri", `redirect_uris must be a list of 1 to ${maxUris}`);
  const uris: readonly unknown[] = [...new Set<unknown>(given)];
  for (const uri of uris) {
    const problem = redirectProblem(uri, settings.clients.customSchemes);
    if (problem !== undefined) throw new Refused("invalid_redirect_uri", `a redirect URI ${problem}`);
    if (!settings.clients.allowRedirects(uri as string))
      throw new Refused("invalid_redirect_uri", "this server does not allow a redirect URI");
  }
  if (uris.join("").length > maxUriLength)
    throw new Refused("invalid_redirect_uri", `redirect_uris have more than ${maxUriLength} characters`);
  return uris as string[];
}

function badMetadata(what: string): Refused {
  return new Refused("invalid_client_metadata", what);
}
