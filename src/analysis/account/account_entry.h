// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

enum class AccountPart : uint8_t {
  // Task attempts; these parts add up to the time for which an attempt holds its slot.
  kSchedulerDelay,
  kDeserialization,
  kCpu,
  kGc,
  kFetch,
  kPython,
  kPythonStart,
  kEngine,  // a native engine computing on its own threads
  kLock,
  kCpuWait,  // runnable without a CPU
  kSleep,
  kOtherWait,
  kRun,  // computing or waiting, without metrics to distinguish them
  kResultSerialization,
  kGettingResult,
  kLostWork,  // attempts that failed or were killed

  // Driver and scheduling; in the core ledger, the slots idle meanwhile.
  kDriverProgram,  // no job and no query is running
  kStreamPause,    // a stream without a running batch: it waits for its trigger or for rows
  kDriverQuery,    // a query without a running job: planning, adaptive execution, broadcasts, commit
  kDriverJob,      // a job without a running task
  kDispatch,       // tasks wait although slots are free: dispatch, locality, exclusion

  // Idle slots, only in the core ledger.
  kWave,         // a stage's last wave has fewer tasks than slots; assumes tasks of equal length
  kSkew,         // a stage's last tasks take longer than the mean
  kUnusedCores,  // an executor's cores are not a multiple of spark.task.cpus

  kUnknown,  // no task is running, and the driver's activity is unknown

  // Only in the wall ledger.
  kStartUp,       // before the first executor
  kExecutorWait,  // a stage waits for an executor
};
inline constexpr size_t kAccountParts = static_cast<size_t>(AccountPart::kExecutorWait) + 1;

using PartTimes = std::array<int64_t, kAccountParts>;

// Returns "GC", "waiting, cause not measured", "driver program".
std::string_view NameOf(AccountPart part);

// Reason of a wait: "no executor"; empty for parts that are not waits, and if the name contains the reason.
std::string_view ReasonOf(AccountPart part);

struct AccountEntry {
  AccountPart part = AccountPart::kRun;
  int32_t stage = -1;  // row of Application::stages; for idle slots and the driver: the next stage; -1 = none
  int64_t ns = 0;
  int64_t low_ns = 0, high_ns = 0;  // range of `ns` according to the measurements
  std::string payer;                // cause of the cost; empty = the cost itself
};

// Whether the time belongs to the entry's stage, not to the driver before it.
bool IsOfStage(const AccountEntry& entry);

struct WallEntry : AccountEntry {
  int64_t begin_ns = 0;  // since the Unix epoch; within a passage of a stage, parts are in no particular order
  int64_t slack_ns = 0;  // reserve before another chain of tasks becomes the longest
};

}  // namespace sparkprof
