import { expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { levelFor } from "../../generator/diff/finding.js";
import { line, pairs, released } from "./models.js";
import { revisions } from "../support/revisions.js";

test.each(revisions)("%s does not differ from itself", async (revision) => {
  expect(diffModels(await released(revision), await released(revision))).toEqual([]);
});

test.each(pairs)("%s → %s: every breaking finding has a counter-example", async (old, next) => {
  const breaking = diffModels(await released(old), await released(next)).filter(
    (finding) => levelFor(finding, "both") === "breaking",
  );
  expect(breaking.length).toBeGreaterThan(0);
  for (const { counterexample } of breaking)
    expect(counterexample?.valid.old).not.toBe(counterexample?.valid.new);
});

test("2024-11-05 → 2025-03-26: only batches break", async () => {
  const findings = diffModels(await released("2024-11-05"), await released("2025-03-26"));
  const harmful = findings.filter((finding) => levelFor(finding, "both") !== "safe");
  expect(harmful.map(line)).toMatchInlineSnapshot(`
    [
      "union-member-added JSONRPCMessage ((JSONRPCError | JSONRPCResponse)[]) client:breaking server:breaking",
      "union-member-added JSONRPCMessage ((JSONRPCNotification | JSONRPCRequest)[]) client:breaking server:breaking",
      "union-member-added CallToolResult.content[] (AudioContent) client:dangerous server:safe",
      "union-member-added CreateMessageResult.content (AudioContent) client:safe server:dangerous",
      "union-member-added PromptMessage.content (AudioContent) client:dangerous server:safe",
      "union-member-added SamplingMessage.content (AudioContent) client:dangerous server:safe",
    ]
  `);
});

test("2025-03-26 → 2025-06-18", async () => {
  const findings = diffModels(await released("2025-03-26"), await released("2025-06-18"));
  expect(findings.filter((finding) => levelFor(finding, "both") !== "safe").map(line)).toMatchInlineSnapshot(`
    [
      "union-member-removed JSONRPCMessage ((JSONRPCError | JSONRPCResponse)[]) client:breaking server:breaking",
      "union-member-removed JSONRPCMessage ((JSONRPCNotification | JSONRPCRequest)[]) client:breaking server:breaking",
      "request-added elicitation/create from server client:dangerous server:safe",
      "union-member-added ContentBlock (ResourceLink) client:dangerous server:safe",
    ]
  `);
});

test("2025-06-18 → 2025-11-25", async () => {
  const findings = diffModels(await released("2025-06-18"), await released("2025-11-25"));
  expect(findings.filter((finding) => levelFor(finding, "both") !== "safe").map(line)).toMatchInlineSnapshot(`
    [
      "property-became-optional CancelledNotificationParams.requestId client:breaking server:breaking",
      "property-became-optional JSONRPCError.id client:breaking server:breaking",
      "map-value-widened ElicitResult.content{} client:safe server:breaking",
      "union-member-added CreateMessageResult.content (SamplingMessageContentBlock[]) client:safe server:breaking",
      "union-member-added PrimitiveSchemaDefinition (TitledSingleSelectEnumSchema) client:breaking server:safe",
      "union-member-added PrimitiveSchemaDefinition (UntitledSingleSelectEnumSchema) client:breaking server:safe",
      "union-member-added SamplingMessage.content (SamplingMessageContentBlock[]) client:breaking server:safe",
      "became-union ElicitRequestParams client:breaking server:safe",
      "request-added tasks/cancel from client client:safe server:dangerous",
      "request-added tasks/cancel from server client:dangerous server:safe",
      "request-added tasks/get from client client:safe server:dangerous",
      "request-added tasks/get from server client:dangerous server:safe",
      "request-added tasks/list from client client:safe server:dangerous",
      "request-added tasks/list from server client:dangerous server:safe",
      "request-added tasks/result from client client:safe server:dangerous",
      "request-added tasks/result from server client:dangerous server:safe",
      "result-alternative-added elicitation/create from server client:safe server:dangerous",
      "result-alternative-added sampling/createMessage from server client:safe server:dangerous",
      "result-alternative-added tools/call from client client:dangerous server:safe",
      "union-member-added CreateMessageResult.content (ToolResultContent) client:safe server:dangerous",
      "union-member-added CreateMessageResult.content (ToolUseContent) client:safe server:dangerous",
      "union-member-added PrimitiveSchemaDefinition (TitledMultiSelectEnumSchema) client:dangerous server:safe",
      "union-member-added PrimitiveSchemaDefinition (UntitledMultiSelectEnumSchema) client:dangerous server:safe",
      "union-member-added SamplingMessage.content (ToolResultContent) client:dangerous server:safe",
      "union-member-added SamplingMessage.content (ToolUseContent) client:dangerous server:safe",
    ]
  `);
});

test("2025-11-25 → 2026-07-28", async () => {
  const findings = diffModels(await released("2025-11-25"), await released("2026-07-28"));
  expect(findings.filter((finding) => levelFor(finding, "both") !== "safe").map(line)).toMatchInlineSnapshot(`
    [
      "request-removed initialize from client client:breaking server:safe",
      "request-removed logging/setLevel from client client:breaking server:safe",
      "request-removed ping from client client:breaking server:safe",
      "request-removed ping from server client:safe server:breaking",
      "request-removed resources/subscribe from client client:breaking server:safe",
      "request-removed resources/unsubscribe from client client:breaking server:safe",
      "request-removed tasks/cancel from client client:breaking server:safe",
      "request-removed tasks/cancel from server client:safe server:breaking",
      "request-removed tasks/get from client client:breaking server:safe",
      "request-removed tasks/get from server client:safe server:breaking",
      "request-removed tasks/list from client client:breaking server:safe",
      "request-removed tasks/list from server client:safe server:breaking",
      "request-removed tasks/result from client client:breaking server:safe",
      "request-removed tasks/result from server client:safe server:breaking",
      "method-demoted-to-payload elicitation/create from server client:safe server:breaking",
      "method-demoted-to-payload roots/list from server client:safe server:breaking",
      "method-demoted-to-payload sampling/createMessage from server client:safe server:breaking",
      "notification-removed notifications/elicitation/complete from server client:dangerous server:breaking",
      "notification-removed notifications/initialized from client client:breaking server:dangerous",
      "notification-removed notifications/roots/list_changed from client client:breaking server:dangerous",
      "notification-removed notifications/tasks/status from client client:breaking server:dangerous",
      "notification-removed notifications/tasks/status from server client:dangerous server:breaking",
      "notification-direction-removed notifications/progress from client client:breaking server:dangerous",
      "result-alternative-added prompts/get from client client:breaking server:safe",
      "result-alternative-added resources/read from client client:breaking server:safe",
      "result-alternative-added tools/call from client client:breaking server:safe",
      "params-became-required ListPromptsRequest.params client:breaking server:safe",
      "params-became-required ListResourceTemplatesRequest.params client:breaking server:safe",
      "params-became-required ListResourcesRequest.params client:breaking server:safe",
      "params-became-required ListToolsRequest.params client:breaking server:safe",
      "property-added-required CallToolResult.resultType client:safe server:breaking",
      "property-added-required CompleteResult.resultType client:safe server:breaking",
      "property-added-required GetPromptResult.resultType client:safe server:breaking",
      "property-added-required ListPromptsResult.cacheScope client:safe server:breaking",
      "property-added-required ListPromptsResult.resultType client:safe server:breaking",
      "property-added-required ListPromptsResult.ttlMs client:safe server:breaking",
      "property-added-required ListResourceTemplatesResult.cacheScope client:safe server:breaking",
      "property-added-required ListResourceTemplatesResult.resultType client:safe server:breaking",
      "property-added-required ListResourceTemplatesResult.ttlMs client:safe server:breaking",
      "property-added-required ListResourcesResult.cacheScope client:safe server:breaking",
      "property-added-required ListResourcesResult.resultType client:safe server:breaking",
      "property-added-required ListResourcesResult.ttlMs client:safe server:breaking",
      "property-added-required ListToolsResult.cacheScope client:safe server:breaking",
      "property-added-required ListToolsResult.resultType client:safe server:breaking",
      "property-added-required ListToolsResult.ttlMs client:safe server:breaking",
      "property-added-required ReadResourceResult.cacheScope client:safe server:breaking",
      "property-added-required ReadResourceResult.resultType client:safe server:breaking",
      "property-added-required ReadResourceResult.ttlMs client:safe server:breaking",
      "property-added-required RequestMetaObject.io.modelcontextprotocol/clientCapabilities client:breaking server:safe",
      "property-added-required RequestMetaObject.io.modelcontextprotocol/protocolVersion client:breaking server:safe",
      "property-added-required Result.resultType client:safe server:breaking",
      "property-removed ElicitRequestURLParams.elicitationId client:breaking server:dangerous",
      "property-removed Tool.outputSchema.type client:breaking server:dangerous",
      "property-became-required CallToolRequestParams._meta client:breaking server:safe",
      "property-became-required CancelledNotificationParams.requestId client:breaking server:breaking",
      "property-became-required CompleteRequestParams._meta client:breaking server:safe",
      "property-became-required GetPromptRequestParams._meta client:breaking server:safe",
      "property-became-required PaginatedRequestParams._meta client:breaking server:safe",
      "property-became-required ReadResourceRequestParams._meta client:breaking server:safe",
      "type-widened CallToolResult.structuredContent client:breaking server:safe",
      "type-widened ToolResultContent.structuredContent client:breaking server:breaking",
      "bound-tightened CompleteResult.completion.values client:safe server:breaking",
      "request-added server/discover from client client:safe server:dangerous",
      "request-added subscriptions/listen from client client:safe server:dangerous",
      "result-alternative-removed elicitation/create from server client:dangerous server:safe",
      "result-alternative-removed sampling/createMessage from server client:dangerous server:safe",
      "result-alternative-removed tools/call from client client:safe server:dangerous",
      "property-removed CallToolRequestParams.task client:dangerous server:dangerous",
      "property-removed ClientCapabilities.roots.listChanged client:dangerous server:dangerous",
      "property-removed ClientCapabilities.tasks client:dangerous server:dangerous",
      "property-removed CreateMessageRequestParams._meta client:dangerous server:dangerous",
      "property-removed CreateMessageRequestParams.task client:dangerous server:dangerous",
      "property-removed ElicitRequestFormParams._meta client:dangerous server:dangerous",
      "property-removed ElicitRequestFormParams.task client:dangerous server:dangerous",
      "property-removed ElicitRequestURLParams._meta client:dangerous server:dangerous",
      "property-removed ElicitRequestURLParams.task client:dangerous server:dangerous",
      "property-removed ElicitResult._meta client:dangerous server:dangerous",
      "property-removed ListRootsResult._meta client:dangerous server:dangerous",
      "property-removed RequestParams._meta.progressToken client:dangerous server:dangerous",
      "property-removed ServerCapabilities.tasks client:dangerous server:dangerous",
      "property-removed Tool.execution client:dangerous server:dangerous",
      "property-removed Tool.inputSchema.properties client:dangerous server:dangerous",
      "property-removed Tool.inputSchema.required client:dangerous server:dangerous",
      "property-removed Tool.outputSchema.properties client:dangerous server:dangerous",
      "property-removed Tool.outputSchema.required client:dangerous server:dangerous",
      "error-removed RESOURCE_NOT_FOUND.code client:dangerous server:dangerous",
      "error-removed URL_ELICITATION_REQUIRED.code client:dangerous server:dangerous",
      "error-removed USER_REJECTED.code client:dangerous server:dangerous",
    ]
  `);
});
