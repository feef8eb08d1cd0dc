// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sparkprof {

// Parts of other programs' output that people paste instead of the logs of a job.
enum class FragmentKind : uint8_t {
  kStreamingProgress,
  kSparkApplication,
  kRestAnswer,
  kYarnRestAnswer,
  kLivyAnswer,
  kOperatorLog,
  kCrashReport,
  kKernelLog,
  kThreadDump,
  kHeapHistogram,
  kGcLog,
  kExplainPlan,
  kPodDescription,
  kEventList,
  kPodList,
  kYarnStatus,
  kYarnList,
  kSubmitCommand,
  kWebPage,
  kJsonMessage,
  kStackTrace,
  kYarnLogs,
  kQueryHistory,
};

struct FragmentType {
  FragmentKind kind;
  std::string_view name;                      // "a GC log"
  std::string_view answers;                   // result of `sparkprof findings`
  std::string_view more;                      // input with more answers, as a sentence without its period
  bool (*looks_like)(std::string_view head);  // whether text that starts with `head` is one
};

// In the order in which text is compared with them.
std::span<const FragmentType> FragmentTypes();
const FragmentType& TypeOf(FragmentKind kind);

// The type of text that starts with `head`, which has no header lines of a log; null if it is none.
const FragmentType* RecognizeFragment(std::string_view head);

// Whether scripts and documents in a folder of logs have such text, so that only a file that the user names, or that is
// named like a log, is one.
bool IsOfSources(FragmentKind kind);

// Shared with the readers of these kinds.
bool IsGcLine(std::string_view line);
bool IsHistogramLine(std::string_view line);  // "   1:        123456        7890123  [B (java.base@17.0.9)"

}  // namespace sparkprof
