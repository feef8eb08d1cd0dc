// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <simdjson.h>

#include <string>

#include "inputs/server_options.h"
#include "launch/job_settings.h"

namespace sparkprof {
namespace {

constexpr std::chrono::seconds kCheckTimeout{5};
constexpr char kName[] = "server";

Check Judge(const std::string& server, const Result<HttpResponse>& response) {
  const auto limited = [](std::string finding, std::string advice) {
    return Check{kName, CheckStatus::kLimited, std::move(finding), std::move(advice)};
  };
  if (!response) {
    return limited(
        fmt::format("{}: {}; jobs run, and their recordings stay on their machines", server, response.error().message),
        "start the server, or correct spark.sparkprof.server");
  }
  switch (response->status) {
    case 200:
    case 400:  // response to an empty recording
      return {kName, CheckStatus::kOk, server + ": reachable, accepts recordings", ""};
    case 401:
    case 403:
      return limited(fmt::format("{}: {}", server, ServerClient::Describe(*response)),
                     "set spark.sparkprof.server.tokenFile or SPARKPROF_SERVER_TOKEN to a token with the role ingest");
    case 429:
    case 503:
      return limited(fmt::format("{}: {}", server, ServerClient::Describe(*response)), "see /healthz of the server");
    default:
      return limited(fmt::format("{}: not a sparkprof server ({})", server, ServerClient::Describe(*response)),
                     "correct spark.sparkprof.server");
  }
}

// `response` is the configuration of all groups.
Check JudgeSwitches(const std::string& server, const Result<HttpResponse>& response) {
  constexpr char kSwitches[] = "switches";
  const std::string command = fmt::format("sparkprof collector configure --server {} --group '*'", server);
  simdjson::dom::parser parser;
  simdjson::dom::object settings;
  if (!response || response->status != 200 ||
      parser.parse(simdjson::padded_string(response->Body()))["configuration"].get(settings) != simdjson::SUCCESS) {
    return {kSwitches, CheckStatus::kLimited,
            fmt::format("what the server sets for all jobs is unknown: {}",
                        response ? ServerClient::Describe(*response) : response.error().message),
            fmt::format("see what \"{}\" prints", command)};
  }
  std::string list;
  bool is_off = false;
  for (const auto& [key, value] : settings) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) continue;
    list += fmt::format("{}{}={}", list.empty() ? "" : ", ", key, text);
    is_off = is_off || (key == "enabled" && text == "false");
  }
  if (is_off) {
    return {kSwitches, CheckStatus::kLimited, fmt::format("the server sets for all jobs: {}", list),
            fmt::format("to sample them, run \"{} enabled=\"", command)};
  }
  if (list.empty()) return {kSwitches, CheckStatus::kOk, "the server sets nothing for all jobs", ""};
  return {kSwitches, CheckStatus::kOk, fmt::format("the server sets for all jobs: {}", list), ""};
}

}  // namespace

std::vector<Check> CheckServer(const DoctorRequest& request) {
  SubmitRequest job{{"spark-submit"}, request.environment, "", {}};
  if (!request.spark_home.empty()) job.environment["SPARK_HOME"] = request.spark_home;
  const JobSettings settings = ResolveSettings(job);
  CollectorOptions options = CollectorOf(settings);
  options.timeout = kCheckTimeout;
  const std::string server = options.server;
  if (server.empty()) return {};
  const auto client = ServerClient::Create(options);
  if (!client) {
    return {{kName, CheckStatus::kLimited, fmt::format("{}: {}", server, client.error().message),
             "correct spark.sparkprof.server.tokenFile"}};
  }
  std::vector<Check> checks{
      Judge(server, client->Send("POST", "/recordings", "", {{"content-type", "application/octet-stream"}}))};
  if (request.cluster && checks.front().status == CheckStatus::kOk) {
    checks.push_back(JudgeSwitches(server, client->Send("GET", "/groups/%2A/configuration", {})));
  }
  return checks;
}

}  // namespace sparkprof
