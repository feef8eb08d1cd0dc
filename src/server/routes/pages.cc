// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "http/url.h"
#include "model/hash_bytes.h"
#include "render/embedded_file.h"
#include "server/responses.h"
#include "server/routes/answers.h"

namespace sparkprof {
namespace {

// A file of this binary; browsers ask again with its hash.
HttpResponse EmbeddedResponse(const HttpRequest& request, std::string_view content, std::string content_type) {
  const std::string tag = fmt::format("\"{:016x}\"", HashBytes(content));
  if (request.Header("if-none-match").find(tag) != std::string_view::npos) return {304, {{"etag", tag}}, nullptr};
  HttpResponse response = MakeResponse(200, std::move(content_type), std::string(content));
  response.headers.emplace_back("etag", tag);
  response.headers.emplace_back("cache-control", "no-cache");
  return response;
}

HttpResponse Redirect(std::string location) { return {303, {{"location", std::move(location)}}, nullptr}; }

// Where to go after the login: a path of this server.
std::string NextPage(std::string_view next) {
  const bool is_local = next.starts_with('/') && !next.starts_with("//") && next.find('\\') == std::string_view::npos;
  for (const char c : next) {
    if (static_cast<unsigned char>(c) < ' ') return "/";
  }
  return is_local ? std::string(next) : "/";
}

}  // namespace

// The same for everybody: it has no data. Its script goes to the login when the API requires one, and knows the whole
// address, what stands behind "#" included.
HttpResponse GetPage(ServerParts*, const HttpRequest& request, const Captured&) {
  return EmbeddedResponse(request, ServerPage(), "text/html; charset=utf-8");
}

HttpResponse GetAsset(ServerParts*, const HttpRequest& request, const Captured& captured) {
  if (captured[0] == "server.js") return EmbeddedResponse(request, ServerScript(), "text/javascript; charset=utf-8");
  if (captured[0] == "server.css") return EmbeddedResponse(request, ServerStyle(), "text/css; charset=utf-8");
  return ErrorResponse(404, "there is nothing at this address");
}

HttpResponse PostLogin(ServerParts* parts, const HttpRequest& request, const Captured&) {
  HttpRequest form;
  if (!ParseTarget("/?" + request.body, &form)) return ErrorResponse(400, "invalid form");
  const std::string_view token = form.Parameter("token");
  const std::string next = NextPage(form.Parameter("next"));
  if (!Includes(parts->options.access.RoleOfToken(token), Role::kRead)) {
    return Redirect("/login?failed=1&next=" + PercentEncode(next));
  }
  HttpResponse response = Redirect(next);
  response.headers.emplace_back(
      "set-cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000{}", kSessionCookie,
                                PercentEncode(token), request.is_encrypted ? "; Secure" : ""));
  return response;
}

}  // namespace sparkprof
