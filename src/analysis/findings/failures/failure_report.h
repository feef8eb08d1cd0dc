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

// In notices about the driver's Python program (python/sparkprof/_sampler.py); its traceback follows.
inline constexpr std::string_view kProgramEnded = "the driver's program ended: ";

// One step in the course of events.
struct FailureEvent {
  std::string_view what;  // ID of a failure, "stage-failed", "job-failed" or "application-ended"
  int64_t at_ns = 0;      // 0 = unknown
  int64_t task = kNoTask;
  std::string host = {};  // empty = unknown
  std::string text = {};  // a sentence
};

// A failure of an application, from the tables in failures/.
struct FailureReport {
  const Failure* failure = nullptr;
  size_t offset = 0;  // position in the text that describes it
  std::vector<RemedyStep> remedy;
  std::vector<FailureEvent> chain;  // first cause first
  std::string means = {};           // a sentence, with the values of the text
};

// The failure of rank `least` or above that a text of the application describes. `executor` is the row where it
// happened, -1 if unknown; `stage` is the failed stage or null.
std::optional<FailureReport> ExplainFailure(const Application& application, std::string_view text, int32_t executor,
                                            const Stage* stage = nullptr, FailureRank least = FailureRank::kWrapper);

// The texts of the logs of a short input, in which a failure's signs look for their other parts.
std::vector<std::string_view> TextsAround(const Application& application);

// Says of the steps whose settings the texts show that they have that value already, or which one they have.
void MarkSettings(const std::vector<std::string_view>& texts, std::vector<RemedyStep>* steps);

// True if the text is about the driver, or the application master that runs it, whichever process wrote it.
bool NamesDriver(std::string_view text);

// True if the text of a stage or job says that the user or the program ended it on purpose: a stopped streaming query,
// canceled jobs.
bool NamesCancellation(const Application& application, std::string_view text);

// True if the text explains more than the wrapper of a failure.
bool NamesCause(const FailureReport& report);

// True if the exception only wraps its cause: "[TASK_WRITE_FAILED] Task failed while writing rows".
bool IsWrapper(std::string_view exception);

// True if memory ran out, or most likely did.
bool IsForMemory(const FailureReport& report);

// True if a store or a catalog rejected requests because there were too many.
bool IsThrottling(const Failure& failure);

// The trimmed line of `text` that contains `at`, by which a failure was recognized.
std::string_view LineAt(std::string_view text, size_t at);

// About `most` characters of that line, as complete sentences around `at`.
std::string ExcerptAt(std::string_view text, size_t at, size_t most);

inline constexpr size_t kTitleLength = 60, kWholeTitleLength = 100;

// "the Java heap was full", for titles. A title that nothing else explains has more room.
std::string ShortMeaning(const FailureReport& report, size_t most = kTitleLength);

// The meaning without the final period.
std::string_view MeaningOf(const FailureReport& report);

// Advice and further checks, as sentences without the final period.
std::string AdviceOf(const FailureReport& report);

// Steps after the first one: "the task failed in 4 attempts (93.0 s later); job 0 failed (93.1 s later)"; may be empty.
std::string ConsequencesOf(const FailureReport& report);

// An event for the failure. `executor` is the row of the executor that ran its task.
FailureEvent EventOf(const Application& application, std::string_view what, int64_t at_ns, int32_t executor,
                     int64_t task = kNoTask);

// Adds the task and host named in a text of Spark: "Lost task 3.0 in stage 4.0 (TID 7) (h2 executor 5): …".
void AddTaskIn(std::string_view text, FailureEvent* event);

// Adds the known consequences: other attempts of the task, its stage, its job, and the end of the application.
void AddConsequences(const Application& application, FailureReport* report);

}  // namespace sparkprof
