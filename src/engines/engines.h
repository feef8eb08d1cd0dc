// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace sparkprof {

// Native engines below Spark, which run parts of its plans on threads of their own; engines/README.md has the format of
// their tables, which the texts view.

// The clock of an engine's metrics: elapsed time of its threads, or of a GPU. Neither is CPU time.
enum class EngineClock : uint8_t { kNative, kGpu };

// The meaning of an accumulator that an engine has for its tasks.
enum class EngineTaskMetric : uint8_t { kTime, kWait, kRetries, kRetryTime, kSpillTime, kMemory };

// Metrics of the operators whose names begin with a text, "*" for all of them.
struct OperatorMetrics {
  std::string_view operators;
  std::vector<std::string_view> metrics;

  bool AreOf(std::string_view name) const { return operators == "*" || name.starts_with(operators); }
};

struct Engine {
  std::string_view name;  // "comet"
  EngineClock clock = EngineClock::kNative;
  std::vector<std::string_view> loads;
  std::vector<std::string_view> operators, operator_parts;
  std::vector<std::pair<std::string_view, std::string_view>> kinds;         // operator, Spark's kind
  std::vector<OperatorMetrics> metrics, parts, without, inclusive;          // engine_times.h
  std::string_view steps, alternative_steps;                                // empty = none
  std::string_view rows = "number of output rows";                          // metric
  std::string_view reason_mark;                                             // empty = none
  std::vector<std::pair<std::string_view, EngineTaskMetric>> task_metrics;  // name of the accumulator
  std::vector<std::string_view> transitions;
  std::vector<std::string_view> waits;
  std::vector<std::string_view> code;
};

const std::vector<Engine>& Engines();

// The table of Spark itself, which runs no other engine's operators.
const Engine& SparkEngine();

// The engine that runs an operator of this name, by the longest text that it has in a table; null = Spark itself.
const Engine* EngineOfOperator(std::string_view name);

// The kind of Spark's operators ("HashAggregate") that an operator of this kind, of Spark or of an engine, stands for.
std::string_view SparkKindOf(std::string_view kind);

// Whether an operator converts between the rows of an engine and those of Spark.
bool IsTransition(std::string_view name);

// The engine that is loaded by a value of spark.plugins or spark.sql.extensions; null = none.
const Engine* EngineLoadedBy(std::string_view setting);

// The meaning of the accumulator of this name; nothing if it is not one of an engine for its tasks.
std::optional<EngineTaskMetric> EngineTaskMetricOf(std::string_view accumulator);

// The frame in which a task's thread waits for its engine.
bool IsEngineWait(std::string_view frame);

// Whether only the threads of an engine run this native function.
bool IsEngineCode(std::string_view function);

// Parts the frames of the task's thread from those of the engine's thread below them.
inline constexpr std::string_view kEngineThreadFrame = "[engine thread]";

// The code that the threads of engines run, from the lines "frame" and "thread" of the tables (engines/README.md).

// Whether a native function computes any operator of an engine.
bool IsOperatorFrame(std::string_view function);

bool IsFrameOfOperator(std::string_view function, std::string_view operator_name);

// Whether a thread of the JVM with this name is one of an engine's pool.
bool IsEngineThread(std::string_view name);

// The files of engines/, one after the other.
extern const std::string_view kEngineTables;

}  // namespace sparkprof
