export type { Advice, AdviceCode } from './core/advice.ts';
export type { Breaker, BreakerState } from './core/breaker.ts';
export type { Clock, Random } from './core/clock.ts';
export { tool } from './core/define-tool.ts';
export { isOilcanError, NeedsUser, OilcanError, ToolError, ToolUnavailableError } from './core/error.ts';
export type { OilcanErrorCode } from './core/error.ts';
export type { FailureAction, Mend, RecoveredBy, RunEvent, RunEventOf, RunEventType } from './core/event.ts';
export type { ErrorData } from './core/error-data.ts';
export type { DeadlineName, Failure, FailureKind, Owner } from './core/failure.ts';
export type { Act, Entry, Interrupted, Journal, Journals } from './core/journal.ts';
export type { Json, JsonObject } from './core/json.ts';
export type {
  AssistantMessage,
  ImagePart,
  Message,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
  UserMessage,
} from './core/message.ts';
export { textOf, toolCallsOf, userMessage } from './core/message.ts';
export type {
  FinishReason,
  ModelReply,
  ModelRequest,
  Provider,
  ProviderCapabilities,
  ProviderEvent,
  RateLimit,
  ReplyToolCall,
  ToolChoice,
  ToolDeclaration,
} from './core/provider.ts';
export type {
  AbortedRun,
  CompletedRun,
  FailedRun,
  PendingRequest,
  RunResult,
  RunSummary,
  StoppedRun,
  StopReason,
  SuspendedRun,
  WaitingRun,
  UnfinishedRun,
} from './core/result.ts';
export type { InferOutput, JsonSchema, StandardIssue, StandardResult, StandardSchema } from './core/schema.ts';
export type {
  Tool,
  ToolBudget,
  ToolContent,
  ToolContext,
  ToolEffect,
  ToolOptions,
  ToolRetryOptions,
  Verified,
} from './core/tool.ts';
export type { Usage } from './core/usage.ts';
export type { Agent, AsToolOptions, OutputOf, ResumeOptions, RunInput, RunOptions } from './loop/agent/agent.ts';
export type { AgentOptions, LimitOptions } from './loop/agent/agent-options.ts';
export { shortenToolResults } from './loop/history/compact.ts';
export type { Compactor } from './loop/history/compact.ts';
export { createAgent } from './loop/agent/create-agent.ts';
export type { Listener } from './loop/events/event-hub.ts';
export type { ResponseOptions } from './loop/events/event-response.ts';
export type { HookedCall, HookedResult, Hooks, ModelRequestChanges, StopRun } from './loop/act/hooks.ts';
export type { InputMessage } from './loop/history/read-messages.ts';
export type { RunHandle } from './loop/events/run-handle.ts';
export type { SlipPolicy } from './loop/run/rules.ts';
export { anthropic } from './providers/anthropic/index.ts';
export { fallback } from './providers/fallback.ts';
export type { FallbackOptions } from './providers/fallback.ts';
export { ollama } from './providers/ollama/index.ts';
export { openai } from './providers/openai-chat/index.ts';
export { openaiResponses } from './providers/openai-responses/index.ts';
export { scripted } from './providers/scripted.ts';
export type { ScriptStep } from './providers/scripted.ts';
export { createBreaker } from './resilience/breaker.ts';
export type { BreakerOptions } from './resilience/breaker.ts';
export type { DeadlineOptions } from './resilience/deadline.ts';
export { failureDescriptions } from './resilience/failure-descriptions.ts';
export type { FailureDescription } from './resilience/failure-descriptions.ts';
export { failureTable } from './resilience/failure-table.ts';
export type { FailureRemedy, FailureRow, FailureTable, FailureTableOverrides } from './resilience/failure-table.ts';
export { createLimiter } from './resilience/limiter.ts';
export type { Limiter, LimiterOptions, Permit } from './resilience/limiter.ts';
export type { Price } from './resilience/price.ts';
export type { RetryOptions } from './resilience/retry.ts';
