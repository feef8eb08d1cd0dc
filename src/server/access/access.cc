// SPDX-License-Identifier: Apache-2.0
#include "server/access/access.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/io/file.h"
#include "base/text/escaped_text.h"
#include "base/text/text.h"
#include "http/signing.h"
#include "http/url.h"
#include "http_server/client_network.h"

namespace sparkprof {
namespace {

constexpr size_t kMinTokenSize = 16;

Role ParseRole(std::string_view name) {
  if (name == "ingest") return Role::kIngest;
  if (name == "read") return Role::kRead;
  if (name == "admin") return Role::kAdmin;
  return Role::kNone;
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

// Bearer token of a request, or empty.
std::string TokenText(const HttpRequest& request) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view authorization = request.Header("authorization");
  if (authorization.size() > kBearer.size() && ToLowerAscii(authorization.substr(0, kBearer.size())) == kBearer) {
    return std::string(authorization.substr(kBearer.size()));
  }
  // Clients of other profilers send the token as the password; the user name is ignored.
  constexpr std::string_view kBasic = "basic ";
  if (authorization.size() > kBasic.size() && ToLowerAscii(authorization.substr(0, kBasic.size())) == kBasic) {
    const std::optional<std::string> pair = Base64Decode(authorization.substr(kBasic.size()));
    const size_t colon = pair ? pair->find(':') : std::string::npos;
    return colon == std::string::npos ? std::string() : pair->substr(colon + 1);
  }
  return PercentDecode(CookieOf(request.Header("cookie"))).value_or(std::string());
}

// The value of a header that occurs exactly once. A second header may be forged by the client.
std::optional<std::string> OnlyHeader(const HttpRequest& request, const std::string& name) {
  std::optional<std::string> value;
  for (const auto& [header, text] : request.headers) {
    if (header != name) continue;
    if (value) return std::nullopt;
    value = text;
  }
  return value;
}

// Parses "user=NAME", "groups=NAME,…" and "tenant=NAME". Returns false for anything else.
bool ParseIdentity(std::string_view text, Viewer* viewer) {
  for (const std::string_view word : Split(text, ' ')) {
    if (word.empty()) continue;
    constexpr std::string_view kUser = "user=", kGroups = "groups=", kTenant = "tenant=";
    if (word.starts_with(kUser) && word.size() > kUser.size() && viewer->user.empty()) {
      viewer->user = word.substr(kUser.size());
    } else if (word.starts_with(kGroups) && viewer->groups.empty()) {
      viewer->groups = AclNames(word.substr(kGroups.size()));
      if (viewer->groups.empty()) return false;
    } else if (word.starts_with(kTenant) && IsTenant(word.substr(kTenant.size())) && viewer->tenant.empty()) {
      viewer->tenant = word.substr(kTenant.size());
    } else {
      return false;
    }
  }
  return true;
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

bool IsExposed(mode_t mode, uid_t owner, uid_t reader) {
  if ((mode & S_IROTH) != 0) return true;
  return (mode & S_IRGRP) != 0 && (owner != 0 || reader == 0);
}

Result<Access> Access::ReadTokens(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text) return tl::unexpected(text.error());
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && IsExposed(info.st_mode, info.st_uid, geteuid())) {
    return Fail(fmt::format("{}: others may read this file; run `chmod 600 {}`", path, ShellWord(path)));
  }
  Access access;
  size_t number = 0;
  for (std::string_view line : Split(*text, '\n')) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const size_t blank = line.find(' ');
    const Role role = ParseRole(line.substr(0, blank));
    std::string_view token = blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
    const size_t end = std::min(token.find(' '), token.size());
    Viewer viewer;
    if (role == Role::kNone || end == 0 || !ParseIdentity(token.substr(end), &viewer)) {
      return Fail(fmt::format(
          "{}: line {}: expected ROLE TOKEN [user=NAME] [groups=NAME,…] [tenant=NAME] with the role ingest, read or "
          "admin",
          path, number));
    }
    token = token.substr(0, end);
    if (token.size() < kMinTokenSize) {
      return Fail(
          fmt::format("{}: line {}: the token has {} characters, expected at least {}; `openssl rand -hex 32` "
                      "makes one",
                      path, number, token.size(), kMinTokenSize));
    }
    access.tokens_.push_back({role, std::string(token), std::move(viewer)});
  }
  if (access.tokens_.empty()) return Fail(fmt::format("{}: no tokens; expected lines ROLE TOKEN", path));
  return access;
}

const Access::Token* Access::FindToken(std::string_view token) const {
  const Token* found = nullptr;
  for (const Token& known : tokens_) {
    if (IsSameSecret(known.text, token)) found = &known;
  }
  return found;
}

Role Access::RoleOfToken(std::string_view token) const {
  if (tokens_.empty()) return Role::kAdmin;
  const Token* const known = FindToken(token);
  return known == nullptr ? Role::kNone : known->role;
}

Role Access::RoleOf(const HttpRequest& request) const { return RoleOfToken(TokenText(request)); }

bool Access::HasTenants() const {
  return !acls_.tenant_header.empty() ||
         std::any_of(tokens_.begin(), tokens_.end(), [](const Token& token) { return !token.viewer.tenant.empty(); });
}

