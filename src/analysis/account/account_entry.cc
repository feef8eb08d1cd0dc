// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/account_entry.h"

namespace sparkprof {

std::string_view NameOf(AccountPart part) {
  constexpr std::string_view kNames[] = {"scheduler delay",
                                         "deserialization",
                                         "CPU",
                                         "GC",
                                         "shuffle fetch",
                                         "Python",
                                         "start of Python",
                                         "native engine",
                                         "locks",
                                         "waiting for a CPU",
                                         "sleep",
                                         "waiting, cause not measured",
                                         "computing or waiting",
                                         "result serialization",
                                         "getting results",
                                         "lost work",
                                         "driver program",
                                         "pauses between a stream's batches",
                                         "query without a job",
                                         "job without a task",
                                         "dispatch",
                                         "incomplete wave",
                                         "skew",
                                         "cores without a slot",
                                         "unknown",
                                         "start-up",
                                         "waiting for executors"};
  static_assert(std::size(kNames) == kAccountParts);
  return kNames[static_cast<size_t>(part)];
}

std::string_view ReasonOf(AccountPart part) {
  switch (part) {
    case AccountPart::kOtherWait:
      return "not measured: reading and writing data, spill, locks, waiting for a CPU";
    case AccountPart::kFetch:
      return "blocks of other executors";
    case AccountPart::kLock:
      return "a lock";
    case AccountPart::kCpuWait:
      return "no CPU is free";
    case AccountPart::kSleep:
      return "sleep";
    case AccountPart::kStreamPause:
      return "the stream's trigger, or no new rows";
    case AccountPart::kDriverQuery:
      return "planning, adaptive execution, broadcasts or commit";
    case AccountPart::kDriverJob:
      return "scheduling or results";
    case AccountPart::kDispatch:
      return "locality or dispatch";
    case AccountPart::kUnknown:
      return "no data of the driver";
    case AccountPart::kExecutorWait:
      return "no executor";
    default:
      return {};
  }
}

bool IsOfStage(const AccountEntry& entry) {
  const bool is_of_driver = entry.part >= AccountPart::kDriverProgram && entry.part <= AccountPart::kDriverJob;
  return entry.stage >= 0 && !is_of_driver && entry.part != AccountPart::kStartUp &&
         entry.part != AccountPart::kUnknown && entry.part != AccountPart::kExecutorWait;
}

}  // namespace sparkprof
