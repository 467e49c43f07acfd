// The rules of stores, for tests of stores.
export { sampleTask, storeRules, type StoreRule } from "./store/rules.js";
