// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/comparison/compared_runs.h"
#include "analysis/time/stage_summary.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "catalogue/catalogue_entry.h"
#include "profiles/profile_transform.h"
#include "render/writers/answer_writers.h"
#include "server/applications/application_json.h"
#include "server/responses.h"
#include "server/routes/answers.h"
#include "server/routes/query.h"

namespace sparkprof {
namespace {

constexpr std::string_view kComparedParameters = "a b aGroup aFrom aTo bGroup bFrom bTo event";

using Settings = std::map<std::string, std::string>;

Settings SettingsOf(const Application& application) {
  Settings settings;
  for (const auto& [group, pairs] : application.environment) {
    for (const auto& [name, value] : pairs) settings.emplace(fmt::format("{}: {}", group, name), value);
  }
  for (const ProfilerSetting& setting : application.settings)
    settings.emplace("sparkprof: " + setting.name, setting.value);
  return settings;
}

// A stage's rows in both applications; at least one is set.
struct ComparedStage {
  std::optional<size_t> a, b;
};

// Matches stages with the same name, number of tasks, and position among those; then the remaining ones by name.
std::vector<std::pair<std::string, ComparedStage>> MatchStages(const Application& a, const Application& b) {
  using Key = std::tuple<std::string, int64_t, size_t>;  // name, tasks (-1 = any), position
  const auto key_of = [](const Application& application, size_t row, bool with_tasks, std::map<Key, size_t>* seen) {
    const Stage& stage = application.stages[row];
    const int64_t tasks = with_tasks ? stage.task_count : -1;
    return Key(stage.name, tasks, (*seen)[{stage.name, tasks, 0}]++);
  };
  std::vector<std::optional<size_t>> of_a(a.stages.size());
  std::vector<bool> taken(b.stages.size());
  for (const bool with_tasks : {true, false}) {
    std::map<Key, size_t> rows, seen_b, seen_a;
    for (size_t row = 0; row < b.stages.size(); ++row) {
      if (!taken[row]) rows[key_of(b, row, with_tasks, &seen_b)] = row;
    }
    for (size_t row = 0; row < a.stages.size(); ++row) {
      if (of_a[row]) continue;
      const auto found = rows.find(key_of(a, row, with_tasks, &seen_a));
      if (found == rows.end()) continue;
      of_a[row] = found->second;
      taken[found->second] = true;
    }
  }
  std::vector<std::pair<std::string, ComparedStage>> stages;
  for (size_t row = 0; row < a.stages.size(); ++row) stages.push_back({a.stages[row].name, {row, of_a[row]}});
  for (size_t row = 0; row < b.stages.size(); ++row) {
    if (!taken[row]) stages.push_back({b.stages[row].name, {std::nullopt, row}});
  }
  return stages;
}

void WriteStage(const Application& application, const Answers& answers, std::optional<size_t> row, JsonWriter* json) {
  if (!row) {
    json->Null();
    return;
  }
  const Stage& stage = application.stages[*row];
  const StageSummary& summary = answers.stages[*row];
  json->BeginObject().Member("stage", stage.id).Member("attempt", stage.attempt);
  json->Member("status", RunStatusName(stage.status));
  json->Member("durationMs", std::max<int64_t>(0, stage.end_ns - stage.submit_ns) / kNanosPerMilli);
  json->Member("tasks", summary.tasks.size()).Member("failedTasks", summary.failed_tasks);
  json->Member("runTimeNs", summary.Total(TaskMetric::kExecutorRunTime));
  json->Member("cpuTimeNs", summary.Total(TaskMetric::kExecutorCpuTime));
  json->Member("gcTimeNs", summary.Total(TaskMetric::kGcTime));
  json->Member("shuffleReadBytes", summary.Total(TaskMetric::kShuffleReadBytes));
  json->Member("shuffleWriteBytes", summary.Total(TaskMetric::kShuffleWriteBytes));
  json->Member("spilledBytes", summary.Total(TaskMetric::kDiskSpilled)).EndObject();
}

// The last attempt of an application, or an error response.
struct ComparedAttempt {
  std::string entry;
  std::shared_ptr<CachedAttempt> attempt;
  HttpResponse refusal;
};

ComparedAttempt FindCompared(ServerParts* parts, const HttpRequest& request, const std::string& id) {
  const Result<std::shared_ptr<const CachedApplication>> found = parts->cache->Get(ResolveEntry(*parts, request, id));
  if (!found) return {"", nullptr, ErrorResponse(503, found.error().message)};
  if (*found == nullptr) return {"", nullptr, ErrorResponse(404, fmt::format("application {} is unknown", id))};
  std::shared_ptr<CachedAttempt> attempt = (*found)->attempts.back();
  if (auto refusal = RefuseViewer(*parts, request, id, attempt->Viewers())) return {"", nullptr, *refusal};
  return {(*found)->entry, std::move(attempt), {}};
}

// The samples of one side: an application, or a range of a group. `side` is "a" or "b".
struct ComparedProfile {
  std::optional<Profile> profile;
  HttpResponse refusal;  // set if there is no profile
};

ComparedProfile Refused(unsigned status, const std::string& why) { return {std::nullopt, ErrorResponse(status, why)}; }

ComparedProfile SideOf(ServerParts* parts, const HttpRequest& request, const std::string& side) {
  const std::string_view event_name = request.Parameter("event");
  const std::string event(event_name.empty() ? "cpu" : event_name);
  if (const std::string_view group = request.Parameter(side + "Group"); !group.empty()) {
    const auto from = TimeParameter(request, side + "From"), to = TimeParameter(request, side + "To");
    if (!from) return Refused(400, from.error().message);
    if (!to) return Refused(400, to.error().message);
    Result<Profile> samples = parts->catalogue->GroupSamples({.group = std::string(group),
                                                              .from_ns = *from,
                                                              .to_ns = *to,
                                                              .viewer = parts->options.access.ViewerOf(request)},
                                                             event);
    if (!samples) return Refused(503, samples.error().message);
    return {std::move(*samples), {}};
  }
  const std::string id(request.Parameter(side));
  if (id.empty()) return Refused(400, fmt::format("missing parameter {}: an application's ID, or {}Group", side, side));
  ComparedAttempt found = FindCompared(parts, request, id);
  if (!found.attempt) return {std::nullopt, std::move(found.refusal)};
  const std::shared_ptr<const Application> application = found.attempt->In(Language::kMerged, /*fold=*/true);
  const std::optional<Event> known = ParseEvent(event);
  // Profiles of other tools have further events.
  if (!known && !application->profile.FindEvent(event)) {
    return Refused(400, fmt::format("event: {} is not one that sparkprof records", event));
  }
  Selection selection;
  selection.event = event;
  selection.without_idle = true;
  const Result<std::vector<uint32_t>> rows = SelectSamples(*application, selection);
  if (!rows) return Refused(400, rows.error().message);
  Profile sums = SumByStack(application->profile, *rows);
  const EventId row = known ? sums.AddEvent(*known) : *sums.FindEvent(event);
  Result<Profile> shown =
      Transform(application->profile, sums, {.lines = false, .fold_pyspark = true, .lasting_files = true}, row);
  if (!shown) return Refused(400, shown.error().message);
  return {std::move(*shown), {}};
}

}  // namespace

HttpResponse CompareApplications(ServerParts* parts, const HttpRequest& request, const Captured&) {
  std::shared_ptr<CachedAttempt> sides[2];
  std::string entries[2];
  for (const int side : {0, 1}) {
    const std::string id(request.Parameter(side == 0 ? "a" : "b"));
    if (id.empty()) return ErrorResponse(400, "missing parameters a and b: IDs of applications");
    ComparedAttempt found = FindCompared(parts, request, id);
    if (!found.attempt) return found.refusal;
    sides[side] = std::move(found.attempt);
    entries[side] = std::move(found.entry);
  }
  const Application &a = sides[0]->Recorded(), &b = sides[1]->Recorded();
  const std::shared_ptr<const Answers> answers[] = {sides[0]->GetAnswers(), sides[1]->GetAnswers()};
  JsonWriter json;
  json.BeginObject();
  for (const int side : {0, 1}) {
    json.Key(side == 0 ? "a" : "b");
    const Application& application = sides[side]->Recorded();
    const auto row = parts->catalogue->Find(entries[side], application.attempt);
    if (!row) return ErrorResponse(503, row.error().message);
    // A new application is not in the catalogue yet.
    WriteApplicationRow(*row ? **row : MakeCatalogueEntry(application, *answers[side], {}).application,
                        parts->options.prices, &json);
  }
  json.Key("stages").BeginArray();
  for (const auto& [name, stage] : MatchStages(a, b)) {
    json.BeginObject().Member("name", name).Key("a");
    WriteStage(a, *answers[0], stage.a, &json);
    json.Key("b");
    WriteStage(b, *answers[1], stage.b, &json);
    json.EndObject();
  }
  json.EndArray().Key("settings").BeginArray();
  const Settings settings[] = {SettingsOf(a), SettingsOf(b)};
  std::set<std::string> names;
  for (const Settings& side : settings) {
    for (const auto& [name, value] : side) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto in_a = settings[0].find(name), in_b = settings[1].find(name);
    const bool has_a = in_a != settings[0].end(), has_b = in_b != settings[1].end();
    if (has_a && has_b && in_a->second == in_b->second) continue;
    json.BeginObject().Member("name", name).Key("a");
    has_a ? json.Value(in_a->second) : json.Null();
    json.Key("b");
    has_b ? json.Value(in_b->second) : json.Null();
    json.EndObject();
  }
  json.EndArray().Key("change");
  // b is the baseline, as on the page.
  const AnsweredRun before{b, *answers[1]}, after{a, *answers[0]};
  WriteRuns(CompareAnswered(before, after), before, after, &json);
  json.EndObject();
  return JsonResponse(std::move(json));
}

HttpResponse CompareFlames(ServerParts* parts, const HttpRequest& request, const Captured&) {
  const Result<PictureRequest> picture =
      ParsePictureParameters(PictureKind::kDiff, ParametersWithout(request.parameters, kComparedParameters));
  if (!picture) return ErrorResponse(400, picture.error().message);
  // b is the baseline, as on the page.
  ComparedProfile after = SideOf(parts, request, "a");
  if (!after.profile) return after.refusal;
  ComparedProfile before = SideOf(parts, request, "b");
  if (!before.profile) return before.refusal;
  return PictureResponse(DrawDiff(*before.profile, *after.profile, *picture), {});
}

}  // namespace sparkprof
