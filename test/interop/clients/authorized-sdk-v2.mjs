// A careful application with the official SDK's client 2, by its documentation: it keeps credentials by issuer and the state of a
// discovery until the login ends, compares `state`, runs one login at a time, and ends with the second refusal after a login.
import { createHash, randomBytes } from "node:crypto";
import {
  Client,
  DpopSession,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";

/** The state that the application keeps, and that the client reads and writes. */
class Provider {
  states = [];
  verifiers = [];
  pending;

  constructor(options, storage) {
    this.options = options;
    this.storage = storage;
    this.clientMetadataUrl = options.client.metadataUrl;
    if (options.dpop) {
      const session = DpopSession.create();
      this.dpop = () => session;
    }
    // Credentials that are known before are not stored: the client refuses them at another issuer.
    if (options.client.id === undefined)
      this.saveClientInformation = (information, { issuer }) => storage.set(`client ${issuer}`, information);
  }

  get redirectUrl() {
    return this.options.redirectUri;
  }

  get clientMetadata() {
    return {
      client_name: "agent",
      redirect_uris: [this.options.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    };
  }

  state() {
    return randomBytes(32).toString("base64url");
  }

  clientInformation({ issuer }) {
    const { id, secret, issuer: known } = this.options.client;
    if (id === undefined) return this.storage.get(`client ${issuer}`);
    return {
      client_id: id,
      ...(secret !== undefined && { client_secret: secret }),
      ...(known !== undefined && { issuer: known }),
    };
  }

  tokens(context) {
    return this.storage.get(`tokens ${context?.issuer ?? this.storage.get("latest")}`);
  }

  saveTokens(tokens, { issuer }) {
    this.storage.set("latest", issuer);
    this.storage.set(`tokens ${issuer}`, tokens);
  }

  redirectToAuthorization(url) {
    this.url = url;
  }

  saveCodeVerifier(verifier) {
    this.verifiers.push(verifier);
  }

  /** The verifier of the login that runs, also if others were begun meanwhile. */
  codeVerifier() {
    const challenge = this.current.searchParams.get("code_challenge");
    const digest = (text) => createHash("sha256").update(text).digest("base64url");
    return this.verifiers.find((verifier) => digest(verifier) === challenge);
  }

  saveDiscoveryState(state) {
    this.pending = state;
  }

  discoveryState() {
    return this.pending;
  }

  invalidateCredentials(scope) {
    const issuer = this.storage.get("latest");
    if (scope === "all" || scope === "tokens") this.storage.delete(`tokens ${issuer}`);
    if (scope === "all" || scope === "client") this.storage.delete(`client ${issuer}`);
    if (scope === "all" || scope === "discovery") this.pending = undefined;
  }
}

/** Rules that the client leaves to the application. */
export const heldByApplication = [
  "state is random, and a response with no or another state is refused",
  "the answer of an earlier login is refused",
  "a server that always wants more gets three logins at most",
  "10 parallel refusals lead to 1 login and 1 token request",
];

/** @returns an agent of test/auth/client/client-world.ts */
export function sdkAgent(options, storage = new Map()) {
  const { url, redirectUri, browse } = options;
  const provider = new Provider(options, storage);
  let transport;
  let connection;
  let login;
  let finished = 0;

  async function connected() {
    transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
    const client = new Client(
      { name: "agent", version: "1" },
      { supportedProtocolVersions: [options.revision] },
    );
    await client.connect(transport);
    return client;
  }

  async function logIn() {
    try {
      const asked = (provider.current = provider.url);
      const callback = new URL(await browse(asked.href));
      if (!callback.href.startsWith(redirectUri)) throw new Error("the redirect went elsewhere");
      if (callback.searchParams.get("state") !== asked.searchParams.get("state"))
        throw new Error("the response does not belong to this login");
      await transport.finishAuth(callback.searchParams);
      finished++;
    } finally {
      provider.pending = undefined;
      login = undefined;
    }
  }

  async function call() {
    for (let logins = 0; ; logins++) {
      const before = finished;
      try {
        connection ??= connected();
        return await (
          await connection.catch((error) => ((connection = undefined), Promise.reject(error)))
        ).callTool({ name: "echo", arguments: {} });
      } catch (error) {
        if (!(error instanceof UnauthorizedError) || logins === 2) throw error;
        // If another call has caused a login, its result is used here, too.
        if (finished === before) await (login ??= logIn());
      }
    }
  }

  return {
    call,
    close: async () => {
      const client = await connection;
      await transport?.terminateSession();
      await client?.close();
    },
    restart: () => sdkAgent(options, storage),
  };
}
