// SPDX-License-Identifier: Apache-2.0
#include "embedded_server.h"

#include <utility>

#include "base/background_task.h"
#include "catalogue_option.h"
#include "verb.h"

namespace sparkprof {

Result<std::unique_ptr<EmbeddedServer>> EmbeddedServer::Start(const std::string& data) {
  ServerOptions options;
  const Result<ListenAddress> address = ParseListenAddress("127.0.0.1:0");
  if (!address) return tl::unexpected(address.error());
  options.http.address = *address;
  options.data = DataFolder(data);
  options.log = [](const std::string& line) { Complain(line); };
  if (Result<std::string> opened = OpenDataFolder(options.data); !opened) return tl::unexpected(opened.error());
  std::string rebuilt;
  Result<std::unique_ptr<Catalogue>> catalogue = OpenCatalogue(DefaultCatalogue(options.data), &rebuilt);
  if (!catalogue) return tl::unexpected(catalogue.error());
  std::unique_ptr<EmbeddedServer> embedded(new EmbeddedServer());
  Result<std::unique_ptr<Server>> server = Server::Open(std::move(options), std::move(*catalogue));
  if (!server) return tl::unexpected(server.error());
  embedded->server_ = std::move(*server);
  embedded->running_ = std::thread([running = embedded->server_.get()] {
    // An exception ends the server, not the suite.
    if (const Result<void> ran = Guarded([&]() -> Result<void> {
          running->Run();
          return {};
        });
        !ran) {
      Complain("the collector ended: " + ran.error().message);
    }
  });
  return embedded;
}

EmbeddedServer::~EmbeddedServer() {
  if (!running_.joinable()) return;
  server_->Stop();
  running_.join();
}

}  // namespace sparkprof
