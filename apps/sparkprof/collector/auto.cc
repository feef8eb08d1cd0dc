// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <set>

#include "analysis/answers.h"
#include "analysis/selection/time_range.h"
#include "auto/decision.h"
#include "base/io/byte_source.h"
#include "base/io/file.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "collector_parts.h"
#include "http/url.h"
#include "inputs/application_input.h"
#include "model/application_group.h"
#include "server/folders/collector_files.h"

namespace sparkprof {
namespace {

namespace dom = simdjson::dom;

constexpr size_t kMaxStateBytes = size_t{16} << 20;
// A job waits this long for the collector: for its list of settings, and for the decision, for which it reads runs.
constexpr std::chrono::seconds kAskTimeout{5}, kDecideTimeout{30};

// A job that did not ask for sizes does not report why there are none, such as a collector of an earlier version.
AutoAnswer NotApplied(const AutoQuestion& question, const std::string& why) {
  return {.is_on = question.is_on, .text = "the job keeps its own settings: " + why, .version = 0, .settings = {}};
}

Result<AutoState> ReadState(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return AutoState();
  const Result<std::string> text = ReadAll(path, kMaxStateBytes);
  if (!text) return tl::unexpected(text.error());
  return ParseAutoState(*text, path);
}

// The only group of the applications; an error names them.
Result<std::string> OnlyGroup(const std::vector<Application>& applications) {
  constexpr size_t kNamed = 5;
  std::set<std::string> groups;
  for (const Application& application : applications) groups.insert(GroupOf(application));
  if (groups.size() == 1) return *groups.begin();
  std::vector<std::string> named(groups.begin(), std::next(groups.begin(), std::min(kNamed, groups.size())));
  return Fail(fmt::format("the folder has runs of several groups ({}{}); set spark.sparkprof.label",
                          fmt::join(named, ", "), groups.size() > kNamed ? ", …" : ""));
}

Result<AutoAnswer> AskFolder(const AutoQuestion& question) {
  const Result<AutoPolicy> policy = ReadAutoPolicy(question.policy);
  if (!policy) return tl::unexpected(policy.error());
  const Result<std::vector<Application>> applications = LoadApplications({.paths = {question.folder}});
  if (!applications) return NotApplied(question, applications.error().message);
  if (applications->empty()) return NotApplied(question, fmt::format("no runs in {}", question.folder));
  const Result<std::string> group = question.group.empty() ? OnlyGroup(*applications) : question.group;
  if (!group) return NotApplied(question, group.error().message);
  const std::string path = FindFile(question.folder, *group, ".auto.json");
  Result<AutoState> state = ReadState(path);
  if (!state) return NotApplied(question, state.error().message);
  std::vector<const Application*> chosen;
  for (const Application& application : *applications) {
    if (GroupOf(application) == *group) chosen.push_back(&application);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Application* a, const Application* b) { return RangeOf(*a).end_ns > RangeOf(*b).end_ns; });
  if (chosen.size() > policy->RunsToRead()) chosen.resize(policy->RunsToRead());
  const int64_t now_ns = EpochNanos();
  std::vector<PastRun> runs;
  for (const Application* application : chosen)
    runs.push_back(PastRunOf(*application, Answer(*application), *policy, now_ns));
  const AutoDecision decision = Decide(*policy, std::move(runs), question.own, now_ns, &*state);
  if (!state->versions.empty()) {
    if (const Result<void> kept = WriteFile(path, AutoStateJson(*group, *state) + "\n"); !kept)
      return NotApplied(question, kept.error().message);
  }
  return AutoAnswer{.is_on = true,
                    .text = fmt::format("{}: {}", *group, decision.text),
                    .version = decision.version,
                    .settings = {decision.settings.begin(), decision.settings.end()}};
}

Result<HttpResponse> Send(CollectorOptions options, std::chrono::seconds timeout, std::string_view method,
                          const std::string& path, const std::string& body) {
  options.timeout = timeout;
  const Result<ServerClient> client = ServerClient::Create(options);
  if (!client) return tl::unexpected(client.error());
  Result<HttpResponse> response = client->Send(method, path, body, {{"content-type", "application/json"}});
  if (response && response->status != 200) return Fail(ServerClient::Describe(*response));
  return response;
}

// The settings in a collector's answer. It decides sizes only, whatever it sends.
Result<AutoAnswer> AnswerOf(const std::string& group, std::string_view body) {
  dom::parser parser;
  dom::element document;
  dom::object settings;
  std::string_view text;
  AutoAnswer answer{.is_on = true, .text = "", .version = 0, .settings = {}};
  if (parser.parse(simdjson::padded_string(body)).get(document) != simdjson::SUCCESS ||
      document["text"].get(text) != simdjson::SUCCESS || document["version"].get(answer.version) != simdjson::SUCCESS ||
      document["settings"].get(settings) != simdjson::SUCCESS)
    return Fail("the collector's answer is not a decision");
  for (const auto& [key, value] : settings) {
    std::string_view one;
    if (value.get(one) != simdjson::SUCCESS || !MayBeAutomatic(key, one))
      return Fail(fmt::format("the collector sent {}, which may not change automatically", key));
    answer.settings.emplace_back(key, one);
  }
  answer.text = fmt::format("{}: {}", group, text);
  return answer;
}

AutoAnswer AskCollector(const AutoQuestion& question) {
  if (question.group.empty())
    return NotApplied(question, "its group is unknown before it starts; set spark.sparkprof.label");
  const std::string path = "/groups/" + PercentEncode(question.group);
  const Result<HttpResponse> response = Send(question.collector, kAskTimeout, "GET", path + "/configuration/auto", "");
  if (!response) return NotApplied(question, response.error().message);
  dom::parser parser;
  dom::element document;
  dom::array keys;
  std::string_view configured;
  if (parser.parse(simdjson::padded_string(response->Body())).get(document) != simdjson::SUCCESS ||
      document["auto"].get(configured) != simdjson::SUCCESS || document["keys"].get(keys) != simdjson::SUCCESS)
    return NotApplied(question, "the collector's answer is not a list of settings");
  if (configured == "off" || (configured != "on" && !question.is_on))
    return NotApplied(question, fmt::format("auto is off for the group {} of the collector", question.group));
  if (keys.size() == 0) return NotApplied(question, "the collector has no policy; start it with --auto-policy");
  JsonWriter json;
  json.BeginObject().Key("own").BeginObject();
  for (const dom::element key : keys) {
    std::string_view name;
    if (key.get(name) != simdjson::SUCCESS) continue;
    // A job sends the values of sizes only, whatever the collector asks for.
    const auto own = question.own.find(std::string(name));
    if (own != question.own.end() && MayBeAutomatic(name, own->second)) json.Member(name, own->second);
  }
  const std::string body = json.EndObject().EndObject().Take();
  const Result<HttpResponse> decided = Send(question.collector, kDecideTimeout, "POST", path + "/auto", body);
  if (!decided) return NotApplied(question, decided.error().message);
  Result<AutoAnswer> answer = AnswerOf(question.group, decided->Body());
  return answer ? std::move(*answer) : NotApplied(question, answer.error().message);
}

}  // namespace

Result<AutoAnswer> AskForSettings(const AutoQuestion& question) {
  return question.folder.empty() ? AskCollector(question) : AskFolder(question);
}

}  // namespace sparkprof
