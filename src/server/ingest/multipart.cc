// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/text.h"
#include "server/ingest/profile_requests.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxParts = 16;
constexpr size_t kMaxBoundarySize = 70;  // RFC 2046

// The value of a header parameter, `name="value"` or `name=value`; empty if missing.
std::string ParameterOf(std::string_view header, std::string_view name) {
  for (std::string_view part : Split(header, ';')) {
    part = Trim(part);
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || ToLowerAscii(Trim(part.substr(0, equals))) != name) continue;
    std::string_view value = Trim(part.substr(equals + 1));
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return {};
}

std::string NameOfPart(std::string_view headers) {
  for (const std::string_view line : Split(headers, '\n')) {
    if (!ToLowerAscii(line).starts_with("content-disposition:")) continue;
    return ParameterOf(line.substr(line.find(':') + 1), "name");
  }
  return {};
}

}  // namespace

Result<std::vector<FormPart>> ParseMultipart(std::string_view content_type, std::string_view body) {
  const std::string boundary = ParameterOf(content_type, "boundary");
  if (!ToLowerAscii(Trim(content_type)).starts_with("multipart/form-data") || boundary.empty() ||
      boundary.size() > kMaxBoundarySize) {
    return Fail("content-type: expected multipart/form-data with a boundary");
  }
  const std::string delimiter = "\r\n--" + boundary;
  // The first boundary has no preceding line.
  const std::string text = "\r\n" + std::string(body.substr(0, boundary.size() + 2));
  if (text != delimiter) return Fail("offset 0: expected the boundary of the form");
  size_t at = boundary.size() + 2;
  std::vector<FormPart> parts;
  while (!body.substr(at).starts_with("--")) {
    const size_t headers_end = body.find("\r\n\r\n", at);
    const size_t end = headers_end == std::string_view::npos ? headers_end : body.find(delimiter, headers_end + 2);
    if (end == std::string_view::npos) {
      return Fail(fmt::format("offset {}: the form is truncated: expected its last boundary", at));
    }
    if (parts.size() == kMaxParts) return Fail(fmt::format("the form has more than {} parts", kMaxParts));
    const size_t begin = std::min(headers_end + 4, end);
    parts.push_back({NameOfPart(body.substr(at, headers_end - at)), body.substr(begin, end - begin)});
    at = end + delimiter.size();
  }
  return parts;
}

}  // namespace sparkprof
