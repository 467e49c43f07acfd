import type { Answer } from "./authorization-server.js";

/** Statuses of temporary errors: RFC 6585, 4; RFC 9110, 15.5.9 and 15.6; RFC 8470, 5.2. */
export const passingStatuses = [408, 425, 429, 500, 502, 503, 504];

const json = { "content-type": "application/json" };

/** Bodies that, with another status, would end a grant, a client or a token. */
const decisive = [
  ...[
    "rate_limited",
    "too_many_requests",
    "invalid_grant",
    "invalid_client",
    "invalid_token",
    "access_denied",
  ],
].map((error) => JSON.stringify({ error, error_description: "Too many requests" }));

const bodies = [
  ...decisive,
  ...["<html>", "{}", "", "null", "[]", '"rate_limited"', "{", '{"error":null}', '{"error":{"code":1}}'],
  ...['{"access_token":"x","token_type":"Bearer"}', '{"client_id":"x"}', '{"active":false}', '{"keys":[]}'],
];

/** Answers with temporary errors: each status, and two of them with each body. */
export const passingAnswers: readonly Answer[] = passingStatuses.flatMap((status) =>
  (status === 429 || status === 503 ? bodies : [decisive[2]!]).map((body) => ({
    status,
    headers: { ...json, "retry-after": "1" },
    body,
  })),
);
