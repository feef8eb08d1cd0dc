// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "model/viewers.h"

namespace sparkprof {

// Rights that a token has, or that a request needs: kNone = nothing, kAny = any token. Admin includes the others.
enum class Role : uint8_t { kNone, kIngest, kRead, kAdmin, kAny };
std::string_view RoleName(Role role);  // "none", "ingest", "read", "admin"

inline constexpr std::string_view kSessionCookie = "sparkprof";

// Which applications a token may read. Disabled: all.
struct AclOptions {
  bool is_enabled = false;
  // See every application, as spark.history.ui.admin.acls.
  std::vector<std::string> admins, admin_groups;
  // Headers in which a proxy names the user that it has authenticated, and the user's groups, with commas; in lower
  // case, empty = none. They count in requests from `proxies`, which are IP addresses.
  std::string user_header, groups_header;
  std::vector<std::string> proxies;
};

// Whether a file with this mode exposes its tokens. A process may read root's file by its group: so it gets the secrets
// that Kubernetes mounts.
bool IsExposed(mode_t mode, uid_t owner, uid_t reader);

// The sender of a request.
struct Sender {
  std::string peer;             // the client's address; empty: the server found it in a folder
  std::string role = "server";  // of its token
  std::string token = {};       // a hash of it
  std::string user = {};        // the only user whose applications the token may send; empty = any
  std::string secret = {};      // a hash of the upload secret; empty = it has sent none
};

// Rights of requests, by tokens in the header "Authorization: Bearer TOKEN" or in the page's cookie. Without tokens
// everybody who reaches the server may do everything.
class Access {
 public:
  // Lines "ROLE TOKEN [user=NAME] [groups=NAME,…]" with the roles ingest, read and admin; # begins a comment. Fails for
  // other lines, for tokens of less than 16 characters, and if IsExposed().
  static Result<Access> ReadTokens(const std::string& path);

  bool HasTokens() const { return !tokens_.empty(); }
  // Compares with all tokens, in the same time for all tokens of one length.
  Role RoleOf(const HttpRequest& request) const;
  Role RoleOfToken(std::string_view token) const;
  // The party that shares the server fairly with the others: the user that a trusted proxy names; else the network of
  // the address, with the token, since a proxy has one address for all. The text has nothing of the token.
  std::string ClientOf(const HttpRequest& request) const;

  // The sender of recordings. Fails for an invalid upload secret (kUploadSecretHeader).
  Result<Sender> SenderOf(const HttpRequest& request) const;

  void SetAcls(AclOptions acls) { acls_ = std::move(acls); }
  bool HasAcls() const { return acls_.is_enabled; }
  // Users whose applications the request may read: those of a user that a trusted proxy names, else those of the
  // token's user. Nothing: all, because of the token's role admin, the user, or because there are no such limits.
  std::optional<Viewer> ViewerOf(const HttpRequest& request) const;

 private:
  struct Token {
    Role role;
    std::string text;
    Viewer viewer;
  };
  const Token* FindToken(std::string_view token) const;
  std::optional<Viewer> ViewerByProxy(const HttpRequest& request) const;
  bool IsAdmin(const Viewer& viewer) const;

  std::vector<Token> tokens_;
  AclOptions acls_;
};

// Whether a token of this role allows what needs `needed`.
bool Includes(Role role, Role needed);

// Whether a browser may have been tricked into this request: another site's origin, or, with `loopback_only`, a Host
// that is no loopback name (DNS rebinding).
bool IsForged(const HttpRequest& request, bool loopback_only);

}  // namespace sparkprof
