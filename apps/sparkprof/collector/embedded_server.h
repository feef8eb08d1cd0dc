// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/result.h"
#include "server/server.h"

namespace sparkprof {

// A collector in this process, on a free port of 127.0.0.1, until destroyed.
class EmbeddedServer {
 public:
  // `data`: folder of its store, as for `sparkprof serve --data`.
  static Result<std::unique_ptr<EmbeddedServer>> Start(const std::string& data);
  ~EmbeddedServer();
  EmbeddedServer(const EmbeddedServer&) = delete;
  EmbeddedServer& operator=(const EmbeddedServer&) = delete;

  std::string Url() const { return server_->Address(); }

 private:
  EmbeddedServer() = default;

  std::unique_ptr<Server> server_;
  std::thread running_;
};

}  // namespace sparkprof
