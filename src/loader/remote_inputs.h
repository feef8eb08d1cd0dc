// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/http_client.h"

namespace sparkprof {

// A private folder in TMPDIR. The destructor and fatal signals remove it. Only one object may exist at a time.
class TemporaryFolder {
 public:
  static Result<std::unique_ptr<TemporaryFolder>> Make();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& Path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  const std::string path_;
};

struct RemoteAccess {
  std::string token;                    // sent to the collector only; empty = none
  std::string certificate_authorities;  // PEM file; empty = the system's
  uint64_t max_bytes = uint64_t{1} << 30;
};

// Whether an input is the URL of a page or request: "http://…", "https://…".
bool IsUrl(std::string_view path);

// Whether an input is remote: such a URL, or a location on HDFS or in an object store.
bool IsRemote(std::string_view path);

// Request URL of an application's recording, from the URL of its page or of a request about it:
// "http://host:8320/applications/ID", with ?attempt=N for an attempt other than the last.
Result<std::string> RecordingUrl(const std::string& url);

// Whether an input is the URL of a group's page: "http://host:8320/groups/etl".
bool IsGroupUrl(const std::string& url);

// Request URL of a group's last finished applications, from the URL of its page.
Result<std::string> LastRunsUrl(const std::string& url);

// Recordings of applications fetched from collectors, and copies of files on HDFS and in object stores, in a private
// temporary folder that the destructor removes. Only one object may exist at a time.
class RemoteInputs {
 public:
  explicit RemoteInputs(RemoteAccess access) : access_(std::move(access)) {}
  // Called with the number of bytes received.
  using OnBytes = std::function<void(uint64_t bytes)>;
  // Fetches an application, or the files of a location. Returns the path of the recording or copy. Does not follow
  // redirects of collectors.
  Result<std::string> Fetch(const std::string& url, const OnBytes& on_bytes);
  // Fetches a group's last finished applications, at most 20. Returns the paths of their recordings.
  Result<std::vector<std::string>> FetchGroup(const std::string& url, const OnBytes& on_bytes);

 private:
  Result<std::string> Folder();
  Result<std::string> Copy(const std::string& location, const OnBytes& on_bytes);
  // Sends a request to the collector and passes the response body to `sink`; `text` is for messages.
  Result<void> Get(const std::string& text, const std::string& request, uint64_t max_bytes, const HttpSink& sink) const;

  RemoteAccess access_;
  std::unique_ptr<TemporaryFolder> folder_;
  int fetched_ = 0;
};

struct CopyLimits {
  uint64_t max_bytes = uint64_t{64} << 30;
  size_t max_files = 100'000;
};

// Copies a file, or all files of a folder, from HDFS or an object store into the existing `folder`, several at a time.
// Returns the path of the copy, which keeps the name of the file or folder. Calls `on_bytes` from any thread with the
// number of bytes received.
Result<std::string> CopyStored(const std::string& location, const std::string& folder, const CopyLimits& limits,
                               const std::function<void(uint64_t bytes)>& on_bytes);

}  // namespace sparkprof
