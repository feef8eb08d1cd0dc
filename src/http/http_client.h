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
  std::chrono::milliseconds timeout{30'000};  // of the whole exchange
  uint64_t max_response_bytes = uint64_t{256} << 20;
  const std::atomic<bool>* stop = nullptr;  // ends the exchange soon after it is set; may be null
  std::string certificate_authorities;      // PEM file; empty = the system's, or SSL_CERT_FILE
};

// Sends one request and waits for the answer, whatever its status; redirects are not followed. https verifies the
// server's certificate. Errors name the host: no connection, time is over, not HTTP, certificate not trusted.
Result<HttpResponse> SendHttp(std::string_view method, const Url& url, const HttpHeaders& headers,
                              std::string_view body, const HttpClientOptions& options = {});

// Takes a piece of a body. An error ends the exchange.
using HttpSink = std::function<Result<void>(std::string_view piece)>;

// GET whose body goes to `sink` as it arrives, if the status is 200; the body of any other answer is in the response,
// up to 64 KiB. `timeout` is that of each step. Fails if the body is incomplete or longer than `max_response_bytes`.
Result<HttpResponse> Download(const Url& url, const HttpHeaders& headers, const HttpSink& sink,
                              const HttpClientOptions& options);

}  // namespace sparkprof
