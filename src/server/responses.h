// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/json_writer.h"
#include "http/message.h"
#include "pictures/draw.h"

namespace sparkprof {

// Returns {"error":{"code","message"}} with the status's code, such as "not_found". 429 and 503 get Retry-After.
HttpResponse ErrorResponse(unsigned status, std::string_view message);

HttpResponse JsonResponse(JsonWriter json);

bool AcceptsGzip(const HttpRequest& request);

// Compresses the body if the client accepts gzip and the body is large enough. Keeps a compressed body.
void Compress(const HttpRequest& request, HttpResponse* response);

// Compresses the body and adds the headers common to all answers.
void Finish(const HttpRequest& request, HttpResponse* response);

using WritePiece = std::function<Result<void>(std::string_view piece)>;

// A body for streaming. `make` writes it to an unnamed temporary file in `folder`.
Result<HttpBodyStream> StreamThroughFile(const std::string& folder,
                                         const std::function<Result<void>(const WritePiece& write)>& make);

// A picture, or its error. Pages and SVGs contain scripts, so they get an origin of their own.
HttpResponse PictureResponse(Picture picture, HttpHeaders headers);

}  // namespace sparkprof
