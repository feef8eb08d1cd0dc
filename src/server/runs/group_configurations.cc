// SPDX-License-Identifier: Apache-2.0
#include "server/runs/group_configurations.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "inject/pod_injection.h"
#include "server/folders/collector_files.h"
#include "settings/settings.h"

namespace sparkprof {
namespace {

// Settings that the collector itself uses, to choose the jobs to sample.
constexpr std::string_view kJobsPrefix = "jobs.";
constexpr const char* kUsers = "jobs.users";
constexpr const char* kQueues = "jobs.queues";
constexpr const char* kShare = "jobs.share";
constexpr const char* kEnabled = "enabled";
constexpr std::string_view kEnding = ".json";

// Parses a share from 0 to 1 to billionths.
Result<std::string> ReadShare(std::string_view text) {
  const Setting* const fraction = SettingByKey("executor.fraction");
  return ReadSetting(*fraction, text);
}

Result<void> CheckChoice(const std::string& key, const std::string& value) {
  if (key == kShare) {
    const Result<std::string> read = ReadShare(value);
    return read ? Result<void>() : Fail(fmt::format("{}: \"{}\" {}", key, value, read.error().message));
  }
  if (key == kUsers || key == kQueues) {
    return Trim(value).empty() ? Fail(fmt::format("{}: expected names, separated by commas", key)) : Result<void>();
  }
  return Fail(fmt::format("unknown setting '{}'; use {}, {} or {}", key, kUsers, kQueues, kShare));
}

// True if the list contains the name; false without a list.
bool Names(const std::map<std::string, std::string>& settings, const char* key, std::string_view name) {
  const auto list = settings.find(key);
  if (list == settings.end()) return false;
  const std::vector<std::string_view> names = Split(list->second, ',');
  return std::any_of(names.begin(), names.end(), [&](std::string_view one) { return Trim(one) == name; });
}

bool IsChosen(const std::map<std::string, std::string>& settings, const RunningJob& job) {
  const bool has_names = settings.contains(kUsers) || settings.contains(kQueues);
  if (has_names && !Names(settings, kUsers, job.user) && !Names(settings, kQueues, job.queue)) return false;
  const auto share = settings.find(kShare);
  if (share == settings.end()) return true;
  const Result<std::string> billionths = ReadShare(share->second);
  return !billionths || IsInShare(job.application, static_cast<double>(ParseInteger(*billionths).value_or(0)) * 1e-9);
}

// Parses the members of "configuration"; values other than strings keep their JSON form.
Result<std::map<std::string, std::string>> ParseSettings(const std::string& json, int64_t* version) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  if (parser.parse(json).get(document) != simdjson::SUCCESS) return Fail("the body is not JSON");
  if (version != nullptr && document["version"].get(*version) != simdjson::SUCCESS)
    return Fail("\"version\" is missing");
  simdjson::dom::object object;
  if (document["configuration"].get(object) != simdjson::SUCCESS) {
    return Fail("expected {\"configuration\":{\"cpu.interval\":\"20ms\", …}}");
  }
  std::map<std::string, std::string> settings;
  for (const auto& [key, value] : object) {
    std::string_view text;
    settings[std::string(key)] =
        value.get(text) == simdjson::SUCCESS ? std::string(text) : std::string(simdjson::minify(value));
  }
  return settings;
}

Result<void> CheckSettings(const std::map<std::string, std::string>& settings) {
  for (const auto& [key, value] : settings) {
    if (key.starts_with(kJobsPrefix)) {
      if (Result<void> good = CheckChoice(key, value); !good) return good;
      continue;
    }
    const Setting* const setting = SettingByKey(key);
    if (setting == nullptr) {
      const std::string_view nearest = NearestSettingKey(key);
      return Fail(nearest.empty() ? fmt::format("unknown setting '{}'", key)
                                  : fmt::format("unknown setting '{}'; did you mean {}?", key, nearest));
    }
    if (!setting->is_central) {
      return Fail(fmt::format("{} cannot be changed while a job runs; set spark.sparkprof.{} in the job", key, key));
    }
    if (const Result<std::string> read = ReadSetting(*setting, value); !read) {
      return Fail(fmt::format("{}: \"{}\" {}", key, value, read.error().message));
    }
  }
  return {};
}

Result<GroupConfiguration> ReadPath(const std::string& path) {
  GroupConfiguration configuration;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return configuration;
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  const CheckedLines checked = ReadCheckedLines(*text);
  if (checked.lines.size() != 1) {
    return Fail(
        fmt::format("{}: damaged; restore it from a backup, or remove it and set the configuration again", path));
  }
  auto settings = ParseSettings(checked.lines.front(), &configuration.version);
  if (!settings) return Fail(fmt::format("{}: {}", path, settings.error().message));
  configuration.settings = std::move(*settings);
  return configuration;
}

}  // namespace

