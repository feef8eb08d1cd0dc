// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "catalogue/catalogue.h"
#include "http/http_server.h"
#include "server/access.h"
#include "server/application_cache.h"
#include "server/audit_log.h"
#include "server/cataloguer.h"
#include "server/group_configurations.h"
#include "server/pictures.h"
#include "server/recording_directory.h"
#include "server/recording_store.h"

namespace sparkprof {

struct ServerOptions {
  HttpServerOptions http;
  std::string data;                  // folder of the store
  std::vector<std::string> watched;  // folders of recordings, read in place
  std::chrono::seconds scan_interval{5};
  Access access;
  uint64_t max_cache_bytes = uint64_t{512} << 20;
};

// Everything that routes use. Routes are called from several threads.
struct ServerParts {
  ServerOptions options;
  RecordingDirectory directory;
  std::unique_ptr<RecordingStore> store;
  std::unique_ptr<ApplicationCache> cache;
  std::unique_ptr<Catalogue> catalogue;
  std::unique_ptr<Cataloguer> cataloguer;
  std::unique_ptr<GroupConfigurations> configurations;
  std::unique_ptr<AuditLog> audit;
  const Pictures* pictures = nullptr;
  const HttpServer* http = nullptr;
  std::chrono::system_clock::time_point start = std::chrono::system_clock::now();

  // Problems of folders that are watched, by folder; empty = none.
  std::mutex mutex;
  std::map<std::string, std::string> folder_problems;
  std::atomic<uint64_t> received_blocks = 0, received_bytes = 0, received_samples = 0, duplicate_blocks = 0;
};

// The collector: takes recordings in, keeps them, and answers questions about them (docs/server-api.md).
class Server : private HttpHandler {
 public:
  // Listens when it returns. `pictures` must outlive the server.
  static Result<std::unique_ptr<Server>> Open(ServerOptions options, std::unique_ptr<Catalogue> catalogue,
                                              const Pictures* pictures);
  ~Server() override;

  uint16_t Port() const { return http_->Port(); }
  // Until Stop.
  void Run() { http_->Run(); }
  void Stop() { http_->Stop(); }

 private:
  Server() = default;

  HttpAdmission Admit(const HttpRequest& head) override;
  HttpResponse Answer(const HttpRequest& request) override;
  HttpResponse Refuse(unsigned status, const std::string& message) override;
  void ScanFolders();

  ServerParts parts_;
  std::unique_ptr<HttpServer> http_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread scanner_;
};

}  // namespace sparkprof
