// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "http/url.h"

namespace sparkprof {
namespace {

constexpr size_t kMinTokenSize = 16;

Role ParseRole(std::string_view name) {
  if (name == "ingest") return Role::kIngest;
  if (name == "read") return Role::kRead;
  if (name == "admin") return Role::kAdmin;
  return Role::kNone;
}

// Takes the same time wherever the texts differ.
bool AreEqual(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

std::string_view CookieOf(std::string_view cookies) {
  for (std::string_view cookie : Split(cookies, ';')) {
    while (cookie.starts_with(' ')) cookie.remove_prefix(1);
    if (cookie.starts_with(kSessionCookie) && cookie.substr(kSessionCookie.size()).starts_with('=')) {
      return cookie.substr(kSessionCookie.size() + 1);
    }
  }
  return {};
}

std::string_view WithoutPort(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kIngest:
      return "ingest";
    case Role::kRead:
      return "read";
    case Role::kAdmin:
      return "admin";
    default:
      return "none";
  }
}

Result<Access> Access::ReadTokens(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && (info.st_mode & (S_IRGRP | S_IROTH)) != 0) {
    return Fail(fmt::format("{}: others may read this file; run `chmod 600 {}`", path, path));
  }
  Access access;
  size_t number = 0;
  for (std::string_view line : Split(*text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const size_t blank = line.find(' ');
    const Role role = ParseRole(line.substr(0, blank));
    const std::string_view token = blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
    if (role == Role::kNone || token.empty() || token.find(' ') != std::string_view::npos) {
      return Fail(fmt::format("{}: line {}: expected ROLE TOKEN with the role ingest, read or admin", path, number));
    }
    if (token.size() < kMinTokenSize) {
      return Fail(
          fmt::format("{}: line {}: the token has {} characters, expected at least {}; `openssl rand -hex 32` "
                      "makes one",
                      path, number, token.size(), kMinTokenSize));
    }
    access.tokens_.push_back({role, std::string(token)});
  }
  if (access.tokens_.empty()) return Fail(fmt::format("{}: no tokens; expected lines ROLE TOKEN", path));
  return access;
}

Role Access::RoleOfToken(std::string_view token) const {
  if (tokens_.empty()) return Role::kAdmin;
  Role role = Role::kNone;
  for (const Token& known : tokens_) {
    if (AreEqual(known.text, token)) role = known.role;
  }
  return role;
}

Role Access::RoleOf(const HttpRequest& request) const {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view authorization = request.Header("authorization");
  if (authorization.size() > kBearer.size() && ToLowerAscii(authorization.substr(0, kBearer.size())) == kBearer) {
    return RoleOfToken(authorization.substr(kBearer.size()));
  }
  // Clients of other profilers: the token is the password, and the user is ignored.
  constexpr std::string_view kBasic = "basic ";
  if (authorization.size() > kBasic.size() && ToLowerAscii(authorization.substr(0, kBasic.size())) == kBasic) {
    const std::optional<std::string> pair = Base64Decode(authorization.substr(kBasic.size()));
    const size_t colon = pair ? pair->find(':') : std::string::npos;
    return RoleOfToken(colon == std::string::npos ? std::string_view() : std::string_view(*pair).substr(colon + 1));
  }
  const Result<std::string> cookie = PercentDecode(CookieOf(request.Header("cookie")));
  return RoleOfToken(cookie ? *cookie : std::string());
}

bool Includes(Role role, Role needed) {
  if (needed == Role::kAny) return role != Role::kNone;
  return role == needed || role == Role::kAdmin || needed == Role::kNone;
}

bool IsForged(const HttpRequest& request, bool loopback_only) {
  const std::string_view host = request.Header("host");
  if (loopback_only) {
    const std::string name = ToLowerAscii(WithoutPort(host));
    if (name != "localhost" && name != "[::1]" && !(ListenAddress{name, 0}.IsLoopback())) return true;
  }
  const std::string_view origin = request.Header("origin");
  if (origin.empty()) return false;
  const size_t scheme = origin.find("://");
  return scheme == std::string_view::npos || origin.substr(scheme + 3) != host;
}

}  // namespace sparkprof
