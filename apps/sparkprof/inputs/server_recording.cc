// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/io/file.h"
#include "base/io/private_file.h"
#include "base/time.h"
#include "http/url.h"
#include "inputs/remote_recordings.h"

namespace sparkprof {
namespace {

struct Listed {
  std::string id, attempt;
  bool has_ended = false;
};

Result<HttpResponse> Get(const ServerClient& client, const std::string& path) {
  Result<HttpResponse> response = client.Send("GET", path, "");
  if (response && response->status != 200) return Fail(ServerClient::Describe(*response));
  return response;
}

// Applications that started since then, latest first.
Result<std::vector<Listed>> ListSince(const ServerClient& client, int64_t since_ns) {
  const int64_t since_ms = (since_ns - kClockDifferenceNs) / kNanosPerMilli;
  const std::string request = fmt::format("/applications?from={}&sort=-startTime&limit=100", since_ms);
  const Result<HttpResponse> response = Get(client, request);
  if (!response) return tl::unexpected(response.error());
  simdjson::dom::parser parser;
  simdjson::dom::array rows;
  if (parser.parse(simdjson::padded_string(response->Body()))["applications"].get(rows) != simdjson::SUCCESS)
    return Fail("the server's list of applications is no JSON with applications");
  std::vector<Listed> applications;
  for (const simdjson::dom::element row : rows) {
    std::string_view id, attempt, status;
    int64_t start_ms = 0;
    if (row["id"].get(id) != simdjson::SUCCESS || row["startTime"].get(start_ms) != simdjson::SUCCESS) continue;
    if (start_ms < since_ms) continue;
    if (row["attempt"].get(attempt) != simdjson::SUCCESS) attempt = {};
    if (row["status"].get(status) != simdjson::SUCCESS) status = {};
    applications.push_back({std::string(id), std::string(attempt), status != "running"});
  }
  return applications;
}

Result<void> Copy(const ServerClient& client, const Listed& application, const std::string& path) {
  const std::string query = application.attempt.empty() ? "" : "?attempt=" + PercentEncode(application.attempt);
  const Result<HttpResponse> recording =
      Get(client, fmt::format("/applications/{}/recording{}", PercentEncode(application.id), query));
  if (!recording) return tl::unexpected(recording.error());
  unlink(path.c_str());
  const Result<FileDescriptor> file = CreateNewFile(path, O_WRONLY);
  if (!file) return tl::unexpected(file.error());
  return WriteAll(file->Get(), recording->Body(), path);
}

}  // namespace

Result<std::string> FetchFromServer(const CollectorOptions& options, const RemoteRecording& remote,
                                    const std::string& target) {
  const Result<ServerClient> client = ServerClient::Create(options);
  if (!client) return tl::unexpected(client.error());
  const std::string path = target + "/fetched.sprof";
  std::set<std::pair<std::string, std::string>> others;
  // A collector lists an application some seconds after its last block.
  constexpr int kTries = 30;
  for (int tries = 0; tries < kTries; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    const Result<std::vector<Listed>> applications = ListSince(*client, remote.since_ns);
    if (!applications) return tl::unexpected(applications.error());
    for (const Listed& application : *applications) {
      if (!application.has_ended || others.contains({application.id, application.attempt})) continue;
      if (const Result<void> copied = Copy(*client, application, path); !copied) return tl::unexpected(copied.error());
      if (IsOfRun(path, remote.run))
        return fmt::format("{}/applications/{}", options.server, PercentEncode(application.id));
      others.emplace(application.id, application.attempt);
    }
  }
  unlink(path.c_str());
  return Fail("the server has no recording of this application");
}

}  // namespace sparkprof
