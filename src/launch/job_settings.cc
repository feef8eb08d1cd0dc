// SPDX-License-Identifier: Apache-2.0
#include "launch/job_settings.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/text/text.h"
#include "settings/settings.h"

namespace sparkprof {
namespace {

constexpr auto kVariablePrefixes = std::to_array<std::string_view>({"spark.yarn.appMasterEnv.", "spark.executorEnv."});

struct Candidate {
  std::string name;  // name for messages
  std::string text;
};

class Resolver {
 public:
  explicit Resolver(const SubmitRequest& request) : request_(request), conf_(FindSettings(request)) {
    for (const auto& [key, value] : request.settings) conf_[key] = {value, "run"};
  }

  JobSettings Resolve() {
    const ProfilingContext context = ReadProfilingContext([&](const std::string& name) {
      const std::vector<Candidate> variables = Variables(name);
      return variables.empty() ? std::nullopt : std::optional(variables.front().text);
    });
    if (!context.wrong.empty()) settings_.refused.push_back(context.wrong);
    for (const Setting& setting : AllSettings()) Resolve(setting, context.settings);
    CheckKeys();
    CheckVariables();
    return std::move(settings_);
  }

 private:
  std::vector<Candidate> FromConf(const std::string& key) const {
    const auto found = conf_.find(key);
    if (found == conf_.end() || Trim(found->second.value).empty()) return {};
    return {{fmt::format("{} ({})", key, found->second.place), found->second.value}};
  }

  // Variables in the environments of driver and executors, the driver's first.
  std::vector<Candidate> Variables(const std::string& name) const {
    std::vector<Candidate> found;
    const auto own = request_.environment.find(name);
    if (own != request_.environment.end() && !Trim(own->second).empty()) found.push_back({name, own->second});
    for (const std::string_view prefix : kVariablePrefixes) {
      for (Candidate& candidate : FromConf(std::string(prefix) + name)) found.push_back(std::move(candidate));
    }
    return found;
  }

  void Resolve(const Setting& setting, const std::map<std::string, std::string>& context) {
    // Executors may use a different variable than the driver, so all are checked.
    std::vector<Candidate> candidates = FromConf(std::string(kSettingPrefix) + std::string(setting.key));
    if (candidates.empty()) candidates = Variables(EnvironmentName(setting.key));
    const auto from_context = context.find(std::string(setting.key));
    if (candidates.empty() && from_context != context.end()) {
      candidates.push_back({fmt::format("{} of {}", setting.key, kProfilingContext), from_context->second});
    }
    std::optional<std::string> value;
    for (const Candidate& candidate : candidates) {
      const Result<std::string> read = ReadSetting(setting, candidate.text);
      if (!read) settings_.refused.push_back(SettingRefusal(setting, candidate.name, candidate.text, read.error()));
      if (read && !value) value = *read;
    }
    if (!value && !setting.standard.empty()) value = ReadSetting(setting, setting.standard).value();
    settings_.values.emplace(setting.key, value.value_or(""));
  }

  void CheckKeys() {
    for (const auto& [name, found] : conf_) {
      if (!name.starts_with(kSettingPrefix)) continue;
      const std::string_view key = std::string_view(name).substr(kSettingPrefix.size());
      if (SettingByKey(key) != nullptr) continue;
      const std::string_view nearest = NearestSettingKey(key);
      settings_.refused.push_back(fmt::format("{} ({}) is not a setting", ToOneLine(name), found.place));
      if (!nearest.empty()) settings_.refused.back() += fmt::format("; did you mean {}{}?", kSettingPrefix, nearest);
    }
  }

  // Other tools may use variables with this prefix, so a misspelled one is only a note.
  void CheckVariable(const std::string& place, std::string_view name) {
    const std::string meant = MisspelledVariable(name);
    if (!meant.empty())
      settings_.notes.push_back(fmt::format("{}{} is not a setting; did you mean {}?", place, name, meant));
  }

  void CheckVariables() {
    for (const auto& [name, value] : request_.environment) CheckVariable("", name);
    for (const auto& [name, found] : conf_) {
      for (const std::string_view prefix : kVariablePrefixes) {
        if (name.starts_with(prefix)) CheckVariable(std::string(prefix), std::string_view(name).substr(prefix.size()));
      }
    }
  }

  const SubmitRequest& request_;
  std::map<std::string, FoundSetting> conf_;
  JobSettings settings_;
};

}  // namespace

JobSettings ResolveSettings(const SubmitRequest& request) { return Resolver(request).Resolve(); }

std::string Describe(const JobSettings& settings) {
  return SamplingText([&](std::string_view key) { return settings.values.find(key)->second; });
}

}  // namespace sparkprof
