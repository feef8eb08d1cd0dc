// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/text.h"
#include "capture/run.h"
#include "collector_parts.h"
#include "http/url.h"
#include "loader/remote_inputs.h"
#include "settings/settings.h"

namespace sparkprof {
namespace {

constexpr char kVersionKey[] = "spark.sparkprof.auto.version";
constexpr std::string_view kGroupPath = "/groups/";

// The job's group as the collector will find it in the recording; empty = its code decides.
std::string GroupBeforeStart(const JobSettings& settings, const SubmitRequest& request) {
  const std::string& label = settings.values.find("label")->second;
  return label.empty() ? FindSetting(request, "spark.app.name") : label;
}

// Chooses the folder or collector with the last runs.
Result<void> ChooseSource(const JobSettings& settings, AutoQuestion* question) {
  std::string from = settings.values.find("auto.from")->second;
  question->collector = CollectorOf(settings);
  const std::string& folder = settings.values.find("dir")->second;
  const bool is_local = !folder.empty() && !IsUri(folder);
  if (from.empty() && is_local && question->collector.server.empty()) from = folder;
  if (from.empty()) {
    if (question->collector.server.empty()) return Fail("--auto: expected --from FOLDER, or --server URL");
    return {};
  }
  if (!IsUrl(from)) {
    if (IsUri(from))
      return Fail(fmt::format("--from {}: expected a local folder, or the address of a collector", from));
    if (question->policy.empty()) return Fail("--auto: expected --auto-policy FILE for a folder; see docs/auto.md");
    question->folder = from;
    return {};
  }
  const size_t page = from.find(kGroupPath);
  if (page != std::string::npos) {
    Result<std::string> group = PercentDecode(from.substr(page + kGroupPath.size()));
    if (!group) return Fail(fmt::format("--from {}: {}", from, group.error().message));
    question->group = std::move(*group);
    from.resize(page);
  }
  question->collector.server = from;
  return {};
}

}  // namespace

Result<void> AddAutoSettings(const JobSettings& settings, bool is_asked, SubmitRequest* request) {
  const std::string& own = settings.values.find("auto")->second;
  if (own == "off") {
    if (is_asked) Say("auto: off in the job's own settings");
    return {};
  }
  AutoQuestion question;
  question.is_on = is_asked || own == "on";
  if (!question.is_on && settings.values.find("server")->second.empty()) return {};
  question.policy = settings.values.find("auto.policy")->second;
  question.group = GroupBeforeStart(settings, *request);
  // A collector's configuration of the group may have auto=on. Without a group there is nothing to ask.
  if (!question.is_on && question.group.empty()) return {};
  if (const Result<void> chosen = ChooseSource(settings, &question); !chosen) {
    return question.is_on ? chosen : Result<void>();
  }
  // Only a collector can switch automatic sizes on.
  if (!question.is_on) question.folder.clear();
  for (const auto& [key, found] : FindSettings(*request)) question.own.emplace(key, found.value);
  const Result<AutoAnswer> answer = AskForSettings(question);
  if (!answer) return question.is_on ? tl::unexpected(answer.error()) : Result<void>();
  if (!answer->is_on) return {};
  Say(fmt::format("auto: {}", answer->text));
  if (answer->version == 0) return {};
  for (const auto& [key, value] : answer->settings) request->settings.emplace_back(key, value);
  request->settings.emplace_back(kVersionKey, std::to_string(answer->version));
  return {};
}

}  // namespace sparkprof
