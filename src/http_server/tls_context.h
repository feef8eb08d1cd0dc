// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <string>

#include "base/result.h"

namespace sparkprof {

// Configures TLS 1.3, and TLS 1.2 with forward secrecy and authenticated encryption only (RFC 9325): ECDHE with AES-GCM
// or ChaCha20-Poly1305. The files are PEM. Errors: unreadable files, a key of another certificate.
Result<void> SetUpTls(const std::string& certificate_file, const std::string& key_file, boost::asio::ssl::context* tls);

}  // namespace sparkprof