Result<std::string> Access::TenantOf(const HttpRequest& request) const {
  const Token* const token = FindToken(TokenText(request));
  const std::string of_token = token == nullptr ? "" : token->viewer.tenant;
  if (acls_.tenant_header.empty() || !IsFromProxy(request)) return of_token;
  const std::optional<std::string> named = OnlyHeader(request, acls_.tenant_header);
  if (!named || !IsTenant(*named)) {
    return Fail(fmt::format("{}: expected one tenant: 1 to 64 letters, digits and \"._-\"", acls_.tenant_header));
  }
  if (of_token.empty() || of_token == *named) return *named;
  return Fail(fmt::format("{}: the token is of another tenant", acls_.tenant_header));
}

std::string Access::ClientOf(const HttpRequest& request) const {
  std::string tenant = TenantOf(request).value_or("");
  if (!tenant.empty()) tenant = "tenant " + tenant + " ";
  if (const std::optional<Viewer> viewer = ViewerByProxy(request); viewer && !viewer->user.empty()) {
    return tenant + "user " + viewer->user;
  }
  const Token* const token = FindToken(TokenText(request));
  const std::string network = ClientNetwork(request.peer);
  return tenant + (token == nullptr ? network : fmt::format("{} token {}", network, token - tokens_.data()));
}

Result<Sender> Access::SenderOf(const HttpRequest& request) const {
  const Token* const token = FindToken(TokenText(request));
  Sender sender{.peer = request.peer, .role = std::string(RoleName(RoleOf(request)))};
  const Result<std::string> tenant = TenantOf(request);
  if (!tenant) return tl::unexpected(tenant.error());
  sender.tenant = *tenant;
  // A token or secret that occurs in two tenants is different in each.
  const std::string of_tenant = tenant->empty() ? "" : "\n" + *tenant;
  if (token != nullptr || !tenant->empty()) {
    sender.token = Sha256Hex("token\n" + (token == nullptr ? "" : token->text) + of_tenant);
  }
  // Administrators may send recordings of any user.
  if (token != nullptr && token->role == Role::kIngest) sender.user = token->viewer.user;
  const std::string_view secret = request.Header(kUploadSecretHeader);
  if (secret.empty()) return sender;
  constexpr size_t kMinSecretSize = 32, kMaxSecretSize = 256;
  const bool is_text = std::all_of(secret.begin(), secret.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (secret.size() < kMinSecretSize || secret.size() > kMaxSecretSize || !is_text) {
    return Fail(fmt::format("{}: expected {} to {} printable ASCII characters", kUploadSecretHeader, kMinSecretSize,
                            kMaxSecretSize));
  }
  sender.secret = Sha256Hex("upload secret\n" + std::string(secret) + of_tenant);
  return sender;
}

bool Access::IsFromProxy(const HttpRequest& request) const {
  constexpr std::string_view kMapped = "::ffff:";  // IPv4 address on an IPv6 socket
  std::string_view peer = request.peer;
  if (peer.starts_with(kMapped)) peer.remove_prefix(kMapped.size());
  return std::find(acls_.proxies.begin(), acls_.proxies.end(), peer) != acls_.proxies.end();
}

std::optional<Viewer> Access::ViewerByProxy(const HttpRequest& request) const {
  const bool is_named =
      !acls_.user_header.empty() && std::any_of(request.headers.begin(), request.headers.end(),
                                                [&](const auto& header) { return header.first == acls_.user_header; });
  if (!is_named || !IsFromProxy(request)) return std::nullopt;
  // An empty or repeated user header names nobody.
  Viewer viewer{.user = OnlyHeader(request, acls_.user_header).value_or(""), .groups = {}};
  if (!acls_.groups_header.empty() && !viewer.user.empty()) {
    viewer.groups = AclNames(OnlyHeader(request, acls_.groups_header).value_or(""));
  }
  return viewer;
}

std::vector<std::string> Access::IdentityHeaders() const {
  std::vector<std::string> names = {"authorization", "cookie"};
  for (const std::string& name : {acls_.user_header, acls_.groups_header, acls_.tenant_header}) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

bool Access::IsAdmin(const Viewer& viewer) const {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (has(acls_.admins, "*") || has(acls_.admin_groups, "*")) return true;
  if (!viewer.user.empty() && has(acls_.admins, viewer.user)) return true;
  return std::any_of(viewer.groups.begin(), viewer.groups.end(),
                     [&](const std::string& group) { return has(acls_.admin_groups, group); });
}

std::optional<Viewer> Access::ViewerOf(const HttpRequest& request) const {
  const bool has_tenants = HasTenants();
  if (!acls_.is_enabled && !has_tenants) return std::nullopt;
  const Token* const token = FindToken(TokenText(request));
  std::optional<Viewer> viewer = ViewerByProxy(request);
  const bool is_admin =
      !viewer && (token == nullptr ? tokens_.empty() && !acls_.is_enabled : token->role == Role::kAdmin);
  if (!viewer) viewer = token == nullptr ? Viewer() : token->viewer;
  viewer->sees_all = is_admin || !acls_.is_enabled || IsAdmin(*viewer);
  if (!has_tenants) return viewer->sees_all ? std::nullopt : viewer;
  // A request without a valid tenant is rejected; this tenant has no applications.
  viewer->tenant = TenantOf(request).value_or("/");
  if (is_admin && viewer->tenant.empty()) return std::nullopt;
  return viewer;
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
