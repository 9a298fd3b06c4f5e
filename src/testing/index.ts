export { demoStories } from './demo/story.ts';
export type { DemoStory } from './demo/story.ts';
export { citiesScript } from './demo/cities-script.ts';
export { returnsScript } from './demo/returns-script.ts';
export { templeScript } from './demo/temple-script.ts';
export type { TempleScriptOptions } from './demo/temple-script.ts';
export { loopbackWires, startLoopbackServer, wirePaths } from './loopback-server.ts';
export type {
  ConversationView,
  LoopbackCall,
  LoopbackContext,
  LoopbackDelivery,
  LoopbackFaultStep,
  LoopbackOutcome,
  LoopbackPoint,
  LoopbackQuirks,
  LoopbackRawStep,
  LoopbackReplyStep,
  LoopbackRequest,
  LoopbackScript,
  LoopbackServer,
  LoopbackServerOptions,
  LoopbackStatusStep,
  LoopbackStep,
  LoopbackVendorError,
  LoopbackWire,
  ViewCall,
  ViewMessage,
  ViewToolResult,
} from './loopback-server.ts';
export { requestViolation } from './strict-request.ts';
export { providerSuite } from './provider-suite.ts';
export type { ProviderCase, ProviderSuiteOptions, ProviderTarget } from './provider-suite.ts';
export { seededRandom } from './seeded-random.ts';
export { createVirtualClock } from './virtual-clock.ts';
export type { VirtualClock } from './virtual-clock.ts';
