// Builds the site: npm run site -- [--out DIR] [--repository URL]. If a link is dead, it writes nothing and
// exits with 1.
import { parseArgs } from "node:util";
import { buildSite } from "./build-site.js";
import { writeSite } from "./write-site.js";

const { values } = parseArgs({
  options: { out: { type: "string", default: "dist/site" }, repository: { type: "string" } },
});
const site = await buildSite(".", values.repository);
const { files, problems } = site;
if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  console.error(`site: ${problems.length} dead links, nothing is written`);
  process.exitCode = 1;
} else {
  writeSite(values.out, site);
  console.log(`${values.out}/index.html: ${files.size} files, 0 dead links`);
}
