// SPDX-License-Identifier: Apache-2.0
#include "inputs/remote_options.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "inputs/server_options.h"
#include "output/progress.h"

namespace sparkprof {
namespace {

// Options of the chosen command, the only one defined.
struct Accepted {
  CollectorOptions access;
  std::vector<std::string*> inputs;                          // one application each
  std::vector<std::string>* list = nullptr;                  // any number of applications
  std::vector<std::pair<std::string, std::string>> fetched;  // path and address
};

Accepted& Chosen() {
  static Accepted accepted;
  return accepted;
}

// The paths for an address or location. Creates `remote` on demand.
Result<std::vector<std::string>> FetchInput(const std::string& input, bool may_be_group,
                                            std::shared_ptr<RemoteInputs>* remote) {
  if (*remote == nullptr) {
    Result<RemoteAccess> access = AccessOfOptions();
    if (!access) return tl::unexpected(access.error());
    *remote = std::make_shared<RemoteInputs>(std::move(*access));
  }
  std::atomic<uint64_t> bytes = 0;
  const Progress progress(fmt::format("fetching {}", input), {.done = [&bytes] { return bytes.load(); }});
  const auto on_bytes = [&bytes](uint64_t now) { bytes = now; };
  std::vector<std::string> paths;
  if (may_be_group && IsGroupUrl(input)) {
    Result<std::vector<std::string>> runs = (*remote)->FetchGroup(input, on_bytes);
    if (!runs) return runs;
    paths = std::move(*runs);
  } else {
    const Result<std::string> path = (*remote)->Fetch(input, on_bytes);
    if (!path) return tl::unexpected(path.error());
    paths = {*path};
  }
  for (const std::string& path : paths) Chosen().fetched.emplace_back(path, input);
  return paths;
}

}  // namespace

void AcceptUrls(CLI::App& command, std::vector<std::string*> inputs) {
  Chosen().access.AddAccessTo(command, "Server");
  Chosen().inputs = std::move(inputs);
}

void AcceptUrls(CLI::App& command, std::vector<std::string>* inputs) {
  AcceptUrls(command, std::vector<std::string*>());
  Chosen().list = inputs;
}

Result<std::shared_ptr<void>> FetchRemoteInputs() {
  Accepted& accepted = Chosen();
  std::shared_ptr<RemoteInputs> remote;
  for (std::string* const input : accepted.inputs) {
    if (!IsRemote(*input)) continue;
    const Result<std::vector<std::string>> paths = FetchInput(*input, /*may_be_group=*/false, &remote);
    if (!paths) return tl::unexpected(paths.error());
    *input = paths->front();
  }
  if (accepted.list == nullptr) return remote;
  std::vector<std::string> all;
  for (const std::string& input : *accepted.list) {
    const Result<std::vector<std::string>> paths =
        IsRemote(input) ? FetchInput(input, /*may_be_group=*/true, &remote) : std::vector{input};
    if (!paths) return tl::unexpected(paths.error());
    all.insert(all.end(), paths->begin(), paths->end());
  }
  *accepted.list = std::move(all);
  return remote;
}

Result<RemoteAccess> AccessOfOptions() {
  Result<std::string> token = Chosen().access.Token();
  if (!token) return Fail("--token-file: " + token.error().message);
  return RemoteAccess{.token = std::move(*token), .certificate_authorities = Chosen().access.certificate_authorities};
}

std::string UrlOf(const std::string& path) {
  for (const auto& [fetched, url] : Chosen().fetched) {
    if (fetched == path) return url;
  }
  return {};
}

std::string WithUrls(std::string message) {
  for (const auto& [path, url] : Chosen().fetched) {
    for (size_t at = message.find(path); at != std::string::npos; at = message.find(path, at + url.size())) {
      message.replace(at, path.size(), url);
    }
  }
  return message;
}

}  // namespace sparkprof
