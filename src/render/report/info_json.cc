// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/selection/known_parts.h"
#include "base/saturate.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "render/report/answers_json.h"
#include "render/report/info.h"

namespace sparkprof {
namespace {

bool IsWhole(const RecordingStatus& status) {
  return status.damaged_blocks == 0 && status.skipped_bytes == 0 && status.cut_bytes == 0;
}

void WriteApplications(const std::vector<AnsweredRun>& runs, JsonWriter* json) {
  json->Key("applications").BeginArray();
  for (const auto& [application, answers] : runs) {
    json->BeginObject()
        .Member("id", application.id)
        .Member("attempt", application.attempt)
        .Member("name", application.name)
        .Member("sparkVersion", application.spark_version)
        .Member("startTime", application.start_ns / kNanosPerMilli)
        .Member("endTime", application.end_ns / kNanosPerMilli)
        .Member("complete", application.complete);
    if (answers.costs) {
      json->Key("cost");
      WriteCosts(*answers.costs, json);
    }
    json->EndObject();
  }
  json->EndArray();
}

void AddOtherEvents(const Profile& profile, std::map<std::string_view, Coverage>* by_name) {
  for (const Sample& sample : profile.samples) {
    Coverage& sum = (*by_name)[profile.events[sample.event].name];
    AddSaturated(sample.count, &sum.count);
    AddSaturated(sample.weight, &sum.weight);
  }
}

void WriteSamples(const std::vector<AnsweredRun>& runs, JsonWriter* json) {
  std::map<Event, Coverage> events;
  for (const auto& [application, answers] : runs) {
    for (const Coverage& coverage : application.coverage) {
      Coverage& sum = events[coverage.event];
      sum.count += coverage.count;
      sum.weight += coverage.weight;
      sum.on_task_threads += coverage.on_task_threads;
      sum.joined += coverage.joined;
      sum.lost += coverage.lost;
    }
  }
  std::map<std::string_view, Coverage> by_name;  // other tools' events that sparkprof does not record
  for (const auto& [application, answers] : runs) {
    if (application.is_foreign) AddOtherEvents(application.profile, &by_name);
  }
  for (const auto& [event, coverage] : events) by_name[EventName(event)] = coverage;
  json->Key("samples").BeginObject();
  for (const auto& [name, coverage] : by_name) {
    json->Key(name)
        .BeginObject()
        .Member("count", coverage.count)
        .Member("weight", coverage.weight)
        .Member("onTaskThreads", coverage.on_task_threads)
        .Member("joined", coverage.joined)
        .Member("lost", coverage.lost)
        .EndObject();
  }
  json->EndObject();
}

void WriteDetails(const std::vector<AnsweredRun>& runs, JsonWriter* json) {
  std::map<std::pair<std::string, std::string>, int64_t> losses;
  std::map<std::string, std::string> settings;
  for (const auto& [application, answers] : runs) {
    for (const Loss& loss : application.losses) losses[{loss.what, loss.reason}] += loss.count;
    for (const ProfilerSetting& setting : application.settings) settings[setting.name] = setting.value;
  }
  json->Key("losses").BeginArray();
  for (const auto& [loss, count] : losses) {
    json->BeginObject().Member("what", loss.first).Member("reason", loss.second).Member("count", count).EndObject();
  }
  json->EndArray().Key("settings").Object(settings).Key("notices").BeginArray();
  for (const auto& [application, answers] : runs) {
    for (const ApplicationNotice& notice : application.notices) {
      json->BeginObject()
          .Member("time", notice.notice.time_ns / kNanosPerMilli)
          .Member("level", NoticeLevelName(notice.notice.level))
          .Member("text", notice.notice.text)
          .EndObject();
    }
  }
  json->EndArray();
}

// The sum over the applications that have it; unknown if none does.
class Count {
 public:
  void Add(bool is_known, size_t count) {
    if (is_known) sum_ = sum_.value_or(0) + count;
  }
  void Write(std::string_view key, JsonWriter* json) const { json->Member(key, sum_); }

 private:
  std::optional<size_t> sum_;
};

CpuOwners OwnersOfAll(const std::vector<AnsweredRun>& runs) {
  std::map<std::pair<std::string, OwnerKind>, CpuOwner> sums;
  CpuOwners all;
  for (const auto& [application, answers] : runs) {
    AddSaturated(answers.owners.processes_ns, &all.processes_ns);
    for (const CpuOwner& owner : answers.owners.owners) {
      CpuOwner& sum = sums.try_emplace({owner.name, owner.kind}, CpuOwner{owner.name, owner.kind}).first->second;
      AddSaturated(owner.cpu_ns, &sum.cpu_ns);
      AddSaturated(owner.garbage_ns, &sum.garbage_ns);
    }
  }
  for (const auto& [owner, sum] : sums) all.owners.push_back(sum);
  std::stable_sort(all.owners.begin(), all.owners.end(),
                   [](const CpuOwner& a, const CpuOwner& b) { return a.cpu_ns > b.cpu_ns; });
  return all;
}

// Several applications have a line each.
std::string VerdictOfAll(const std::vector<AnsweredRun>& runs) {
  if (runs.size() == 1) return runs.front().answers.verdict;
  std::string text;
  for (const auto& [application, answers] : runs)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", application.id, answers.verdict);
  return text;
}

}  // namespace

std::string_view NoticeLevelName(NoticeLevel level) {
  constexpr std::string_view kNames[] = {"information", "warning", "error"};
  return kNames[static_cast<size_t>(level)];
}

std::string RenderInfoJson(const std::vector<AnsweredRun>& runs, const RecordingStatus* status,
                           const std::vector<std::string>& lines) {
  Count jobs, stages, tasks, executors;
  bool complete = status == nullptr || IsWhole(*status);
  for (const auto& [application, answers] : runs) {
    const KnownParts known = PartsKnownOf(application);
    jobs.Add(known.jobs, application.jobs.size());
    stages.Add(known.tasks, application.stages.size());
    tasks.Add(known.tasks, application.tasks.Size());
    executors.Add(known.executors, application.ExecutorCount());
    complete = complete && application.complete;
  }
  JsonWriter json;
  json.BeginObject();
  WriteApplications(runs, &json);
  json.Key("counts").BeginObject();
  jobs.Write("jobs", &json);
  stages.Write("stages", &json);
  tasks.Write("tasks", &json);
  executors.Write("executors", &json);
  json.EndObject();
  WriteSamples(runs, &json);
  WriteOwners(OwnersOfAll(runs), &json);
  WriteAccount(runs, &json);
  json.Member("verdict", VerdictOfAll(runs));
  json.Member("complete", complete);
  WriteDetails(runs, &json);
  if (status != nullptr) {
    json.Key("recording")
        .BeginObject()
        .Member("blocks", status->blocks)
        .Member("damagedBlocks", status->damaged_blocks)
        .Member("skippedBytes", status->skipped_bytes)
        .Member("cutBytes", status->cut_bytes)
        .Member("firstError", status->first_error)
        .EndObject();
  }
  if (!lines.empty()) {
    json.Member("lines", lines);
  }
  return json.EndObject().Take();
}

}  // namespace sparkprof
