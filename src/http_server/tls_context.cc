// SPDX-License-Identifier: Apache-2.0
#include "http_server/tls_context.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

namespace sparkprof {

namespace asio = boost::asio;

Result<void> SetUpTls(const std::string& certificate_file, const std::string& key_file, asio::ssl::context* tls) {
  SSL_CTX* const context = tls->native_handle();
  tls->set_options(asio::ssl::context::default_workarounds | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  if (SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) return Fail("TLS: no cipher is supported");
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);  // saves memory of thousands of idle connections
  boost::system::error_code error;
  tls->use_certificate_chain_file(certificate_file, error);
  if (error) return Fail(fmt::format("{}: cannot read the certificate: {}", certificate_file, error.message()));
  tls->use_private_key_file(key_file, asio::ssl::context::pem, error);
  if (error) return Fail(fmt::format("{}: cannot read the private key: {}", key_file, error.message()));
  if (SSL_CTX_check_private_key(context) != 1) {
    return Fail(fmt::format("{}: the key does not belong to the certificate {}", key_file, certificate_file));
  }
  return {};
}

}  // namespace sparkprof
