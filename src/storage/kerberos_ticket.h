// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace sparkprof {

// The value of a request's header Authorization for the service HTTP of `host` (SPNEGO, RFC 4559): "Negotiate TOKEN",
// by the caller's Kerberos tickets or the keytab that KRB5_CLIENT_KTNAME names. Each is good for one request. The
// system's libgssapi_krb5 is loaded for it: fails if there is none, or no ticket.
Result<std::string> NegotiateHeader(const std::string& host);

}  // namespace sparkprof
