// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace sparkprof {

// What a token allows, and what a request needs: kNone = nothing, kAny = any token. Admin includes the others.
enum class Role : uint8_t { kNone, kIngest, kRead, kAdmin, kAny };
std::string_view RoleName(Role role);  // "none", "ingest", "read", "admin"

inline constexpr std::string_view kSessionCookie = "sparkprof";

// Who may do what: by tokens in the header "Authorization: Bearer TOKEN" or in the page's cookie. Without tokens
// everybody who reaches the server may do everything.
class Access {
 public:
  // Lines "ROLE TOKEN" with the roles ingest, read and admin; # begins a comment. Fails for other lines, for tokens of
  // less than 16 characters, and if others than the owner may read the file.
  static Result<Access> ReadTokens(const std::string& path);

  bool HasTokens() const { return !tokens_.empty(); }
  // Compares with all tokens, in the same time for all tokens of one length.
  Role RoleOf(const HttpRequest& request) const;
  Role RoleOfToken(std::string_view token) const;

 private:
  struct Token {
    Role role;
    std::string text;
  };
  std::vector<Token> tokens_;
};

// Whether a token of this role allows what needs `needed`.
bool Includes(Role role, Role needed);

// Whether a browser may have been tricked into this request: another site's origin, or, with `loopback_only`, a Host
// that is no loopback name (DNS rebinding).
bool IsForged(const HttpRequest& request, bool loopback_only);

}  // namespace sparkprof
