/**
 * Validators that a careful person writes by hand for the three messages that servers see most, revision
 * 2025-11-25. They are the yardstick for the emitted validators, and are kept apart from them so that neither
 * is written after the other.
 */

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const isStringArray = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");

const isOptionalString = (value) => value === undefined || typeof value === "string";

const isOptionalBoolean = (value) => value === undefined || typeof value === "boolean";

const isOptionalObject = (value) => value === undefined || isObject(value);

const isId = (value) => typeof value === "string" || Number.isInteger(value);

export function isCallToolRequest(message) {
  if (!isObject(message) || message.jsonrpc !== "2.0" || message.method !== "tools/call") return false;
  if (!isId(message.id)) return false;
  const { params } = message;
  if (!isObject(params) || typeof params.name !== "string") return false;
  if (!isOptionalObject(params.arguments)) return false;
  const { _meta: meta, task } = params;
  if (meta !== undefined) {
    if (!isObject(meta)) return false;
    if (meta.progressToken !== undefined && !isId(meta.progressToken)) return false;
  }
  if (task !== undefined) {
    if (!isObject(task)) return false;
    if (task.ttl !== undefined && !Number.isInteger(task.ttl)) return false;
  }
  return true;
}

function isToolSchema(schema) {
  if (!isObject(schema) || schema.type !== "object") return false;
  if (!isOptionalString(schema.$schema)) return false;
  const { properties, required } = schema;
  if (properties !== undefined) {
    if (!isObject(properties)) return false;
    for (const key in properties) if (!isObject(properties[key])) return false;
  }
  return required === undefined || isStringArray(required);
}

function isIcon(icon) {
  return (
    isObject(icon) &&
    typeof icon.src === "string" &&
    isOptionalString(icon.mimeType) &&
    (icon.sizes === undefined || isStringArray(icon.sizes)) &&
    (icon.theme === undefined || icon.theme === "dark" || icon.theme === "light")
  );
}

const isIcons = (icons) => icons === undefined || (Array.isArray(icons) && icons.every(isIcon));

function isToolAnnotations(annotations) {
  return (
    isObject(annotations) &&
    isOptionalBoolean(annotations.destructiveHint) &&
    isOptionalBoolean(annotations.idempotentHint) &&
    isOptionalBoolean(annotations.openWorldHint) &&
    isOptionalBoolean(annotations.readOnlyHint) &&
    isOptionalString(annotations.title)
  );
}

function isToolExecution(execution) {
  if (!isObject(execution)) return false;
  const { taskSupport } = execution;
  return (
    taskSupport === undefined ||
    taskSupport === "forbidden" ||
    taskSupport === "optional" ||
    taskSupport === "required"
  );
}

function isTool(tool) {
  return (
    isObject(tool) &&
    typeof tool.name === "string" &&
    isToolSchema(tool.inputSchema) &&
    isOptionalString(tool.title) &&
    isOptionalString(tool.description) &&
    isOptionalObject(tool._meta) &&
    (tool.annotations === undefined || isToolAnnotations(tool.annotations)) &&
    (tool.execution === undefined || isToolExecution(tool.execution)) &&
    (tool.outputSchema === undefined || isToolSchema(tool.outputSchema)) &&
    isIcons(tool.icons)
  );
}

export function isListToolsResult(result) {
  if (!isObject(result) || !Array.isArray(result.tools)) return false;
  for (const tool of result.tools) if (!isTool(tool)) return false;
  return isOptionalString(result.nextCursor) && isOptionalObject(result._meta);
}

function isAnnotations(annotations) {
  if (annotations === undefined) return true;
  if (!isObject(annotations)) return false;
  const { audience, lastModified, priority } = annotations;
  if (audience !== undefined) {
    if (!Array.isArray(audience)) return false;
    for (const role of audience) if (role !== "user" && role !== "assistant") return false;
  }
  if (!isOptionalString(lastModified)) return false;
  return priority === undefined || (typeof priority === "number" && priority >= 0 && priority <= 1);
}

function isResourceContents(contents) {
  return (
    isObject(contents) &&
    typeof contents.uri === "string" &&
    (typeof contents.text === "string" || typeof contents.blob === "string") &&
    isOptionalString(contents.mimeType) &&
    isOptionalObject(contents._meta)
  );
}

function isContentBlock(block) {
  if (!isObject(block) || !isAnnotations(block.annotations) || !isOptionalObject(block._meta)) return false;
  switch (block.type) {
    case "text":
      return typeof block.text === "string";
    case "image":
    case "audio":
      return typeof block.data === "string" && typeof block.mimeType === "string";
    case "resource":
      return isResourceContents(block.resource);
    case "resource_link":
      return (
        typeof block.uri === "string" &&
        typeof block.name === "string" &&
        isOptionalString(block.title) &&
        isOptionalString(block.description) &&
        isOptionalString(block.mimeType) &&
        (block.size === undefined || Number.isInteger(block.size)) &&
        isIcons(block.icons)
      );
    default:
      return false;
  }
}

export function isCallToolResult(result) {
  if (!isObject(result) || !Array.isArray(result.content)) return false;
  for (const block of result.content) if (!isContentBlock(block)) return false;
  return (
    isOptionalBoolean(result.isError) &&
    isOptionalObject(result.structuredContent) &&
    isOptionalObject(result._meta)
  );
}
