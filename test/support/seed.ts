import fc from "fast-check";
import { cases, seed } from "./cases.mjs";

fc.configureGlobal({ seed, numRuns: cases(1000) });
