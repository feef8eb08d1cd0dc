// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "history/answer_parts.h"

namespace sparkprof {
namespace {

constexpr std::array<std::string_view, 4> kStatusNames = {"running", "succeeded", "failed", "unknown"};

std::string_view StatusText(JobStatus status) {
  constexpr std::string_view kTexts[] = {"RUNNING", "SUCCEEDED", "FAILED"};
  return kTexts[static_cast<size_t>(status)];
}

void WriteJob(const HistoryJob& job, JsonWriter* json) {
  json->BeginObject().Member("jobId", job.id).Member("name", job.name);
  WriteText("description", job.description, json);
  WriteTime("submissionTime", job.submission_ms, json);
  WriteTime("completionTime", job.completion_ms, json);
  json->Member("stageIds", job.stage_ids);
  WriteText("jobGroup", job.group, json);
  json->Member("jobTags", job.tags);
  json->Member("status", StatusText(job.status))
      .Member("numTasks", job.tasks)
      .Member("numActiveTasks", job.active_tasks)
      .Member("numCompletedTasks", job.completed_tasks)
      .Member("numSkippedTasks", job.skipped_tasks)
      .Member("numFailedTasks", job.failed_tasks)
      .Member("numKilledTasks", job.killed_tasks)
      .Member("numCompletedIndices", job.completed_indices)
      .Member("numActiveStages", job.active_stages)
      .Member("numCompletedStages", job.completed_stages.size())
      .Member("numSkippedStages", job.skipped_stages.size())
      .Member("numFailedStages", job.failed_stages);
  json->Key("killedTasksSummary").Object(job.killed_summary);
  json->EndObject();
}

HistoryAnswer OneJob(const History& history, const std::string& text) {
  const std::optional<int64_t> id = ParseInteger(text);
  if (!id) return NoSuchPath();
  const auto job = history.jobs.find(*id);
  if (job == history.jobs.end()) return NotFound("unknown job: " + text);
  JsonWriter json;
  WriteJob(job->second, &json);
  return JsonAnswer(&json);
}

}  // namespace

HistoryAnswer AnswerJobs(const History& history, AnswerPath path, HistoryParameters parameters) {
  if (path.size() == 1) return OneJob(history, path[0]);
  if (!path.empty()) return NoSuchPath();
  std::vector<std::string> wanted;
  for (const std::string& value : ValuesOf(parameters, "status")) {
    wanted.push_back(ToLowerAscii(value));
    if (std::find(kStatusNames.begin(), kStatusNames.end(), wanted.back()) == kStatusNames.end()) return NoSuchPath();
  }
  JsonWriter json;
  json.BeginArray();
  for (auto job = history.jobs.rbegin(); job != history.jobs.rend(); ++job) {
    const std::string_view status = kStatusNames[static_cast<size_t>(job->second.status)];
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), status) != wanted.end()) {
      WriteJob(job->second, &json);
    }
  }
  json.EndArray();
  return JsonAnswer(&json);
}

}  // namespace sparkprof
