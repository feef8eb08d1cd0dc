// SPDX-License-Identifier: Apache-2.0
#include "remote_options.h"

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <utility>

#include "progress.h"
#include "server_options.h"

namespace sparkprof {
namespace {

// Options of the chosen verb. Only that verb is defined.
struct Accepted {
  CollectorOptions access;
  std::function<std::vector<std::string*>()> inputs;
  std::vector<std::pair<std::string, std::string>> fetched;  // path and address
};

Accepted& Chosen() {
  static Accepted accepted;
  return accepted;
}

}  // namespace

void AcceptUrls(CLI::App& command, std::vector<std::string*> inputs) {
  Chosen().access.AddAccessTo(command, "Server");
  Chosen().inputs = [inputs = std::move(inputs)] { return inputs; };
}

void AcceptUrls(CLI::App& command, std::vector<std::string>* inputs) {
  AcceptUrls(command, std::vector<std::string*>());
  Chosen().inputs = [inputs] {
    std::vector<std::string*> all;
    for (std::string& input : *inputs) all.push_back(&input);
    return all;
  };
}

Result<std::shared_ptr<void>> FetchRemoteInputs() {
  Accepted& accepted = Chosen();
  std::shared_ptr<RemoteInputs> remote;
  if (!accepted.inputs) return remote;
  for (std::string* const input : accepted.inputs()) {
    if (!IsUrl(*input)) continue;
    if (!remote) {
      Result<RemoteAccess> access = AccessOfOptions();
      if (!access) return tl::unexpected(access.error());
      remote = std::make_shared<RemoteInputs>(std::move(*access));
    }
    std::atomic<uint64_t> bytes = 0;
    const Progress progress(fmt::format("fetching {}", *input), {.done = [&bytes] { return bytes.load(); }});
    Result<std::string> path = remote->Fetch(*input, [&bytes](uint64_t now) { bytes = now; });
    if (!path) return tl::unexpected(path.error());
    accepted.fetched.emplace_back(*path, *input);
    *input = std::move(*path);
  }
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
