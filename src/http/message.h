// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Names in lower case, in order of appearance.
using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// The value of the first header `name` (lower case); empty if missing.
std::string_view FindHeader(const HttpHeaders& headers, std::string_view name);

// Whether `name` is a valid header name: a token of RFC 9110.
bool IsHeaderName(std::string_view name);

// Makes untrusted text safe as a header value: replaces control characters, which could end the line and start another
// header, by spaces.
std::string HeaderValue(std::string_view value);

// The value of Content-Disposition for a download (RFC 6266). `filename` contains only letters, digits and "._-", so it
// cannot name a folder or end the quotes; `filename*` is added for letters beyond ASCII.
std::string AttachmentNamed(std::string_view file_name);

// Query parameters, decoded, in order of appearance.
using HttpParameters = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;                 // "GET"
  std::vector<std::string> segments;  // decoded path: "/groups/a%2Fb/flame" has "groups", "a/b", "flame"
  HttpParameters parameters;
  HttpHeaders headers;
  std::string body;
  std::string peer;  // the client's address
  bool is_encrypted = false;

  std::string_view Header(std::string_view name) const { return FindHeader(headers, name); }
  // The first parameter `name`; empty if missing.
  std::string_view Parameter(std::string_view name) const;
};

// Appends the next piece of a body, about 64 KiB, to the empty `piece`; appends nothing at the end of the body. An
// error closes the connection, so that the client detects the incomplete body.
using HttpBodyStream = std::function<Result<void>(std::string* piece)>;

struct HttpResponse {
  unsigned status = 200;
  HttpHeaders headers;
  std::shared_ptr<const std::string> body;  // null = empty
  // Produces the body in place of `body` if it is too large for memory. The server requests a piece after the client
  // has received the previous one, from any of its threads; never for HEAD. The stream owns its sources.
  HttpBodyStream stream;

  std::string_view Body() const { return body ? std::string_view(*body) : std::string_view(); }
  std::string_view Header(std::string_view name) const { return FindHeader(headers, name); }
};

HttpResponse MakeResponse(unsigned status, std::string content_type, std::string body);

}  // namespace sparkprof
