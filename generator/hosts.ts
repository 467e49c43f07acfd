// Real hosts in tests, with a scripted model: no key, no network.
export { createHostTest, type HostTestOptions } from "./host/create-host-test.js";
export type { HostCall, HostFault, HostTest, HostTool } from "./host/host-test.js";
export { hostNames, type HostName } from "./lint/host-rows.js";

// The model alone, for hosts and frameworks that a test starts itself.
export {
  fakeModel,
  type FakeModel,
  type FakeModelOptions,
  type ModelCall,
  type ModelTurn,
} from "./host/model/fake-model.js";
