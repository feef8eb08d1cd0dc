// SPDX-License-Identifier: Apache-2.0
#include "inputs/server_options.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cstdlib>
#include <utility>

#include "base/io/file.h"
#include "base/text/text.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr std::string_view kApi = "/api/sparkprof/v1";
constexpr const char* kTokenVariable = "SPARKPROF_SERVER_TOKEN";

Result<std::string> ReadToken(const std::string& file) {
  if (file.empty()) {
    const char* const token = std::getenv(kTokenVariable);
    return token == nullptr ? std::string() : std::string(token);
  }
  Result<std::string> token = ReadFile(file);
  if (!token) return token;
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  return token;
}

}  // namespace

void CollectorOptions::AddTo(CLI::App& command) {
  AddOption(command, "--server URL", &server, "URL of `sparkprof serve`")->required();
  AddAccessTo(command, "Options");
}

void CollectorOptions::AddAccessTo(CLI::App& command, const std::string& group) {
  AddOption(command, "--token-file FILE", &token_file,
            fmt::format("File with the token for the server (default: the variable {})", kTokenVariable))
      ->group(group);
  AddOption(command, "--ca-file FILE", &certificate_authorities,
            "Certificates that are trusted for https, PEM (default: the system's)")
      ->group(group);
}

Result<std::string> CollectorOptions::Token() const { return token.empty() ? ReadToken(token_file) : token; }

CollectorOptions CollectorOf(const JobSettings& settings) {
  CollectorOptions options;
  options.server = settings.values.find("server")->second;
  options.token = settings.values.find("server.token")->second;
  options.token_file = settings.values.find("server.tokenFile")->second;
  return options;
}

Result<ServerClient> ServerClient::Create(const CollectorOptions& options) {
  ServerClient client;
  Result<Url> url = ParseUrl(options.server);
  if (!url) return Fail("--server: " + url.error().message);
  client.url_ = std::move(*url);
  while (client.url_.target.ends_with('/')) client.url_.target.pop_back();
  Result<std::string> token = options.Token();
  if (!token) return Fail("--token-file: " + token.error().message);
  client.token_ = std::move(*token);
  client.options_.certificate_authorities = options.certificate_authorities;
  client.options_.timeout = options.timeout;
  return client;
}

Result<HttpResponse> ServerClient::Send(std::string_view method, std::string_view path, std::string_view body,
                                        HttpHeaders headers) const {
  Url url = url_;
  url.target += fmt::format("{}{}", kApi, path);
  if (!token_.empty() && FindHeader(headers, "authorization").empty())
    headers.emplace_back("authorization", "Bearer " + token_);
  return SendHttp(method, url, headers, body, options_);
}

std::string ServerClient::Describe(const HttpResponse& response) {
  simdjson::dom::parser parser;
  std::string_view message;
  if (parser.parse(simdjson::padded_string(response.Body()))["error"]["message"].get(message) != simdjson::SUCCESS) {
    message = response.Body().substr(0, 200);
  }
  return fmt::format("the server answered {}: {}", response.status, ToOneLine(message));
}

}  // namespace sparkprof
