// A bridge: any client to any server, whatever revision and transport each speaks.
export { createBridge } from "./front/bridge.js";
export type { BackServer, BridgeEvent, BridgeOptions, QuestionKind, Share } from "./upstream/options.js";