Result<std::map<std::string, std::string>> ParseConfiguration(const std::string& json) {
  auto settings = ParseSettings(json, nullptr);
  if (!settings) return settings;
  if (Result<void> good = CheckSettings(*settings); !good) return tl::unexpected(good.error());
  return settings;
}

std::string ConfigurationJson(const GroupConfiguration& configuration) {
  JsonWriter json;
  json.BeginObject().Member("version", configuration.version).Key("configuration").BeginObject();
  for (const auto& [key, value] : configuration.settings) json.Member(key, value);
  return json.EndObject().EndObject().Take() + "\n";
}

std::string GroupConfigurations::PathOf(const std::string& key) const {
  return fmt::format("{}/{}{}", folder_, FileNameFor(key), kEnding);
}

GroupConfigurations::GroupConfigurations(const std::string& folder) : folder_(folder + "/groups") {
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder_, error)) {
    if (file.path().extension() == kEnding) (void)ReadAndNote(file.path());
  }
}

std::vector<std::string> GroupConfigurations::Problems() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> problems;
  for (const auto& [path, problem] : problems_) problems.push_back(problem);
  return problems;
}

Result<GroupConfiguration> GroupConfigurations::Read(const std::string& key) {
  return ReadAndNote(FindFile(folder_, key, kEnding));
}

Result<GroupConfiguration> GroupConfigurations::ReadAndNote(const std::string& path) {
  Result<GroupConfiguration> read = ReadPath(path);
  problems_.erase(path);
  if (!read) problems_[path] = read.error().message;
  return read;
}

Result<GroupConfiguration> GroupConfigurations::Get(const std::string& tenant, const std::string& group) {
  const std::lock_guard lock(mutex_);
  return Read(GroupKey(tenant, group));
}

Result<GroupConfiguration> GroupConfigurations::For(const std::string& tenant, const std::string& group,
                                                    const RunningJob& job) {
  const std::lock_guard lock(mutex_);
  Result<GroupConfiguration> own = Read(GroupKey(tenant, group));
  if (!own) return own;
  const Result<GroupConfiguration> all = Read(GroupKey(tenant, kAllGroups));
  if (!all) return all;
  const bool sets_enabled = own->settings.contains(kEnabled);
  own->version += all->version;
  own->settings.insert(all->settings.begin(), all->settings.end());
  if (!sets_enabled && !IsChosen(own->settings, job)) own->settings[kEnabled] = "false";
  std::erase_if(own->settings, [](const auto& setting) { return setting.first.starts_with(kJobsPrefix); });
  return own;
}

Configured GroupConfigurations::Set(const std::string& tenant, const std::string& group, const std::string& json,
                                    std::optional<int64_t> expected, const RecordConfiguration& record) {
  Configured result;
  const std::string key = GroupKey(tenant, group);
  auto settings = ParseConfiguration(json);
  if (!settings) {
    result.status = ConfigureStatus::kInvalid;
    result.problem = settings.error().message;
    return result;
  }
  const std::lock_guard lock(mutex_);
  Result<GroupConfiguration> before = Read(key);
  if (!before) {
    result.status = ConfigureStatus::kUnavailable;
    result.problem = before.error().message;
    return result;
  }
  if (expected && *expected != before->version) {
    result.status = ConfigureStatus::kConflict;
    result.problem =
        fmt::format("the configuration has version {}, expected {}; read it again", before->version, *expected);
    return result;
  }
  result.before = std::move(*before);
  result.after = {result.before.version + 1, std::move(*settings)};
  const Result<void> changed = record(result.before, result.after, [&]() -> Result<void> {
    if (Result<void> created = CreateFolders(folder_); !created) return created;
    std::string text = ConfigurationJson(result.after);
    text.pop_back();  // removes the line end
    if (write_shared_) {
      return write_shared_(fmt::format("groups/{}.json", FileNameFor(key)), WithChecksum(text) + "\n");
    }
    return WriteFile(PathOf(key), WithChecksum(text) + "\n");
  });
  if (!changed) {
    result.status = ConfigureStatus::kUnavailable;
    result.problem = changed.error().message;
  }
  return result;
}

}  // namespace sparkprof
