// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <memory>
#include <thread>

#include "base/private_file.h"
#include "base/quantity.h"
#include "catalogue_option.h"
#include "number_checks.h"
#include "serve_pictures.h"
#include "server/server.h"
#include "share_option.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr const char* kDefaultAddress = "127.0.0.1:8320";

struct ServeOptions {
  std::string listen = kDefaultAddress;
  std::string data = "sparkprof-data";
  std::vector<std::string> watched;
  std::string catalogue;
  std::string token_file;
  std::string certificate, key;
  bool insecure = false;
  std::string cache = "512m";

  Result<ServerOptions> Finish() const {
    ServerOptions server;
    const Result<ListenAddress> address = ParseListenAddress(listen);
    if (!address) return Fail("--listen: " + address.error().message);
    server.http.address = *address;
    if (certificate.empty() != key.empty()) return Fail("--tls-cert and --tls-key require each other");
    server.http.certificate_file = certificate;
    server.http.key_file = key;
    if (!token_file.empty()) {
      Result<Access> access = Access::ReadTokens(token_file);
      if (!access) return Fail("--token-file: " + access.error().message);
      server.access = std::move(*access);
    }
    if (!address->IsLoopback() && token_file.empty() && !insecure) {
      return Fail(fmt::format(
          "--listen {}: others can reach this address; protect it with --token-file FILE, or allow everybody with "
          "--insecure",
          listen));
    }
    const Result<int64_t> bytes = ParseBytes(cache);
    if (!bytes) return Fail(Refusal("--cache", cache, bytes.error()));
    server.max_cache_bytes = static_cast<uint64_t>(*bytes);
    server.data = data;
    server.watched = watched;
    return server;
  }
};

int RunServe(const ServeOptions& options, const CLI::App& command) {
  Result<ServerOptions> server_options = options.Finish();
  if (!server_options) return Misuse(command, server_options.error().message);
  // Blocked in all threads: one of them waits for these signals.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  if (Result<void> created = CreateFolders(options.data); !created) return Complain(created.error().message);
  const std::string path = options.catalogue.empty() ? options.data + "/catalogue.duckdb" : options.catalogue;
  std::string rebuilt;
  Result<std::unique_ptr<Catalogue>> catalogue = OpenCatalogue(path, &rebuilt);
  if (!catalogue) return Complain(catalogue.error().message);
  const ServePictures pictures;
  const std::string scheme = options.certificate.empty() ? "http" : "https";
  const std::string host = server_options->http.address.host;
  Result<std::unique_ptr<Server>> server = Server::Open(std::move(*server_options), std::move(*catalogue), &pictures);
  if (!server) return Complain(server.error().message);
  Complain(fmt::format("serving {}://{}:{}/", scheme, host.find(':') == std::string::npos ? host : "[" + host + "]",
                       (*server)->Port()));
  if (!rebuilt.empty()) Complain(rebuilt);
  std::thread waiting([&] {
    int signal_number = 0;
    sigwait(&signals, &signal_number);
    (*server)->Stop();
  });
  (*server)->Run();
  waiting.join();
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefineServe(CLI::App& command) {
  const auto options = std::make_shared<ServeOptions>();
  command.add_option("--listen", options->listen, "IP address and port; port 0 = any free one")
      ->capture_default_str()
      ->type_name("ADDRESS:PORT");
  command.add_option("--data", options->data, "Folder for received recordings and the catalogue")
      ->capture_default_str()
      ->type_name("DIR");
  command
      .add_option("--watch", options->watched,
                  "Folder of recordings to show, read in place, such as spark.sparkprof.dir; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      .add_option("--catalogue", options->catalogue,
                  "File (default: DIR/catalogue.duckdb), or clickhouse://HOST:PORT/DATABASE, see docs/collector.md")
      ->type_name("LOCATION");
  command
      .add_option("--token-file", options->token_file,
                  "File with lines ROLE TOKEN; roles: ingest, read, admin. Required for addresses other than loopback")
      ->type_name("FILE");
  command.add_flag("--insecure", options->insecure, "Allow everybody who reaches the address to send and read");
  command.add_option("--tls-cert", options->certificate, "Certificate chain (PEM)")->type_name("FILE");
  command.add_option("--tls-key", options->key, "Private key (PEM)")->type_name("FILE");
  command.add_option("--cache", options->cache, "Memory for loaded applications")
      ->capture_default_str()
      ->type_name("SIZE");
  AddShareTo(command);
  command.footer(
      "Collects recordings from running jobs and shows all applications, live and for months. Ends on SIGTERM.\n"
      "Examples:\n"
      "  sparkprof serve --data /var/lib/sparkprof\n"
      "  sparkprof serve --watch /shared/sparkprof --listen 0.0.0.0:8320 --token-file tokens.txt");
  return [options, &command] { return RunServe(*options, command); };
}

}  // namespace sparkprof
