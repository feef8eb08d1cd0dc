// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/json_parser.h"
#include "fragments/fragment_answer.h"

namespace sparkprof {

// Adds the facts and findings of a fragment of one kind to `answer`, and returns the main fact, for the verdict. Text
// is of any origin: what is damaged or truncated is left out.
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
FragmentReader AnswerKubernetesTable;  // of pods or events
FragmentReader AnswerYarnStatus;
FragmentReader AnswerYarnList;
FragmentReader AnswerSubmitCommand;
FragmentReader AnswerWebPage;

// A finding that a list shows whole, of medium confidence and low severity.
Finding& AddFinding(std::string_view rule, std::string title, FragmentAnswer* answer);

// A part of a job that failed: `subject` is "Stage 4.0", `reason` as the input has it, `log` where to read more. The
// same reason of several is one finding.
void AddFailure(std::string_view subject, std::string_view reason, std::string_view log, FragmentAnswer* answer);

// An application as the ResourceManager of YARN describes it. Times are ms since the epoch; 0 = unknown.
struct YarnApplication {
  std::string id, name = {}, state, final_state, reason = {}, queue = {};
  int64_t start_ms = 0, finish_ms = 0;
  int64_t containers = 0, memory_mebibytes = 0;
  double queue_percent = 0;
};

// The failures among them, and those that wait, with what runs in the same queue.
void AddYarnApplications(const std::vector<YarnApplication>& applications, FragmentAnswer* answer);

// "1 BroadcastHashJoin, 2 SortMergeJoin".
using Counts = std::map<std::string, int64_t>;
std::string CountsText(const Counts& counts);

// Calls `visit` with each outermost object of JSON: one, those of an array, one a line, or one after another. The last
// one of truncated text is left out.
void ForEachJsonObject(std::string_view text, const std::function<void(const simdjson::dom::object&)>& visit);

// "KEY: VALUE" lines whose depth is their indentation: YAML without its finer points, and what `kubectl describe`
// prints. A path is that of YAML: "Exit Code" below "State" is "state.exitCode". Elements of lists have the path of
// their list.
class IndentedText {
 public:
  using Field = std::pair<std::string, std::string>;  // path, value

  explicit IndentedText(std::string_view text);

  // The value at a path, the first of several; empty if there is none.
  std::string_view At(std::string_view path) const;
  // The fields whose path starts with `begin`, with the rest of their paths, in the order of the text.
  std::vector<Field> Below(std::string_view begin) const;

 private:
  std::vector<Field> fields_;
};

}  // namespace sparkprof
