// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

}  // namespace

std::optional<Check> CheckServer(const DoctorRequest& request) {
  SubmitRequest job{{"spark-submit"}, request.environment, "", {}};
  if (!request.spark_home.empty()) job.environment["SPARK_HOME"] = request.spark_home;
  const JobSettings settings = ResolveSettings(job);
  CollectorOptions options = CollectorOf(settings);
  options.timeout = kCheckTimeout;
  const std::string server = options.server;
  if (server.empty()) return std::nullopt;
  const auto client = ServerClient::Create(options);
  if (!client) {
    return Check{kName, CheckStatus::kLimited, fmt::format("{}: {}", server, client.error().message),
                 "correct spark.sparkprof.server.tokenFile"};
  }
  return Judge(server, client->Send("POST", "/recordings", "", {{"content-type", "application/octet-stream"}}));
}

}  // namespace sparkprof
