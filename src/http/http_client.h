// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"
#include "http/url.h"

namespace sparkprof {

struct HttpClientOptions {
  std::chrono::milliseconds timeout{30'000};  // timeout of the whole exchange
  uint64_t max_response_bytes = uint64_t{256} << 20;
  const std::atomic<bool>* stop = nullptr;  // aborts the exchange soon after it is set; may be null
  std::string certificate_authorities;      // PEM file; empty = the system's, or SSL_CERT_FILE
};

// Sends one request and returns the response, whatever its status. Does not follow redirects. Verifies the server's
// certificate for https. Errors name the host: no connection, timeout, not HTTP, untrusted certificate.
Result<HttpResponse> SendHttp(std::string_view method, const Url& url, const HttpHeaders& headers,
                              std::string_view body, const HttpClientOptions& options = {});

// Accepts a piece of a body. An error aborts the exchange.
using HttpSink = std::function<Result<void>(std::string_view piece)>;

// Sends a GET request. If the status is 200, passes the body to `sink` as it arrives; other bodies are in the response,
// up to 64 KiB. `timeout` applies to each step. Fails if the body is incomplete or longer than `max_response_bytes`.
Result<HttpResponse> Download(const Url& url, const HttpHeaders& headers, const HttpSink& sink,
                              const HttpClientOptions& options);

}  // namespace sparkprof
