// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/http_client.h"
#include "launch/job_settings.h"

namespace sparkprof {

// Options of verbs that talk to a collector: --server, --token-file, --ca-file.
struct CollectorOptions {
  std::string server;
  std::string token_file;
  std::string token;  // comes before a file; no option
  std::string certificate_authorities;
  std::chrono::milliseconds timeout = HttpClientOptions().timeout;  // of a request; no option

  void AddTo(CLI::App& command);
  // Without --server.
  void AddAccessTo(CLI::App& command, const std::string& group);
  // The given one, that of the file, or that of the environment.
  Result<std::string> Token() const;
};

// The server in a job's settings, if it has one.
CollectorOptions CollectorOf(const JobSettings& settings);

// Requests to the API of a collector.
class ServerClient {
 public:
  // Reads the token. Fails for an invalid URL or an unreadable file, with the option's name.
  static Result<ServerClient> Create(const CollectorOptions& options);

  // `path` is below /api/sparkprof/v1: "/recordings". Any status is a response.
  Result<HttpResponse> Send(std::string_view method, std::string_view path, std::string_view body,
                            HttpHeaders headers = {}) const;

  // "the server answered 403: the token's role does not allow this"
  static std::string Describe(const HttpResponse& response);

 private:
  Url url_;
  std::string token_;
  HttpClientOptions options_;
};

}  // namespace sparkprof
