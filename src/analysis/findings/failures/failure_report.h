// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "failures/failures.h"
#include "model/application.h"

namespace sparkprof {

// A step of what happened.
struct FailureEvent {
  std::string_view what;  // ID of a failure
  int64_t at_ns = 0;      // 0 = unknown
  int64_t task = kNoTask;
  std::string host;  // empty = unknown
};

// A failure of an application, by a row of the tables in failures/.
struct FailureReport {
  const Failure* failure = nullptr;
  size_t offset = 0;  // in the text that describes it
  std::vector<RemedyStep> remedy;
  std::vector<FailureEvent> chain;  // first cause first
};

// The failure that a text of the application describes, other than a harmless one. `executor` is the row where it
// happened, -1 if it is unknown; `stage` is the one that failed, or null.
std::optional<FailureReport> ExplainFailure(const Application& application, std::string_view text, int32_t executor,
                                            const Stage* stage = nullptr);

// Whether the text names more than the message that carries a failure.
bool NamesCause(const FailureReport& report);

// Whether memory was too small, or most likely was.
bool IsForMemory(const FailureReport& report);

// Whether a store or a catalog refused requests, because too many came in.
bool IsThrottling(const Failure& failure);

// The line of `text` at `at`, without blanks around it: the one that a failure was recognized by.
std::string_view LineAt(std::string_view text, size_t at);

// "the Java heap was full", for titles.
std::string ShortMeaning(const Failure& failure);

// Returns what to change and what else to check, as sentences without the last point.
std::string AdviceOf(const FailureReport& report);

// The failure, and the row of an executor where a task of it ran.
FailureEvent EventOf(const Application& application, std::string_view what, int64_t at_ns, int32_t executor,
                     int64_t task = kNoTask);

// The end of the first job that failed, as the last event of the chain.
void AddFailedJob(const Application& application, FailureReport* report);

}  // namespace sparkprof
