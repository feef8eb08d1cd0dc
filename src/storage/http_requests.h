// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "http/message.h"
#include "http/url.h"
#include "storage/storage.h"

namespace sparkprof {

// Sends a GET request, and sends it again after a pause if the connection fails or the server is busy (429, 500, 502,
// 503, 504). The last answer, whatever its status; redirects are not followed. At most `max_bytes` of body.
Result<HttpResponse> GetPatiently(const Url& url, const HttpHeaders& headers, uint64_t max_bytes,
                                  const StorageOptions& options);

// "PLACE: status 403: TEXT" with the start of the answer as one line.
Error UnexpectedAnswer(const std::string& place, const HttpResponse& answer, std::string_view text);

}  // namespace sparkprof
