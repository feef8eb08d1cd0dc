// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/result.h"
#include "http/message.h"

namespace sparkprof {

// {"error":{"code","message"}}; the code is that of the status: "not_found". 429 and 503 have Retry-After.
HttpResponse ErrorResponse(unsigned status, std::string_view message);

HttpResponse JsonResponse(JsonWriter json);

bool AcceptsGzip(const HttpRequest& request);

// Compresses the body if the client accepts gzip and the body is worth it. Does nothing to a compressed body.
void Compress(const HttpRequest& request, HttpResponse* response);

// Compresses, and adds the headers that all answers have.
void Finish(const HttpRequest& request, HttpResponse* response);

}  // namespace sparkprof
