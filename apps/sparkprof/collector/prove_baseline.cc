// SPDX-License-Identifier: Apache-2.0
#include "prove_baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>
#include <utility>

#include "analysis/selection/application_status.h"
#include "analysis/selection/time_range.h"
#include "http/url.h"
#include "inputs/application_input.h"
#include "loader/remote_inputs.h"
#include "model/application_group.h"
#include "verb.h"

namespace sparkprof {
namespace {

Result<bool> IsApplication(const ServerClient& client, const std::string& id) {
  const Result<HttpResponse> response = client.Send("GET", "/applications/" + PercentEncode(id), {});
  if (!response) return tl::unexpected(response.error());
  if (response->status == 404) return false;
  if (response->status != 200) return Fail(ServerClient::Describe(*response));
  return true;
}

Result<std::string> AddressOf(const std::string& name, const CollectorOptions& server) {
  const Result<ServerClient> client = ServerClient::Create(server);
  if (!client) return tl::unexpected(client.error());
  const Result<bool> is_application = IsApplication(*client, name);
  if (!is_application) return tl::unexpected(is_application.error());
  std::string root = server.server;
  while (root.ends_with('/')) root.pop_back();
  return fmt::format("{}/{}/{}", root, *is_application ? "applications" : "groups", PercentEncode(name));
}

Result<std::vector<std::string>> PathsOf(const std::string& input, const CollectorOptions& server,
                                         RemoteInputs* remote) {
  std::string address = input;
  if (!IsRemote(input)) {
    std::error_code error;
    if (std::filesystem::exists(input, error)) return std::vector<std::string>{input};
    if (server.server.empty())
      return Fail(
          fmt::format("--baseline {}: no such file; for the name of a group on a collector, add --server", input));
    Result<std::string> found = AddressOf(input, server);
    if (!found) return tl::unexpected(found.error());
    address = std::move(*found);
  }
  const auto ignore = [](uint64_t) {};
  if (IsGroupUrl(address)) return remote->FetchGroup(address, ignore);
  Result<std::string> path = remote->Fetch(address, ignore);
  if (!path) return tl::unexpected(path.error());
  return std::vector<std::string>{std::move(*path)};
}

}  // namespace

Result<Baseline> ReadBaseline(const std::vector<std::string>& inputs, const CollectorOptions& server,
                              const std::optional<PriceList>& prices) {
  Result<std::string> token = server.Token();
  if (!token) return Fail("--token-file: " + token.error().message);
  RemoteInputs remote({.token = std::move(*token), .certificate_authorities = server.certificate_authorities});
  Baseline baseline;
  std::set<std::pair<std::string, std::string>> seen;  // ID and attempt
  int64_t latest_ns = -1;
  size_t unfinished = 0;
  for (const std::string& input : inputs) {
    const Result<std::vector<std::string>> paths = PathsOf(input, server, &remote);
    if (!paths) return tl::unexpected(paths.error());
    for (const std::string& path : *paths) {
      // One at a time: their samples are not needed any more.
      const Result<std::vector<Application>> applications =
          LoadApplications({.paths = {path}, .application = {}, .options = {}});
      if (!applications) return tl::unexpected(applications.error());
      for (const Application& application : *applications) {
        if (!seen.emplace(application.id, application.attempt).second) continue;
        if (StatusOf(application, /*is_live=*/false) != ApplicationStatus::kFinished) {
          ++unfinished;
          continue;
        }
        baseline.runs.push_back(RecordedRunOf(application, prices));
        const int64_t start_ns = RangeOf(application).start_ns;
        if (start_ns <= latest_ns) continue;
        latest_ns = start_ns;
        baseline.application = application.id;
        baseline.group = GroupOf(application);
      }
    }
  }
  if (unfinished > 0) PrintNote(fmt::format("--baseline: {} runs that did not finish are left out", unfinished));
  if (baseline.runs.empty())
    return Fail(fmt::format("--baseline {}: no finished application", fmt::join(inputs, ", ")));
  return baseline;
}

}  // namespace sparkprof
