// SPDX-License-Identifier: Apache-2.0
#include "analysis/account/account_entry.h"

namespace sparkprof {

namespace {

struct PartText {
  std::string_view name, reason;
};
constexpr PartText kTexts[] = {
    {"scheduler delay", ""},
    {"deserialization", ""},
    {"CPU", ""},
    {"GC", ""},
    {"shuffle fetch", "blocks of other executors"},
    {"Python", ""},
    {"start of Python", ""},
    {"native engine", ""},
    {"locks", "a lock"},
    {"waiting for a CPU", "no CPU is free"},
    {"sleep", "sleep"},
    {"waiting, cause not measured", "not measured: reading and writing data, spill, locks, waiting for a CPU"},
    {"computing or waiting", ""},
    {"result serialization", ""},
    {"getting results", ""},
    {"lost work", ""},
    {"driver program", ""},
    {"pauses between a stream's batches", "the stream's trigger, or no new rows"},
    {"query without a job", "planning, adaptive execution, broadcasts or commit"},
    {"job without a task", "scheduling or results"},
    {"dispatch", "locality or dispatch"},
    {"incomplete wave", ""},
    {"skew", ""},
    {"cores without a slot", ""},
    {"unknown", "no data of the driver"},
    {"start-up", ""},
    {"waiting for executors", "no executor"}};
static_assert(std::size(kTexts) == kAccountParts);

}  // namespace

std::string_view NameOf(AccountPart part) { return kTexts[static_cast<size_t>(part)].name; }
std::string_view ReasonOf(AccountPart part) { return kTexts[static_cast<size_t>(part)].reason; }

bool IsOfStage(const AccountEntry& entry) {
  const bool is_of_driver = entry.part >= AccountPart::kDriverProgram && entry.part <= AccountPart::kDriverJob;
  return entry.stage >= 0 && !is_of_driver && entry.part != AccountPart::kStartUp &&
         entry.part != AccountPart::kUnknown && entry.part != AccountPart::kExecutorWait;
}

}  // namespace sparkprof
