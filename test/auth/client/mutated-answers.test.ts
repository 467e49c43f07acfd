// Every value of an answer of an authorization server, of every JSON type.
import { test } from "vitest";
import { clientCredentials } from "../../../runtime/auth/client.js";
import { expectCodes } from "../../support/auth/mutated-answers.js";
import { failure, login, pair, send, user } from "./drive.js";

const secret = "s3cret";

/** A user who aborts the login if the server shows an error page. */
const { uri, receive } = user();
const visitor = {
  uri,
  receive: (...given: Parameters<typeof receive>) =>
    Promise.resolve(receive(...given)).catch(() => `${uri}?error=access_denied`),
};

test("a login by redirect, and its renewal", () =>
  expectCodes(["metadata", "register", "token"], async (fault) => {
    const { as, rs } = await pair({ fault });
    const authorizer = login({ redirect: visitor });
    const first = await failure(send(authorizer, rs.url));
    as.expireAccessTokens();
    return first === "answered 200" ? failure(send(authorizer, rs.url)) : first;
  }));

test("a login on another device", () =>
  expectCodes(["device"], async (fault) => {
    const { as, rs } = await pair({ pollSeconds: 0.001, fault });
    const device = ({ userCode }: { readonly userCode: string }): void => as.decideDevice(userCode);
    return failure(send(login({ device }), rs.url));
  }));

test("client credentials", () =>
  expectCodes(["metadata", "token"], async (fault) => {
    const { as, rs } = await pair({ clients: [{ id: "ci", secret }], fault });
    return failure(send(clientCredentials({ issuer: as.issuer, id: "ci", secret }), rs.url));
  }));
