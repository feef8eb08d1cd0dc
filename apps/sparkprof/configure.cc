// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <map>
#include <memory>

#include "base/json_writer.h"
#include "base/output_file.h"
#include "http/url.h"
#include "recording_options.h"
#include "server_options.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct ConfigureOptions {
  CollectorOptions server;
  std::string group;
  std::vector<std::string> changes;
  bool json = false;
};

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
    // Jobs write it like this, too.
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

int RunConfigure(const ConfigureOptions& options, const CLI::App& command) {
  const Result<ServerClient> client = ServerClient::Create(options.server);
  if (!client) return Misuse(command, client.error().message);
  const std::string path = fmt::format("/groups/{}/configuration", PercentEncode(options.group));
  Result<HttpResponse> response = client->Send("GET", path, {});
  if (!response) return Complain(response.error().message);
  Result<Configuration> configuration = ParseConfiguration(*response);
  if (!configuration) return Complain(configuration.error().message);
  if (!options.changes.empty()) {
    if (const Result<void> applied = Apply(options.changes, &configuration->settings); !applied) {
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
      WriteOutput("-", options.json ? std::string(response->Body()) : Describe(*configuration));
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineConfigure(CLI::App& command) {
  const auto options = std::make_shared<ConfigureOptions>();
  command.add_option("CHANGE", options->changes, "KEY=VALUE sets a setting, KEY= removes it; none: print the settings");
  options->server.AddTo(command);
  command.add_option("--group", options->group, "Group of applications; their label, or else their name")
      ->required()
      ->type_name("GROUP");
  command.add_flag("--json", options->json, "Print JSON");
  command.footer(
      "Settings of a group take effect on its running jobs within a minute. Keys are those of docs/settings.md,\n"
      "without spark.sparkprof.\n"
      "Examples:\n"
      "  sparkprof configure --server http://127.0.0.1:8320 --group etl cpu.interval=20ms executor.fraction=0.1\n"
      "  sparkprof configure --server http://127.0.0.1:8320 --group etl enabled=false\n"
      "  sparkprof configure --server http://127.0.0.1:8320 --group etl enabled=");
  return [options, &command] { return RunConfigure(*options, command); };
}

}  // namespace sparkprof
