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

// Access lists decide which applications of its tenant a token may read. If they are disabled, it may read all of them.
struct AclOptions {
  bool is_enabled = false;
  // Users and groups that see every application, as in spark.history.ui.admin.acls.
  std::vector<std::string> admins, admin_groups;
  // Headers in which a proxy passes the authenticated user, the user's comma-separated groups and the tenant. Lower
  // case; empty = none. Only requests from `proxies` (IP addresses) may set them.
  std::string user_header, groups_header, tenant_header = {};
  std::vector<std::string> proxies;
};

// Whether a file with this mode exposes its tokens. Root's file may be readable by the process's group: Kubernetes
// mounts secrets this way.
bool IsExposed(mode_t mode, uid_t owner, uid_t reader);

struct Sender {
  std::string peer;             // the client's address; empty = the recording was found in a folder
  std::string role = "server";  // role of the token
  std::string token = {};       // hash of the token
  std::string user = {};        // the only user whose applications the token may send; empty = any
  std::string secret = {};      // hash of the upload secret; empty = none was sent
  std::string tenant = {};      // part of both hashes; empty = the default tenant
};

// Authorizes requests by the token in the header "Authorization: Bearer TOKEN" or in the page's cookie. Without tokens,
// everyone who reaches the server has all rights.
class Access {
 public:
  // Reads lines "ROLE TOKEN [user=NAME] [groups=NAME,…] [tenant=NAME]" with the roles ingest, read and admin; # starts
  // a comment. Fails for other lines, for tokens shorter than 16 characters, and if IsExposed().
  static Result<Access> ReadTokens(const std::string& path);

  bool HasTokens() const { return !tokens_.empty(); }
  // Compares with all tokens in constant time for tokens of equal length.
  Role RoleOf(const HttpRequest& request) const;
  Role RoleOfToken(std::string_view token) const;
  // Identifies the client for fair scheduling: by the user that a trusted proxy names, otherwise by network and token,
  // because all clients of a proxy share its address. The text does not reveal the token.
  std::string ClientOf(const HttpRequest& request) const;

  // Fails if the upload secret (kUploadSecretHeader) is invalid.
  Result<Sender> SenderOf(const HttpRequest& request) const;

  void SetAcls(AclOptions acls) { acls_ = std::move(acls); }
  bool HasAcls() const { return acls_.is_enabled; }
  // Whether applications of several tenants are kept apart.
  bool HasTenants() const;
  // The tenant named by a trusted proxy, otherwise that of the token. Fails if the proxy names no tenant, or another
  // one than the token.
  Result<std::string> TenantOf(const HttpRequest& request) const;
  // The reader's tenant, and the user whose access lists apply: the one in the header of a trusted proxy, nobody if
  // that is empty, otherwise the token's. nullopt = the request may read all applications of all tenants, because its
  // token has the role admin and no tenant or, without tenants, because the user is an administrator or lists are
  // disabled.
  std::optional<Viewer> ViewerOf(const HttpRequest& request) const;
  // Headers that identify the client, besides its address.
  std::vector<std::string> IdentityHeaders() const;

 private:
  struct Token {
    Role role;
    std::string text;
    Viewer viewer;
  };
  const Token* FindToken(std::string_view token) const;
  bool IsFromProxy(const HttpRequest& request) const;
  std::optional<Viewer> ViewerByProxy(const HttpRequest& request) const;
  bool IsAdmin(const Viewer& viewer) const;

  std::vector<Token> tokens_;
  AclOptions acls_;
};

// Whether a token with `role` permits a request that requires `needed`.
bool Includes(Role role, Role needed);

// True if another site may have made the browser send this request: the origin differs, or `loopback_only` is set and
// Host is not a loopback name (DNS rebinding).
bool IsForged(const HttpRequest& request, bool loopback_only);

}  // namespace sparkprof
