import fc from "fast-check";
import { seed } from "./cases.mjs";

fc.configureGlobal({ seed: seed });
