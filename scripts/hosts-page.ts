// Writes docs/hosts.md from what hosts do: node scripts/run-ts.mjs scripts/hosts-page.ts
import { writeFileSync } from "node:fs";
import { hostsPage } from "./host-rows.js";

writeFileSync("docs/hosts.md", hostsPage());
