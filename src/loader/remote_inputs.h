// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "http/http_client.h"

namespace sparkprof {

// How applications of a collector are fetched.
struct RemoteAccess {
  std::string token;                    // sent to the collector only; empty = none
  std::string certificate_authorities;  // PEM file; empty = the system's
  uint64_t max_bytes = uint64_t{1} << 30;
};

// Whether an input is the address of a page or a request: "http://…", "https://…".
bool IsUrl(std::string_view path);

// The request for the recording of an application from the address of its page or of a request about it:
// "http://host:8320/applications/ID", with ?attempt=N for an attempt that is not the last.
Result<std::string> RecordingUrl(const std::string& url);

// Whether an input is the address of a group's page: "http://host:8320/groups/etl".
bool IsGroupUrl(const std::string& url);

// The request that lists the last finished applications of a group, from the address of its page.
Result<std::string> LastRunsUrl(const std::string& url);

// Applications of collectors, as recordings in a private temporary folder, which the destructor and signals that end
// the process remove. One object at a time.
class RemoteInputs {
 public:
  explicit RemoteInputs(RemoteAccess access) : access_(std::move(access)) {}
  ~RemoteInputs();
  RemoteInputs(const RemoteInputs&) = delete;
  RemoteInputs& operator=(const RemoteInputs&) = delete;

  // Called with the bytes of the file that have arrived.
  using OnBytes = std::function<void(uint64_t bytes)>;
  // Fetches the application and returns the path of its recording. Redirects are not followed.
  Result<std::string> Fetch(const std::string& url, const OnBytes& on_bytes);
  // Fetches the last finished applications of a group, at most 20, and returns the paths of their recordings.
  Result<std::vector<std::string>> FetchGroup(const std::string& url, const OnBytes& on_bytes);

 private:
  Result<FileDescriptor> NewFile(const std::string& text, std::string_view id);
  // Sends a request to the collector and gives the body of its answer to `sink`; `text` is for messages.
  Result<void> Get(const std::string& text, const std::string& request, uint64_t max_bytes, const HttpSink& sink) const;

  RemoteAccess access_;
  std::string folder_;
  std::vector<std::string> files_;
};

}  // namespace sparkprof
