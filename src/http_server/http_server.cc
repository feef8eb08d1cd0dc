// SPDX-License-Identifier: Apache-2.0
#include "http_server/http_server.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "http_server/client_network.h"
#include "http_server/http_connection.h"

namespace sparkprof {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kStopPatience{3};
constexpr std::chrono::milliseconds kAcceptPause{50};
// Size of an answer that the kernel buffers before sending.
constexpr int kUnsentBytes = 256 << 10;
// File descriptors reserved for files, so that accepted requests can always be answered and stored.
constexpr size_t kFileDescriptors = 256;

size_t MaxConnections(size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  const auto descriptors = static_cast<size_t>(limit.rlim_cur);
  return std::min(wanted, descriptors - std::min(kFileDescriptors, descriptors / 2));
}

// Configures TLS 1.3, and TLS 1.2 with forward secrecy and authenticated encryption only (RFC 9325): ECDHE with AES-GCM
// or ChaCha20-Poly1305. The files are PEM. Errors: unreadable files, a key of another certificate.
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

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, HttpHandler* handler)
      : state_(options, handler), acceptor_(state_.io), max_connections_(MaxConnections(options.max_connections)) {}

  Result<void> Open() {
    const HttpServerOptions& options = state_.options;
    if (!options.certificate_file.empty()) {
      tls_.emplace(asio::ssl::context::tls_server);
      if (Result<void> set = SetUpTls(options.certificate_file, options.key_file, &*tls_); !set) return set;
    }
    error_code error;
    const auto address = asio::ip::make_address(options.address.host, error);
    if (error) return Fail(fmt::format("{}: not an IP address", options.address.host));
    const tcp::endpoint endpoint(address, options.address.port);
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) port_ = acceptor_.local_endpoint(error).port();
    if (error) {
      return Fail(fmt::format("cannot listen on {}:{}: {}; choose another address with --listen", options.address.host,
                              options.address.port, error.message()));
    }
    return {};
  }

  uint16_t Port() const override { return port_; }

  void Run() override {
    StartAccepting();
    while (!state_.io.stopped()) {
      try {
        state_.io.run();
      } catch (const std::exception&) {  // out of memory for one connection; others continue
      }
    }
    state_.StopLanes();
  }

  void Stop() override {
    asio::post(state_.io, [this] {
      state_.stopping = true;
      error_code ignored;
      acceptor_.close(ignored);
      asio::co_spawn(state_.io, EndSoon(), [this](const std::exception_ptr&) { state_.io.stop(); });
    });
  }

  HttpServerCounters Counters() const override { return state_.Counters(); }

 private:
  // A connection's entry in the table, until its end.
  class Place {
   public:
    Place(HttpServerState* state, const std::string& address, std::function<void()> close)
        : state_(state), connection_(state->connections.Add(ClientNetwork(address), std::move(close))) {
      state_->Publish();
    }
    ~Place() {
      state_->connections.Remove(connection_);
      state_->Publish();
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ConnectionTable::Connection* Get() const { return connection_; }

   private:
    HttpServerState* state_;
    ConnectionTable::Connection* connection_;
  };

  void StartAccepting() {
    asio::co_spawn(state_.io, Accept(), [this](const std::exception_ptr& exception) {
      if (exception && !state_.stopping) StartAccepting();
    });
  }

  asio::awaitable<void> Accept() {
    while (!state_.stopping) {
      auto [error, socket] = co_await acceptor_.async_accept(kAwait);
      if (state_.stopping) break;
      if (error) {  // out of file descriptors, or the client has gone
        if (error == asio::error::no_descriptors || error.value() == ENFILE) state_.connections.MakeRoom();
        co_await state_.Pause(kAcceptPause);
        continue;
      }
      while (state_.connections.Size() >= max_connections_ && !state_.connections.MakeRoom()) {
        co_await state_.Pause(kAcceptPause);
        if (state_.stopping) co_return;
      }
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytes, sizeof(kUnsentBytes));
      asio::co_spawn(state_.io, Connection(std::move(socket)), [](const std::exception_ptr&) {});
    }
  }

  // Ends the loop when no request is running, or after a timeout.
  asio::awaitable<void> EndSoon() {
    const auto until = std::chrono::steady_clock::now() + kStopPatience;
    while (state_.running > 0 && std::chrono::steady_clock::now() < until)
      co_await state_.Pause(std::chrono::milliseconds(10));
  }

  asio::awaitable<void> Connection(tcp::socket socket) {
    error_code ignored;
    const std::string address = socket.remote_endpoint(ignored).address().to_string();
    if (tls_) {
      beast::ssl_stream<beast::tcp_stream> stream(beast::tcp_stream(std::move(socket)), *tls_);
      const Place place(&state_, address, [&stream] { beast::get_lowest_layer(stream).cancel(); });
      beast::get_lowest_layer(stream).expires_after(state_.options.handshake_timeout);
      const auto [error] = co_await stream.async_handshake(asio::ssl::stream_base::server, kAwait);
      if (error == beast::error::timeout) ++state_.timeouts;
      if (error) co_return;
      HttpConnection connection(&state_, &stream, place.Get(), address, /*is_encrypted=*/true);
      co_await connection.Serve();
      place.Get()->Change(ConnectionTable::State::kIdle);
      beast::get_lowest_layer(stream).expires_after(std::chrono::seconds(1));
      co_await stream.async_shutdown(kAwait);
    } else {
      beast::tcp_stream stream(std::move(socket));
      const Place place(&state_, address, [&stream] { stream.cancel(); });
      HttpConnection connection(&state_, &stream, place.Get(), address, /*is_encrypted=*/false);
      co_await connection.Serve();
      stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    }
  }

  HttpServerState state_;
  tcp::acceptor acceptor_;
  const size_t max_connections_;
  std::optional<asio::ssl::context> tls_;
  uint16_t port_ = 0;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(const HttpServerOptions& options, HttpHandler* handler) {
  auto server = std::make_unique<BeastServer>(options, handler);
  if (Result<void> opened = server->Open(); !opened) return tl::unexpected(opened.error());
  return server;
}

}  // namespace sparkprof
