// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/auto_decisions.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxKnownRuns = 10'000;
constexpr std::string_view kEnding = ".auto.json";

std::string DecisionText(const AutoVersion* version) {
  JsonWriter json;
  json.BeginObject().Member("version", version == nullptr ? 0 : version->number).Key("settings").BeginObject();
  if (version != nullptr) {
    for (const auto& [key, value] : version->settings) json.Member(key, value);
  }
  return json.EndObject().Member("why", version == nullptr ? "" : version->why).EndObject().Take();
}

}  // namespace

Result<std::vector<PastRun>> AutoDecisions::LastRuns(const std::string& group, const std::optional<Viewer>& viewer) {
  const Result<ApplicationPage> page = catalogue_->Applications({.group = group,
                                                                 .without_nodes = true,
                                                                 .viewer = viewer,
                                                                 .order = ApplicationOrder::kStart,
                                                                 .descending = true,
                                                                 .limit = policy_->RunsToRead()});
  if (!page) return tl::unexpected(page.error());
  const int64_t now_ns = EpochNanos();
  std::vector<PastRun> runs;
  for (const ApplicationRow& row : page->applications) {
    if (row.status == ApplicationStatus::kRunning) continue;
    {
      const std::lock_guard lock(mutex_);
      const auto known = known_.find(row.key);
      if (known != known_.end() && known->second.end_ns == row.end_ns) {
        runs.push_back(known->second);
        continue;
      }
    }
    const Result<std::shared_ptr<const CachedApplication>> application = applications_->Read(row.key.id);
    // Skips unreadable runs.
    if (!application || *application == nullptr) continue;
    const std::shared_ptr<CachedAttempt> attempt = (*application)->Attempt(row.key.attempt);
    if (attempt == nullptr) continue;
    PastRun run = PastRunOf(attempt->Recorded(), *attempt->GetAnswers(), *policy_, now_ns);
    run.end_ns = row.end_ns;
    if (!run.is_running) {
      const std::lock_guard lock(mutex_);
      if (known_.size() > kMaxKnownRuns) known_.clear();
      known_[row.key] = run;
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::string AutoDecisions::PathOf(const std::string& tenant, const std::string& group) const {
  return fmt::format("{}/{}{}", folder_, FileNameFor(GroupKey(tenant, group)), kEnding);
}

Result<AutoState> AutoDecisions::Read(const std::string& tenant, const std::string& group) const {
  const std::string path = FindFile(folder_, GroupKey(tenant, group), kEnding);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return AutoState();
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  return ParseAutoState(*text, path);
}

Result<AutoState> AutoDecisions::StateOf(const std::string& tenant, const std::string& group) {
  const std::lock_guard lock(mutex_);
  return Read(tenant, group);
}

Result<AutoDecision> AutoDecisions::DecideFor(const std::string& group, const std::optional<Viewer>& viewer,
                                              const AutoValues& own, const Record& record) {
  const std::string tenant = viewer ? viewer->tenant : "";
  // Reading may take long, and other groups must not wait for it.
  Result<std::vector<PastRun>> runs = LastRuns(group, viewer);
  if (!runs) return tl::unexpected(runs.error());
  const std::lock_guard lock(mutex_);
  Result<AutoState> read = Read(tenant, group);
  if (!read) return tl::unexpected(read.error());
  AutoState state = std::move(*read);
  const std::string before = DecisionText(state.versions.empty() ? nullptr : &state.versions.back());
  AutoDecision decision = Decide(*policy_, std::move(*runs), own, EpochNanos(), &state);
  if (state.versions.empty()) return decision;
  const auto write = [&]() -> Result<void> {
    if (Result<void> created = CreateFolders(folder_); !created) return created;
    return WriteFile(PathOf(tenant, group), AutoStateJson(group, state) + "\n");
  };
  const Result<void> kept = decision.kind == AutoDecision::Kind::kKept
                                ? write()
                                : record(before, DecisionText(&state.versions.back()), write);
  if (!kept) return tl::unexpected(kept.error());
  return decision;
}

}  // namespace sparkprof
