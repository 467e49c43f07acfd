import { isJsonObject } from "@mcpgen/engine";
import { askServer } from "./ask/ask-server.js";
import { resourceText, withFiles, resourcePieces, expectFree, savePieces } from "./content.js";
import type { RunCommand } from "./context.js";
import { serverSource } from "./servers/named-servers.js";

/** Reads one resource. */
export const read: RunCommand = async (args, context) => {
  const uri = args.required("uri");
  expectFree(args, context);
  const source = await serverSource(args.required("source"), args, context);
  const result = await askServer(source, args, context, (client, options) =>
    client.readResource(uri, options),
  );
  const contents = Array.isArray(result["contents"]) ? result["contents"] : [];
  const saved = savePieces(resourcePieces(contents), args, context);
  const files = saved.map(({ file }) => file);
  const [only] = contents;
  // The text of a single one, and nothing else: its address is known.
  const isPlain =
    contents.length === 1 && saved.length === 0 && isJsonObject(only!) && typeof only["text"] === "string";
  return {
    text: isPlain
      ? String(only["text"])
      : contents
          .filter(isJsonObject)
          .map((content) => resourceText(content, saved))
          .join("\n"),
    data: { uri, contents: withFiles(contents, saved), ...(files.length > 0 && { files }) },
  };
};
