// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json_parser.h"
#include "fragments/fragment_answer.h"

namespace sparkprof {

// Adds the facts and findings of a fragment of one kind to `answer` and returns the main fact for the verdict. The text
// is untrusted: readers skip damaged or truncated parts.
using FragmentReader = std::string(std::string_view text, FragmentAnswer* answer);

FragmentReader AnswerGcLog;
FragmentReader AnswerHeapHistogram;
FragmentReader AnswerThreadDump;
FragmentReader AnswerCrashReport;
FragmentReader AnswerKernelLog;
FragmentReader AnswerExplainPlan;
FragmentReader AnswerStreamingProgress;
FragmentReader AnswerStackTrace;
FragmentReader AnswerRestAnswer;
FragmentReader AnswerYarnRestAnswer;
FragmentReader AnswerLivy;
FragmentReader AnswerSparkApplication;
FragmentReader AnswerOperatorLog;
FragmentReader AnswerPodDescription;
FragmentReader AnswerKubernetesTable;  // pods or events
FragmentReader AnswerYarnStatus;
FragmentReader AnswerYarnList;
FragmentReader AnswerSubmitCommand;
FragmentReader AnswerWebPage;
FragmentReader AnswerJsonMessage;
FragmentReader AnswerQueryHistory;

// The words after `program` ("spark-submit", also with a path) in the first shell command that runs it, up to its end,
// without quotes and line continuations. Empty if there is none. Variables stay as written.
std::vector<std::string> WordsOfCommand(std::string_view text, std::string_view program);

// Adds a finding of medium confidence and low severity.
Finding& AddFinding(std::string_view rule, std::string title, FragmentAnswer* answer);

// A process's memory in bytes; nullopt = unknown.
struct ProcessMemory {
  std::optional<int64_t> heap, overhead;
};

// Parses "9011Mi" or "8192m"; nullopt for other texts and for 0.
std::optional<int64_t> MemoryIn(std::string_view text);

// Time, place and numbers of a failure, for its remedy.
struct FailureContext {
  int64_t at_ns = 0;  // 0 = unknown
  std::string host = {};
  ProcessMemory driver = {}, executor = {};
};

// Adds the failure of a part of a job: `subject` is "Stage 4.0", `reason` is as in the input, `log` names where to read
// more. Failures with the same reason are one finding.
void AddFailure(std::string_view subject, std::string_view reason, std::string_view log, FragmentAnswer* answer,
                const FailureContext& context = {});

// An application as YARN's ResourceManager describes it. Times are ms since the epoch; 0 = unknown.
struct YarnApplication {
  std::string id, name = {}, state, final_state, reason = {}, queue = {};
  int64_t start_ms = 0, finish_ms = 0;
  int64_t containers = 0, memory_mebibytes = 0;
  double queue_percent = 0;
};

// Adds the failed applications, and the waiting ones with the applications that run in their queue.
void AddYarnApplications(const std::vector<YarnApplication>& applications, FragmentAnswer* answer);

// "1 BroadcastHashJoin, 2 SortMergeJoin".
using Counts = std::map<std::string, int64_t>;
std::string CountsText(const Counts& counts);

// Calls `visit` with each outermost object: a single one, elements of an array, one per line, or concatenated ones.
// Skips a truncated last one.
void ForEachJsonObject(std::string_view text, const std::function<void(const simdjson::dom::object&)>& visit);

// "KEY: VALUE" lines nested by indentation: simple YAML, and the output of `kubectl describe`. Paths are those of YAML:
// "Exit Code" below "State" is "state.exitCode". Elements of a list have the path of the list.
class IndentedText {
 public:
  using Field = std::pair<std::string, std::string>;  // path, value

  explicit IndentedText(std::string_view text);

  // The first value at a path; empty if there is none.
  std::string_view At(std::string_view path) const;
  // The fields whose paths start with `begin`, with the rest of their paths, in text order.
  std::vector<Field> Below(std::string_view begin) const;

 private:
  std::vector<Field> fields_;
};

}  // namespace sparkprof
