// The step "Comment" of action.yml: one comment of the pull request, which later runs update.
import { readFileSync } from "node:fs";
import { annotate, fail, readEvent } from "./shared.mjs";

/** GitHub refuses comments of 65,536 characters. */
const limit = 65_000;
const perPage = 100;

const { TOKEN, REPORT, CHANGED, KEY } = process.env;
const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SERVER_URL, GITHUB_RUN_ID } = process.env;
const number = readEvent().pull_request?.number;
if (!Number.isInteger(number)) {
  annotate("notice", "No comment: the event is not one of a pull request.");
  process.exit(0);
}

/** Sends one request to the API; resolves with undefined if the API answers 403 or 404. */
async function request(method, path, body) {
  let response;
  try {
    response = await fetch(`${GITHUB_API_URL}${path}`, {
      method,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${TOKEN}`,
        "x-github-api-version": "2022-11-28",
        "user-agent": "mcpgen",
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    if (response.ok) return await response.json();
  } catch (error) {
    fail(`${method} ${path} failed: ${error.cause?.message ?? error.message}`, 4);
  }
  if (response.status === 403 || response.status === 404) return undefined;
  fail(`${method} ${path} was answered with ${response.status}`, 4);
}

/** Cuts the report after the last line that fits. */
function cut(text) {
  if (text.length <= limit) return text;
  const end = text.lastIndexOf("\n", limit);
  return `${text.slice(0, end > 0 ? end : limit)}\n\n… and more: see the run.\n`;
}

/**
 * Finds the comment of an earlier run. Its author must be the owner of the token: anyone else who wrote the
 * same marker could edit the report afterwards.
 */
async function earlierComment(marker) {
  // A token of an app, such as the token of the job, belongs to no user.
  const user = await request("GET", "/user");
  const isOurs = (author) => (user ? author?.login === user.login : author?.type === "Bot");
  for (let page = 1; ; page += 1) {
    const comments = await request("GET", `${issue}/comments?per_page=${perPage}&page=${page}`);
    const found = comments?.find(({ body, user: author }) => body?.startsWith(marker) && isOurs(author));
    if (found || !comments || comments.length < perPage) return found;
  }
}

const repository = `/repos/${GITHUB_REPOSITORY}`;
const issue = `${repository}/issues/${number}`;
const marker = `<!-- mcpgen ${KEY} -->`;
const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`;
const body = `${marker}\n${cut(readFileSync(REPORT, "utf8"))}\n[The run](${run}) has the report as a page.\n`;
const earlier = await earlierComment(marker);
if (earlier || CHANGED === "true") {
  const written = earlier
    ? await request("PATCH", `${repository}/issues/comments/${earlier.id}`, { body })
    : await request("POST", `${issue}/comments`, { body });
  if (!written)
    annotate(
      "warning",
      "No comment: the token may not write to the pull request. Give the job `pull-requests: write`; pull requests of forks never get it. The summary of the run has the report.",
    );
}
