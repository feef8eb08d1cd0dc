// SPDX-License-Identifier: Apache-2.0
#include "server/responses.h"

#include <memory>
#include <string>
#include <utility>

#include "base/answer_limit.h"
#include "base/redaction/redaction.h"
#include "render/writers/gzip.h"

namespace sparkprof {
namespace {

constexpr size_t kWorthCompressing = 1400;  // about the size of one packet
constexpr std::string_view kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

std::string_view CodeOf(unsigned status) {
  switch (status) {
    case 400:
      return "bad_request";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 409:
      return "conflict";
    case 412:
      return "precondition_failed";
    case 413:
      return "too_large";
    case 429:
      return "too_many_requests";
    case 431:
      return "header_too_large";
    case 501:
      return "not_implemented";
    case 503:
      return "unavailable";
    default:
      return "internal";
  }
}

bool HasHeader(const HttpResponse& response, std::string_view name) { return !response.Header(name).empty(); }

}  // namespace

HttpResponse ErrorResponse(unsigned status, std::string_view message) {
  JsonWriter json;
  json.BeginObject().Key("error").BeginObject().Member("code", CodeOf(status));
  json.Member("message", RedactText(message)).EndObject().EndObject();
  HttpResponse response = MakeResponse(status, "application/json", json.Take() + "\n");
  if (status == 429) response.headers.emplace_back("retry-after", "2");
  if (status == 503) response.headers.emplace_back("retry-after", "10");
  if (status == 401) response.headers.emplace_back("www-authenticate", "Bearer");
  return response;
}

HttpResponse JsonResponse(JsonWriter json) { return MakeResponse(200, "application/json", json.Take() + "\n"); }

bool AcceptsGzip(const HttpRequest& request) {
  return request.Header("accept-encoding").find("gzip") != std::string_view::npos;
}

void Compress(const HttpRequest& request, HttpResponse* response) {
  const std::string_view body = response->Body();
  if (body.size() <= kWorthCompressing || HasHeader(*response, "content-encoding") || !AcceptsGzip(request)) return;
  response->body = std::make_shared<const std::string>(GzipQuickly(body));
  response->headers.emplace_back("content-encoding", "gzip");
  response->headers.emplace_back("vary", "accept-encoding");
}

void Finish(const HttpRequest& request, HttpResponse* response) {
  Compress(request, response);
  if (!HasHeader(*response, "content-security-policy")) {
    response->headers.emplace_back("content-security-policy", kContentPolicy);
  }
  if (!HasHeader(*response, "cache-control")) response->headers.emplace_back("cache-control", "no-store");
  response->headers.emplace_back("x-content-type-options", "nosniff");
  response->headers.emplace_back("referrer-policy", "no-referrer");
  // Other sites must not embed pictures or scripts of this server with their visitor's cookie.
  response->headers.emplace_back("cross-origin-resource-policy", "same-origin");
}

HttpResponse PictureResponse(Picture picture, HttpHeaders headers) {
  if (picture.status == PictureStatus::kMisuse) return ErrorResponse(400, picture.problem);
  if (picture.status == PictureStatus::kEmpty) return ErrorResponse(404, picture.problem);
  if (picture.status == PictureStatus::kTooLarge) return ErrorResponse(413, picture.problem);
  CheckAnswerSize(picture.content.size());
  HttpResponse response{200, std::move(headers), std::make_shared<const std::string>(std::move(picture.content))};
  response.headers.emplace_back("content-type", std::move(picture.content_type));
  response.headers.emplace_back("content-security-policy", "sandbox allow-scripts");
  return response;
}

}  // namespace sparkprof
