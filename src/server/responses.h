// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "base/result.h"
#include "http/message.h"

namespace sparkprof {

// Returns {"error":{"code","message"}} with the status's code, such as "not_found". 429 and 503 get Retry-After.
HttpResponse ErrorResponse(unsigned status, std::string_view message);

HttpResponse JsonResponse(JsonWriter json);

bool AcceptsGzip(const HttpRequest& request);

// Compresses the body if the client accepts gzip and the body is large enough. Keeps a compressed body.
void Compress(const HttpRequest& request, HttpResponse* response);

// Compresses the body and adds the headers common to all answers.
void Finish(const HttpRequest& request, HttpResponse* response);

}  // namespace sparkprof
