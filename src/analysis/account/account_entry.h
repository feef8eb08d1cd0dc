// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

// The purpose of a time.
enum class AccountPart : uint8_t {
  // Attempts of tasks: together the time for which an attempt holds its slot.
  kSchedulerDelay,
  kDeserialization,
  kCpu,
  kGc,
  kFetch,
  kPython,
  kPythonStart,
  kEngine,  // a native engine that computes on threads of its own
  kLock,
  kCpuWait,  // ready to run, without a CPU
  kSleep,
  kOtherWait,
  kRun,  // computing or waiting: no metrics
  kResultSerialization,
  kGettingResult,
  kLostWork,  // of attempts that failed or were killed

  // The driver and scheduling; in the core ledger, the slots that are idle meanwhile.
  kDriverProgram,  // no job and no query runs
  kStreamPause,    // a stream runs, and none of its batches: it waits for its trigger, or for rows
  kDriverQuery,    // a query runs without a job: planning, adaptive execution, broadcasts, commit
  kDriverJob,      // a job runs without a task
  kDispatch,       // tasks wait while slots are free: dispatch, locality, exclusion

  // Idle slots, in the core ledger only.
  kWave,         // the last wave of a stage has fewer tasks than slots; assumes tasks of equal length
  kSkew,         // the last tasks of a stage take longer than the mean
  kUnusedCores,  // the cores of an executor are not a multiple of spark.task.cpus

  kUnknown,  // no task runs, and nothing of the driver is known

  // In the wall ledger only.
  kStartUp,       // before the first executor
  kExecutorWait,  // a stage waits for an executor
};
inline constexpr size_t kAccountParts = static_cast<size_t>(AccountPart::kExecutorWait) + 1;

// Nanoseconds by AccountPart.
using PartTimes = std::array<int64_t, kAccountParts>;

// "GC", "waiting, cause not measured", "driver program"
std::string_view NameOf(AccountPart part);

// Why a part waits: "no executor"; empty for parts that do not wait, and where the name has the reason.
std::string_view ReasonOf(AccountPart part);

// A time that is booked once.
struct AccountEntry {
  AccountPart part = AccountPart::kRun;
  int32_t stage = -1;  // row of Application::stages; of idle slots and of the driver: that begins next, -1 = none
  int64_t ns = 0;
  int64_t low_ns = 0, high_ns = 0;  // the range of `ns` by what was measured
  std::string payer;                // who causes it; empty = it stands for itself
};

// Whether it is time of the entry's stage, and not of the driver before it.
bool IsOfStage(const AccountEntry& entry);

// A part of the wall-clock time.
struct WallEntry : AccountEntry {
  int64_t begin_ns = 0;  // since the Unix epoch; within a passage of a stage, parts are in no order of time
  int64_t slack_ns = 0;  // by how much the passage can shrink before another chain of tasks is the longest
  int32_t gap = -1;      // of the driver: see Schedule::gaps_ns
};

}  // namespace sparkprof
