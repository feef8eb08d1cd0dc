// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "http/url.h"
#include "model/hash_bytes.h"
#include "render/report/embedded_file.h"
#include "render/writers/gzip.h"
#include "server/responses.h"
#include "server/routes/answers.h"

namespace sparkprof {
namespace {

bool IsIn(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A file embedded in the binary; compressed once.
struct EmbeddedFile {
  EmbeddedFile(std::string_view content, std::string type)
      : tag(fmt::format("\"{:016x}\"", HashBytes(content))),
        content_type(std::move(type)),
        plain(std::make_shared<const std::string>(content)),
        compressed(std::make_shared<const std::string>(Gzip(content))) {}

  const std::string tag;
  const std::string content_type;
  const std::shared_ptr<const std::string> plain, compressed;
};

// Browsers revalidate with the hash.
HttpResponse EmbeddedResponse(const HttpRequest& request, const EmbeddedFile& file) {
  if (IsIn(request.Header("if-none-match"), file.tag)) return {304, {{"etag", file.tag}}, nullptr};
  const bool compress = IsIn(request.Header("accept-encoding"), "gzip");
  HttpResponse response{200, {{"content-type", file.content_type}}, compress ? file.compressed : file.plain};
  if (compress) response.headers.emplace_back("content-encoding", "gzip");
  response.headers.emplace_back("vary", "accept-encoding");
  response.headers.emplace_back("etag", file.tag);
  response.headers.emplace_back("cache-control", "no-cache");
  return response;
}

HttpResponse Redirect(std::string location) { return {303, {{"location", std::move(location)}}, nullptr}; }

// The page after login: a path of this server.
std::string NextPage(std::string_view next) {
  const bool is_local = next.starts_with('/') && !next.starts_with("//") && next.find('\\') == std::string_view::npos;
  for (const char c : next) {
    if (static_cast<unsigned char>(c) < ' ') return "/";
  }
  return is_local ? std::string(next) : "/";
}

}  // namespace

// The page is public because it contains no data. Its script redirects to the login if the API requires one, and keeps
// the whole address including the part after "#".
HttpResponse GetPage(ServerParts*, const HttpRequest& request, const Captured&) {
  static const EmbeddedFile kPage(ServerPage(), "text/html; charset=utf-8");
  return EmbeddedResponse(request, kPage);
}

HttpResponse GetAsset(ServerParts*, const HttpRequest& request, const Captured& captured) {
  static const EmbeddedFile kScript(ServerScript(), "text/javascript; charset=utf-8");
  static const EmbeddedFile kFleetScript(ServerFleetScript(), "text/javascript; charset=utf-8");
  static const EmbeddedFile kStyle(ServerStyle(), "text/css; charset=utf-8");
  if (captured[0] == "server.js") return EmbeddedResponse(request, kScript);
  if (captured[0] == "server_fleet.js") return EmbeddedResponse(request, kFleetScript);
  if (captured[0] == "server.css") return EmbeddedResponse(request, kStyle);
  return ErrorResponse(404, "nothing found at this address");
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
