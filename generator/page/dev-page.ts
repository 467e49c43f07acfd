import type { Render } from "../print/templates.js";
import { type PageDocument, servedDocument } from "./document.js";
import { Html } from "./html.js";

/** The page of `mcpgen dev`. Its program asks the loop that serves it, and shows images and sounds that it was sent. */
export function devPage(render: Render): PageDocument {
  return servedDocument(
    {
      title: "mcpgen dev",
      body: new Html(render("dev.html", {})),
      ...{ programs: ["dev"], styles: ["dev.css"] },
      policy: { "connect-src": "'self'", "img-src": "data:", "media-src": "data:" },
    },
    render,
  );
}
