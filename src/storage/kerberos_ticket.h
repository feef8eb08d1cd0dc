// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace sparkprof {

// The value of the header Authorization for the service HTTP of `host` (SPNEGO, RFC 4559): "Negotiate TOKEN", from the
// caller's Kerberos tickets or the keytab in KRB5_CLIENT_KTNAME. Each value is valid for one request. Loads the
// system's libgssapi_krb5; fails if the library or a ticket is missing.
Result<std::string> NegotiateHeader(const std::string& host);

}  // namespace sparkprof
