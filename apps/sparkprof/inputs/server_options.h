// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/http_client.h"
#include "launch/check.h"
#include "launch/job_settings.h"

namespace sparkprof {

// Options of commands that connect to a collector: --server, --token-file, --ca-file.
struct CollectorOptions {
  std::string server;
  std::string token_file;
  std::string token;  // takes precedence over the file; not an option
  std::string certificate_authorities;
  std::chrono::milliseconds timeout = HttpClientOptions().timeout;  // timeout of a request; not an option

  void AddTo(CLI::App& command);
  // Adds all options except --server.
  void AddAccessTo(CLI::App& command, const std::string& group);
  // The token that was set, else the file's, else the environment's.
  Result<std::string> Token() const;
};

// The server in a job's settings, if any.
CollectorOptions CollectorOf(const JobSettings& settings);

// Client for a collector's API.
class ServerClient {
 public:
  // Reads the token. Fails for an invalid URL or an unreadable file; the error includes the option's name.
  static Result<ServerClient> Create(const CollectorOptions& options);

  // `path` is relative to /api/sparkprof/v1: "/recordings". Responses with any status are results.
  Result<HttpResponse> Send(std::string_view method, std::string_view path, std::string_view body,
                            HttpHeaders headers = {}) const;

  // Formats "the server answered 403: the token's role does not allow this".
  static std::string Describe(const HttpResponse& response);

 private:
  Url url_;
  std::string token_;
  HttpClientOptions options_;
};

// Checks whether the server of spark.sparkprof.server accepts recordings with the configured token and, for a cluster,
// what it sets for all jobs. Empty if none is configured.
std::vector<Check> CheckServer(const DoctorRequest& request);

}  // namespace sparkprof
