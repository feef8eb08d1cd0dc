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

// The value of the first header `name` (lower case); empty if there is none.
std::string_view FindHeader(const HttpHeaders& headers, std::string_view name);

// Whether `name` may be the name of a header: a token of RFC 9110.
bool IsHeaderName(std::string_view name);

// `value` as the value of a header, whoever chose it: control characters, which could end the line and begin another
// header, become blanks.
std::string HeaderValue(std::string_view value);

// The value of Content-Disposition for a download (RFC 6266). The file's name has letters, digits and "._-" only, so
// that it names no folder and ends no quotes; where it has letters beyond ASCII, `filename*` has them, too.
std::string AttachmentNamed(std::string_view file_name);

// Query parameters, decoded, in order of appearance.
using HttpParameters = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;                 // "GET"
  std::vector<std::string> segments;  // of the path, decoded: "/groups/a%2Fb/flame" has "groups", "a/b", "flame"
  HttpParameters parameters;
  HttpHeaders headers;
  std::string body;
  std::string peer;  // the client's address
  bool is_encrypted = false;

  std::string_view Header(std::string_view name) const { return FindHeader(headers, name); }
  // The first parameter `name`; empty if there is none.
  std::string_view Parameter(std::string_view name) const;
};

// Appends the next piece of a body, of about 64 KiB, to `piece`, which is empty at the call; appends nothing at the end
// of the body. An error ends the connection, so that the client detects that the body is incomplete.
using HttpBodyStream = std::function<Result<void>(std::string* piece)>;

struct HttpResponse {
  unsigned status = 200;
  HttpHeaders headers;
  std::shared_ptr<const std::string> body;  // null = empty
  // Makes the body instead of `body`, for answers that are too large to hold: the server asks for a piece once the
  // client has taken the one before, from any of its threads, and not at all for HEAD. It owns what it reads from.
  HttpBodyStream stream;

  std::string_view Body() const { return body ? std::string_view(*body) : std::string_view(); }
  std::string_view Header(std::string_view name) const { return FindHeader(headers, name); }
};

HttpResponse MakeResponse(unsigned status, std::string content_type, std::string body);

}  // namespace sparkprof
