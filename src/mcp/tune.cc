// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/tuning/tuning.h"
#include "base/text/text.h"
#include "mcp/facts.h"
#include "mcp/job_text.h"
#include "mcp/tool.h"

namespace sparkprof {

Result<ToolAnswer> AnswerTune(ApplicationSource* source, const ToolArguments& arguments) {
  const Result<AskedApplication> asked = LoadAsked(source, arguments);
  if (!asked) return tl::unexpected(asked.error());
  const TuningGoal goal = ParseTuningGoal(arguments.Text("goal")).value_or(TuningGoal::kCost);
  const Tuning tuning = Tune({{asked->recorded.get(), asked->answers.get()}}, goal);
  const std::string_view tasks = SourceOfTasks(*asked->recorded);
  const std::string from =
      asked->recorded->series.empty() ? fmt::format("[{}]", tasks) : fmt::format("[{}, process metrics]", tasks);
  ToolAnswer answer;
  answer.Add(fmt::format("{} · goal {} · settings {}. {}", Marked(asked->recorded->id, 80),
                         goal == TuningGoal::kCost ? "cost" : "time", tuning.settings.size(), kMarkNote));
  if (tuning.settings.empty()) answer.Add("No setting would make a difference that the recorded data show.");
  for (const TunedSetting& one : tuning.settings) {
    answer.Add(
        fmt::format("--conf {}={}\n  was {}. {} {}", one.key, one.value, Marked(one.was, 80), Marked(one.why), from));
  }
  if (tasks == "no tasks") {
    answer.Add("Time and memory of the next run: not predicted, as no tasks were recorded");
  } else if (tuning.recorded.duration_ns > 0) {
    answer.Add(fmt::format("Predicted time {}, was {} [model of {}]",
                           FormatDurationRange(static_cast<int64_t>(tuning.duration_ns.low),
                                               static_cast<int64_t>(tuning.duration_ns.high)),
                           FormatDuration(tuning.recorded.duration_ns), tasks));
    answer.Add(tuning.recorded.gb_hours > 0
                   ? fmt::format("Predicted memory {:.3g}–{:.3g} GB-hours, was {:.3g} [model of {}]",
                                 tuning.gb_hours.low, tuning.gb_hours.high, tuning.recorded.gb_hours, tasks)
                   : "Memory: not measured, so unknown");
  }
  return answer;
}

}  // namespace sparkprof
