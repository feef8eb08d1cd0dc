// SPDX-License-Identifier: Apache-2.0
#include "group_settings.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <map>

#include "base/io/output_file.h"
#include "base/text/json_writer.h"
#include "capture/recording_options.h"
#include "http/url.h"
#include "verb.h"

namespace sparkprof {
namespace {

using Settings = std::map<std::string, std::string>;

struct Configuration {
  int64_t version = 0;
  Settings settings;
};

Result<Configuration> ParseConfiguration(const HttpResponse& response) {
  if (response.status != 200) return Fail(ServerClient::Describe(response));
  Configuration configuration;
  simdjson::dom::parser parser;
  simdjson::dom::object settings;
  const auto document = parser.parse(simdjson::padded_string(response.Body()));
  if (document["version"].get(configuration.version) != simdjson::SUCCESS ||
      document["configuration"].get(settings) != simdjson::SUCCESS) {
    return Fail("the answer is not a configuration; is --server the address of `sparkprof serve`?");
  }
  for (const auto& [key, value] : settings) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) configuration.settings[std::string(key)] = text;
  }
  return configuration;
}

// Applies "KEY=VALUE"; "KEY=" removes the setting.
Result<void> Apply(const std::vector<std::string>& changes, Settings* settings) {
  for (const std::string& change : changes) {
    const size_t equal = change.find('=');
    if (equal == std::string::npos || equal == 0) return Fail(fmt::format("'{}': expected KEY=VALUE", change));
    // Jobs also use this prefix.
    constexpr std::string_view kPrefix = "spark.sparkprof.";
    const size_t begin = change.starts_with(kPrefix) ? kPrefix.size() : 0;
    const std::string key = change.substr(begin, equal - begin);
    if (equal + 1 == change.size()) {
      settings->erase(key);
    } else {
      (*settings)[key] = change.substr(equal + 1);
    }
  }
  return {};
}

std::string Body(const Settings& settings) {
  JsonWriter json;
  json.BeginObject().Key("configuration").BeginObject();
  for (const auto& [key, value] : settings) json.Member(key, value);
  return json.EndObject().EndObject().Take();
}

std::string Describe(const Configuration& configuration) {
  if (configuration.settings.empty()) return "no settings: jobs use their own\n";
  std::string text;
  for (const auto& [key, value] : configuration.settings) text += fmt::format("{}={}\n", key, value);
  return text;
}

}  // namespace

int ConfigureGroup(const GroupSettingsRequest& request, const CLI::App& command) {
  const Result<ServerClient> client = ServerClient::Create(request.server);
  if (!client) return Misuse(command, client.error().message);
  const std::string path = fmt::format("/groups/{}/configuration", PercentEncode(request.group));
  Result<HttpResponse> response = client->Send("GET", path, {});
  if (!response) return Complain(response.error().message);
  Result<Configuration> configuration = ParseConfiguration(*response);
  if (!configuration) return Complain(configuration.error().message);
  if (!request.changes.empty()) {
    if (const Result<void> applied = Apply(request.changes, &configuration->settings); !applied) {
      return Misuse(command, applied.error().message);
    }
    response = client->Send(
        "PUT", path, Body(configuration->settings),
        {{"content-type", "application/json"}, {"if-match", fmt::format("\"{}\"", configuration->version)}});
    if (!response) return Complain(response.error().message);
    configuration = ParseConfiguration(*response);
    if (!configuration) return Complain(configuration.error().message);
  }
  const Result<void> written =
      WriteOutput("-", request.json ? std::string(response->Body()) : Describe(*configuration));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace sparkprof
