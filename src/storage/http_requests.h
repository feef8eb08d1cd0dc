// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "http/message.h"
#include "http/url.h"
#include "storage/storage.h"

namespace sparkprof {

struct StorageRequest {
  std::string_view method = "GET";
  std::string_view body = {};
  HttpHeaders headers = {};  // the other headers than those of the signature
};

// Sends a request, and retries after a pause if the connection fails or the server is busy (429, 500, 502, 503,
// 504). Returns the last response, whatever its status. Does not follow redirects. Reads at most `max_bytes` of body.
Result<HttpResponse> SendPatiently(const StorageRequest& request, const Url& url, const HttpHeaders& headers,
                                   uint64_t max_bytes, const StorageOptions& options);
// Likewise, with GET.
Result<HttpResponse> GetPatiently(const Url& url, const HttpHeaders& headers, uint64_t max_bytes,
                                  const StorageOptions& options);

// Formats "PLACE: status 403: TEXT" with the start of the response on one line.
Error UnexpectedAnswer(const std::string& place, const HttpResponse& answer, std::string_view text);

}  // namespace sparkprof
